/**
 * What a node reads of bodies that come behind refusals. Each is read on so that its caller finds the refusal (decision 105), which costs the thread
 * that forwards calls a little for every byte. So they have two budgets that fill up again: those whose key is known have one together, and those
 * of strangers the other. Where it is used up, a connection is closed behind the first of its bytes, as most servers close theirs at once.
 */

/** What a connection may always send, bytes. */
export const ownBytesMax = 1024 * 1024;
/** What all of one budget may send beyond that: at once, and for each second from then on. 64 MiB take the thread 15 to 30 ms. */
export const budgetBytesMax = 128 * 1024 * 1024;
export const budgetBytesPerSecond = 16 * 1024 * 1024;

export class BytesBehindRefusals {
  readonly #monotonicMs: () => number;
  #bytes = budgetBytesMax;
  #atMs: number;

  /** `monotonicMs`: given in tests. */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
    this.#atMs = monotonicMs();
  }

  /** So many bytes came, and `before` of the same body before them. False: no more of it is to be read. */
  came(bytes: number, before: number): boolean {
    if (before + bytes <= ownBytesMax) return true;
    const nowMs = this.#monotonicMs();
    this.#bytes = Math.min(budgetBytesMax, this.#bytes + (nowMs - this.#atMs) / 1_000 * budgetBytesPerSecond);
    this.#atMs = nowMs;
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

const [ofKnownKeys, ofStrangers] = [new BytesBehindRefusals(), new BytesBehindRefusals()];
const strangers = new WeakSet<object>();

/** This request is refused before its key is known. */
export function noteStranger(request: object): void {
  strangers.add(request);
}

/** What counts the body of a refused request, of this thread. */
export function budgetBehind(request: object): BytesBehindRefusals {
  return strangers.has(request) ? ofStrangers : ofKnownKeys;
}
