/** What came of a request that is not whole yet. It counts against what all connections may keep, and is looked at until the moment is over. */
import type { SilenceClock, Watched } from '../clock/coarse-clock.ts';
import { ownCopy } from '../fairness/own-memory.ts';

/** What all connections share. */
export interface KeptRequests {
  /** For requests that are not whole yet. */
  readonly momentClock: SilenceClock;
  /** Bytes of requests that are not whole, or not served yet, on all connections. */
  keptBytes: number;
}

export class RequestPart implements Watched {
  readonly pieces: Buffer[] = [];
  bytes = 0;
  readonly #shared: KeptRequests;
  readonly #momentMs: number;
  readonly #late: () => void;
  readonly #sinceMs: number;

  /** @param late runs once it was not whole after `momentMs` */
  constructor(shared: KeptRequests, momentMs: number, late: () => void) {
    this.#shared = shared;
    this.#momentMs = momentMs;
    this.#late = late;
    this.#sinceMs = shared.momentClock.awakeMs;
    shared.momentClock.watch(this);
  }

  /** Keeps a copy of them, which it returns. */
  add(bytes: Buffer): Buffer {
    const copy = ownCopy(bytes);
    this.pieces.push(copy);
    this.bytes += bytes.length;
    this.#shared.keptBytes += bytes.length;
    return copy;
  }

  /** It is no longer kept. */
  release(): void {
    this.#shared.momentClock.forget(this);
    this.#shared.keptBytes -= this.bytes;
    this.bytes = 0;
  }

  look(): void {
    if (this.#shared.momentClock.awakeMs - this.#sinceMs >= this.#momentMs) this.#late();
  }
}
