/**
 * Work on compressed copies, in small pieces, a short while in each turn of the event loop for the whole node (design 3, row 8a). Copies
 * of different organizations take turns, so that one that expands without end neither delays calls nor another organization's copies.
 */

/** What a turn of the event loop gives to copies at least, and at most, milliseconds; in between a part of its own length. */
const turnMsMin = 0.2;
const turnMsMax = 1;
const partOfTurn = 0.2;
/** A piece cannot be cut: the first of a decoder may take tens of milliseconds for its memory. What is longer than this is made up for. */
const longMs = 4;
const restMsMax = 100;

/** One piece of work: tenths of a millisecond. It must not throw. */
export type Piece = () => void;

export interface DecodingTurns {
  /** Puts a piece of work behind all others of its organization. */
  next(organization: string, piece: Piece): void;
}

/** Both are passed in for tests. */
export function createDecodingTurns(
  monotonicMs: () => number = () => performance.now(),
  after: (delayMs: number, task: () => void) => unknown = (delayMs, task) => setTimeout(task, delayMs),
): DecodingTurns {
  // A Map keeps its order: the organization whose turn it was goes to the end.
  const queues = new Map<string, Piece[]>();
  let due = false;
  let lastMs = 0;

  const work = (): void => {
    const beganMs = monotonicMs();
    const untilMs = beganMs + Math.min(turnMsMax, Math.max(turnMsMin, (beganMs - lastMs) * partOfTurn));
    do {
      const [organization, pieces] = queues.entries().next().value!;
      queues.delete(organization);
      const piece = pieces.shift()!;
      if (pieces.length > 0) queues.set(organization, pieces);
      piece();
    } while (queues.size > 0 && monotonicMs() < untilMs);
    lastMs = monotonicMs();
    due = queues.size > 0;
    if (!due) return;
    const spentMs = lastMs - beganMs;
    if (spentMs <= longMs) setImmediate(work);
    else after(Math.min(restMsMax, spentMs / partOfTurn - spentMs), work);
  };

  return {
    next(organization, piece) {
      const pieces = queues.get(organization);
      if (pieces === undefined) queues.set(organization, [piece]);
      else pieces.push(piece);
      if (due) return;
      due = true;
      setImmediate(work);
    },
  };
}

/** The turns of this process. */
export const nodeTurns: DecodingTurns = createDecodingTurns();
