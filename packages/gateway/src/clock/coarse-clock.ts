/**
 * The clock that connections are watched by: one timer for all of them, that looks at each a few times within the shortest of its limits.
 * A call thereby sets no timer and reads no clock; it notes what this one says. Milliseconds, monotonic.
 */

/** Something with limits of time. */
export interface Watched {
  /** Called once for every tick. */
  look(): void;
}

/** A clock that measures the silence of peers fairly: it hardly advances while this process has no time to read. */
export interface SilenceClock {
  readonly awakeMs: number;
  watch(one: Watched): void;
  forget(one: Watched): void;
}

/**
 * A look may serve a request or end a connection, and thousands may be due at once. Those of a turn of the event loop take about so long together;
 * the others follow in the next turns, behind what came meanwhile.
 */
const looksMs = 1;
/** Looks between two readings of the clock: most take less than reading it. */
const looksAtOnce = 8;
const shortestTickMs = 5;
const longestTickMs = 500;

export class CoarseClock implements SilenceClock {
  readonly tickMs: number;
  readonly #watched = new Set<Watched>();
  readonly #monotonicMs: () => number;
  #nowMs: number;
  #awakeMs = 0;
  readonly #inNextTurn: (task: () => void) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    tickMs: number, monotonicMs: () => number = () => performance.now(),
    // Without `unref`: the loop would sleep before it, and the rest of a tick would stand still on a quiet node. A process lives only for that rest.
    inNextTurn: (task: () => void) => void = (task) => void setImmediate(task),
  ) {
    this.tickMs = tickMs;
    this.#monotonicMs = monotonicMs;
    this.#inNextTurn = inNextTurn;
    this.#nowMs = monotonicMs();
  }

  /** The time of the last tick: late by a tick, or by as long as this process had no time. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /**
   * For the silence of peers. It advances by at most two ticks at a time: bytes that a peer sent while this process had no time were not read
   * yet, so that time is not silence. The start of something is noted at most a tick too early.
   */
  get awakeMs(): number {
    return this.#awakeMs;
  }

  watch(one: Watched): void {
    this.#watched.add(one);
    if (this.#timer !== null) return;
    this.#nowMs = this.#monotonicMs();
    this.#timer = setTimeout(this.#tick, this.tickMs).unref();
  }

  forget(one: Watched): void {
    this.#watched.delete(one);
  }

  readonly #tick = (): void => {
    const nowMs = this.#monotonicMs();
    this.#awakeMs += Math.min(nowMs - this.#nowMs, 2 * this.tickMs);
    this.#nowMs = nowMs;
    this.#lookAtSome(this.#watched.values(), this.#watched.size);
  };

  /** Looks at the next `count` of them. Those that are added meanwhile wait for the next tick. */
  #lookAtSome(rest: SetIterator<Watched>, count: number): void {
    const beganMs = this.#monotonicMs();
    for (let looked = 1; looked <= count; looked += 1) {
      const { done, value } = rest.next();
      if (done === true) break;
      value.look();
      if (looked % looksAtOnce === 0 && this.#monotonicMs() - beganMs >= looksMs) {
        return this.#inNextTurn(() => this.#lookAtSome(rest, count - looked));
      }
    }
    this.#timer = this.#watched.size === 0 ? null : setTimeout(this.#tick, this.tickMs).unref();
  }
}

const clocks = new Map<number, CoarseClock>();

/** The clock for limits of which this is the shortest. Limits of about the same length share a clock. */
export function clockFor(shortestMs: number): CoarseClock {
  const tickMs = Math.min(longestTickMs, Math.max(shortestTickMs, 2 ** Math.floor(Math.log2(shortestMs / 8))));
  let clock = clocks.get(tickMs);
  if (clock === undefined) clocks.set(tickMs, clock = new CoarseClock(tickMs));
  return clock;
}
