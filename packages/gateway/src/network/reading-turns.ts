/**
 * How much of large answers is read in a turn of the event loop (rule 8a; decision 0115). The runtime reads a socket up to 32 times before
 * it looks at the next one: sixty fast answers of one organization were then some hundred megabytes in one turn, and every other call waited for
 * them. Past a bound for the turn a connection rests after its next read. Those that rest go on in later turns, the keys in turn, and one
 * connection of a key after the other.
 */

/** Of all counted reads of a turn, some 0.3 ms of work. */
export const turnBytesMax = 512 * 1024;
/** Connections that go on in one turn. */
const goingOnMax = 8;

/** A connection of which nothing is read until its turn comes. */
export interface Resting {
  /** Whose calls it carries. */
  readonly keyId: string;
  readOn(): void;
}

/** Runs a task once this turn of the event loop is over; given in tests. */
type AtTurnsEnd = (task: () => void) => unknown;

export class ReadingTurns {
  readonly #atTurnsEnd: AtTurnsEnd;
  /** What rests, by key; the key whose turn is next comes first. */
  readonly #resting = new Map<string, Resting[]>();
  #turnBytes = 0;
  #isDue = false;

  constructor(atTurnsEnd: AtTurnsEnd = setImmediate) {
    this.#atTurnsEnd = atTurnsEnd;
  }

  /** Counts a read of this connection; true: the turn has read enough, and the connection rests until its `readOn` is called. */
  restsAfter(connection: Resting, bytes: number): boolean {
    this.#turnBytes += bytes;
    this.#endTurnSoon();
    if (this.#turnBytes <= turnBytesMax) return false;
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
    this.#atTurnsEnd(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isDue = false;
    this.#turnBytes = 0;
    const goOn = this.#takeNext();
    if (this.#resting.size > 0) this.#endTurnSoon();
    for (const connection of goOn) connection.readOn();
  };

  /** One of each key, again and again, until there are enough. */
  #takeNext(): Resting[] {
    const next: Resting[] = [];
    for (const [keyId, connections] of this.#resting) {
      if (next.length === goingOnMax) break;
      next.push(connections.shift()!);
      // To the end of the map, which is still to be walked.
      this.#resting.delete(keyId);
      if (connections.length > 0) this.#resting.set(keyId, connections);
    }
    return next;
  }
}

/** Of this thread: its connections share one event loop. */
export const readingTurns = new ReadingTurns();
