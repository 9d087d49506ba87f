/** The valid ids of runs (spec: Run). */

const form = /^[\x21-\x7e]{1,128}$/;

/** 1 to 128 visible ASCII characters. */
export function isRunId(text: string): boolean {
  return form.test(text);
}
