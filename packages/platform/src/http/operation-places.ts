/**
 * How many requests of an organization the platform works at. One thread answers all of them, mostly by short transactions one after the other. If
 * somebody asked thirty things at once, everybody else waited for all thirty. So an organization has a few places; what it asks beyond them waits, in
 * its order, and is begun in a later turn of the event loop, after what others asked meanwhile. A place is for work of this thread: who waits for
 * something else, such as the answer of another host, gives it up. Rule 8a; decision 119.
 */

/** Work that takes longer waits for something else. Milliseconds. */
export const placeMsMax = 250;

/** How turns and delays are counted; tests pass their own. */
interface OperationPlacesTiming {
  /** Runs a task once this turn of the event loop is over. */
  readonly atTurnsEnd: (task: () => void) => unknown;
  readonly after: (delayMs: number, task: () => void) => unknown;
}

const byThisThread: OperationPlacesTiming = { atTurnsEnd: setImmediate, after: (delayMs, task) => setTimeout(task, delayMs).unref() };

/** What one organization asks for. */
interface Asked {
  /** Places that are taken. */
  taken: number;
  /** What waits for one, in its order. */
  readonly waiting: (() => void)[];
}

export class OperationPlaces {
  readonly #placesMax: number;
  readonly #by: OperationPlacesTiming;
  /** The organizations that ask for something now. */
  readonly #asked = new Map<string, Asked>();

  /** @param placesMax of one organization. */
  constructor(placesMax: number, by: OperationPlacesTiming = byThisThread) {
    this.#placesMax = placesMax;
    this.#by = by;
  }

  /** Organizations with something under way or waiting. */
  get busy(): number {
    return this.#asked.size;
  }

  /** Runs `work` once the organization has a place for it; settles as it does. */
  async take<T>(organization: string, work: () => T | Promise<T>): Promise<T> {
    let asked = this.#asked.get(organization);
    if (asked === undefined) this.#asked.set(organization, asked = { taken: 0, waiting: [] });
    if (asked.taken < this.#placesMax && asked.waiting.length === 0) asked.taken += 1;
    else await this.#turnOf(asked);
    const leave = this.#leaving(organization, asked);
    this.#by.after(placeMsMax, leave);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #turnOf(asked: Asked): Promise<void> {
    return new Promise((resume) => { asked.waiting.push(resume); });
  }

  /** Gives a place up, once. */
  #leaving(organization: string, asked: Asked): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = asked.waiting.shift();
      // The place is handed on at once, and what has it begins later: nobody who comes meanwhile goes before.
      if (next !== undefined) this.#by.atTurnsEnd(next);
      else if ((asked.taken -= 1) === 0) this.#asked.delete(organization);
    };
  }
}
