/** A key that a caller showed, with its SHA-256. */
export interface ShownKey {
  readonly text: string;
  readonly hash: string;
}
