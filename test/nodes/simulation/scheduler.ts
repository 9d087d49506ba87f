/**
 * The simulation's time and chance: events in the order of their moments, and numbers from one seed. The same seed gives the
 * same order of everything; the trace, a running hash of what happened, shows it.
 */

/** A small generator of 32-bit numbers (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Whole, from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

export class Scheduler {
  readonly #heap: Event[] = [];
  #order = 0;
  #trace = 0x811c9dc5;
  nowMs = 0;

  after(delayMs: number, run: () => void): void {
    const event: Event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#order, run };
    this.#order += 1;
    this.#heap.push(event);
    this.#up(this.#heap.length - 1);
  }

  /** Runs the next event; false where there is none. */
  step(): boolean {
    const next = this.#heap[0];
    if (next === undefined) return false;
    const last = this.#heap.pop()!;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down(0);
    }
    this.nowMs = next.atMs;
    next.run();
    return true;
  }

  /** Adds to the trace. */
  note(what: string): void {
    const text = `${this.nowMs} ${what}`;
    for (let at = 0; at < text.length; at += 1) this.#trace = Math.imul(this.#trace ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }

  get trace(): string {
    return this.#trace.toString(16).padStart(8, '0');
  }

  #up(index: number): void {
    for (let child = index; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #down(index: number): void {
    for (let parent = index; ;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) if (child < this.#heap.length && this.#before(child, least)) least = child;
      if (least === parent) return;
      this.#swap(parent, least);
      parent = least;
    }
  }

  #before(one: number, other: number): boolean {
    const [first, second] = [this.#heap[one]!, this.#heap[other]!];
    return first.atMs < second.atMs || (first.atMs === second.atMs && first.order < second.order);
  }

  #swap(one: number, other: number): void {
    [this.#heap[one], this.#heap[other]] = [this.#heap[other]!, this.#heap[one]!];
  }
}
