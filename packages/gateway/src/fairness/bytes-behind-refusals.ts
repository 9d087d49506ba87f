/**
 * What a node reads of bodies that come behind refusals. Each is read on so that its caller finds the refusal (decision 105), which costs the thread
 * that forwards calls a little for every byte. So all of them together have a budget that fills up again, and where it is used up a connection is
 * closed behind the first of its bytes, as most servers close theirs at once.
 */

/** What a connection may always send, bytes. */
export const ownBytesMax = 1024 * 1024;
/** What all may send beyond that: at once, and for each second from then on. 64 MiB take the thread 15 to 30 ms. */
export const budgetBytesMax = 256 * 1024 * 1024;
export const budgetBytesPerSecond = 32 * 1024 * 1024;

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

/** Of this thread. */
export const bytesBehindRefusals = new BytesBehindRefusals();
