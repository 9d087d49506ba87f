/** A compressed body that ended before its coding did. All that it held had been decoded by then. */
export class CutShort extends Error {
  constructor() {
    super('The body ended before its coding did.');
  }
}

/** Whether a decoder failed for that alone. The runtime's decoders say it by a code. */
export function isCutShort(fault: Error): boolean {
  return fault instanceof CutShort || (fault as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
}
