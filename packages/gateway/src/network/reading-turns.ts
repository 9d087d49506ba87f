/**
 * How much of large answers is read in a turn of the event loop (rule 8a; decision 0115). The runtime reads a socket up to 32 times before
 * it looks at the next one: sixty fast answers of one organization were then some hundred megabytes in one turn, and every other call waited for
 * them. Past a bound for the turn a connection rests after its next read. Those that rest go on in later turns, the keys in turn, and one
 * connection of a key after the other.
 */

/** Of all counted reads of a turn, some 0.3 ms of work if they are not in short chunks. */
export const turnBytesMax = 512 * 1024;
/** After so long a turn has read enough, however little that was. Milliseconds. */
const turnMsMax = 0.3;
/** Connections that go on in one turn. */
const goingOnMax = 8;

/** A connection of which nothing is read until its turn comes. */
export interface Resting {
  /** Whose calls it carries. */
  readonly keyId: string;
  readOn(): void;
}

/** How turns are ended and timed; tests pass their own. */
interface ReadingTurnsTiming {
  /** Runs a task once this turn of the event loop is over. */
  readonly atTurnsEnd: (task: () => void) => unknown;
  readonly monotonicMs: () => number;
}

const byThisThread: ReadingTurnsTiming = { atTurnsEnd: setImmediate, monotonicMs: () => performance.now() };

export class ReadingTurns {
  readonly #by: ReadingTurnsTiming;
  /** What rests, by key; the key whose turn is next comes first. */
  readonly #resting = new Map<string, Resting[]>();
  #turnBytes = 0;
  /** When the first counted read of the turn had come. */
  #sinceMs = 0;
  #isDue = false;

  constructor(by: ReadingTurnsTiming = byThisThread) {
    this.#by = by;
  }

  /** Counts a read of this connection; true: the turn has read enough, and the connection rests until its `readOn` is called. */
  restsAfter(connection: Resting, bytes: number): boolean {
    if (this.#turnBytes === 0) this.#sinceMs = this.#by.monotonicMs();
    this.#turnBytes += bytes;
    this.#endTurnSoon();
    if (this.#turnBytes <= turnBytesMax && this.#hasTime()) return false;
    const others = this.#resting.get(connection.keyId);
    if (others === undefined) this.#resting.set(connection.keyId, [connection]);
    else others.push(connection);
    return true;
  }

  /** Connections that rest. */
  get resting(): number {
    let count = 0;
    for (const connections of this.#resting.values()) count += connections.length;
    return count;
  }

  #endTurnSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#by.atTurnsEnd(this.#nextTurn);
  }

  #hasTime(): boolean {
    return this.#by.monotonicMs() - this.#sinceMs < turnMsMax;
  }

  readonly #nextTurn = (): void => {
    this.#isDue = false;
    this.#turnBytes = 0;
    this.#sinceMs = this.#by.monotonicMs();
    let gone = 0;
    do {
      this.#takeNext()?.readOn();
      gone += 1;
    } while (gone < goingOnMax && this.#resting.size > 0 && this.#hasTime());
    if (this.#resting.size > 0) this.#endTurnSoon();
  };

  /** The first one of the key whose turn is next. Undefined: none rests. */
  #takeNext(): Resting | undefined {
    for (const [keyId, connections] of this.#resting) {
      const next = connections.shift();
      // Its others are behind those of all other keys.
      this.#resting.delete(keyId);
      if (connections.length > 0) this.#resting.set(keyId, connections);
      return next;
    }
    return undefined;
  }
}

/** Of this thread: its connections share one event loop. */
export const readingTurns = new ReadingTurns();
