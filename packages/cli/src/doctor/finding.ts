/** The result of one check. `warn`: the product runs, but something should be fixed. `fail`: it does not run, or only in part. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found and, unless it is well, what to do. */
  readonly message: string;
}

export function finding(name: string, state: Finding['state'], message: string): Finding {
  return { name, state, message };
}
