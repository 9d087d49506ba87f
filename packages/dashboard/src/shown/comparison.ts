/** A figure against the same length of time before, in words. */
import { change } from './amounts.ts';

export interface Compared {
  readonly now: number;
  readonly before: number;
  /** The time before as it is said: `the 7 days before`. */
  readonly time: string;
  /** What is compared, as in `no calls`. */
  readonly of: string;
}

/** `−5% against the 7 days before`; where there was none of it, that is said, as nothing is missing then. */
export function comparedWith({ now, before, time, of }: Compared): string {
  const share = change(now, before);
  return share === null ? `no ${of} in ${time}` : `${share} against ${time}`;
}
