/**
 * Work on a long text, in slices: each in a turn of its organization among all copies of the node (rule 8a), so that no message keeps the
 * thread to itself. 16 MiB read in one piece kept it for 600 ms.
 */
import { nodeTurns } from '../usage/decoding-turns.ts';

export interface SlicedWork {
  readonly organization: string;
  /** Runs a step of the connection: what it throws ends that, and where that is over nothing runs. */
  readonly run: (step: () => void) => void;
  /** Works on the text from `from` up to about `to`; how far it got. */
  readonly slice: (from: number, to: number) => number;
  /** All of it is done. */
  readonly done: () => void;
}

/** About half a millisecond of reading. */
const sliceBytes = 16 * 1024;

/** Begins in a later turn. */
export function inSlices(from: number, to: number, { organization, run, slice, done }: SlicedWork): void {
  let at = from;
  const piece = (): void => run(() => {
    at = slice(at, Math.min(at + sliceBytes, to));
    if (at < to) nodeTurns.next(organization, piece);
    else done();
  });
  nodeTurns.next(organization, piece);
}
