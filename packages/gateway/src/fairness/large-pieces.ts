/**
 * What large pieces of bodies leave behind. The bytes of each are outside of the heap, and a small object in the heap stands for them. V8 collects
 * young objects when their room is full, which is after thousands of pieces, and it collects the whole heap once 64 MiB outside of it came
 * since it last did so. So large bodies made it collect the whole heap, ten times a second, and every call waited for that. Here the young are
 * collected before: most pieces have left by then, and it takes a tenth of the time. Decision 116.
 */
import { collect } from '@metergate/store/threads/collector.ts';

/** Smaller pieces are mostly parts of one larger buffer, and are many before they are much. */
export const largeBytesMin = 16 * 1024;
/** Between two collections. A piece is mostly copied once more, and those that have not left stay: V8's own bound is twice as much. */
export const collectedBytesMin = 32 * 1024 * 1024;

/** What it depends on; given in tests. */
interface LargePiecesRuntime {
  /** Runs a task once this turn of the event loop is over: nothing that is being read is collected for. */
  readonly atTurnsEnd: (task: () => void) => unknown;
  readonly collectYoung: () => void;
}

const byThisThread: LargePiecesRuntime = { atTurnsEnd: setImmediate, collectYoung: () => collect('young') };

export class LargePieces {
  readonly #by: LargePiecesRuntime;
  /** Since the last collection. */
  #bytes = 0;

  constructor(by: LargePiecesRuntime = byThisThread) {
    this.#by = by;
  }

  /** So many bytes of a body came in at once. */
  came(bytes: number): void {
    if (bytes < largeBytesMin) return;
    const isDue = this.#bytes < collectedBytesMin;
    this.#bytes += bytes;
    if (isDue && this.#bytes >= collectedBytesMin) this.#by.atTurnsEnd(this.#collect);
  }

  readonly #collect = (): void => {
    this.#bytes = 0;
    this.#by.collectYoung();
  };
}

/** Of this thread. */
export const largePieces = new LargePieces();
