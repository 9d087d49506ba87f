/** One thing that the doctor looked at. `warn`: the product runs, but something is worth mending. `fail`: it does not, or not wholly. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found and, unless it is well, what to do. */
  readonly message: string;
}

export function finding(name: string, state: Finding['state'], message: string): Finding {
  return { name, state, message };
}
