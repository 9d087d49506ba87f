/**
 * Whether a request body arrives too slowly to wait for (rule 8a): nothing for a minute, or less than 1 KiB a second over a minute.
 * Time in which the gateway itself did not read does not count. It is checked from time to time, so that a normal body costs nothing.
 */

const minuteMs = 60_000;
const leastBytesAMinute = 60 * 1024;

export class BodyPace {
  #markedAtMs: number | null = null;
  #markedBytes = 0;
  #movedAtMs = 0;
  #lastBytes = 0;

  /** True once a body that has brought `bytes` by `nowMs` (monotonic) was found too slow. */
  isLate(bytes: number, nowMs: number): boolean {
    const begins = this.#markedAtMs === null;
    if (begins || bytes !== this.#lastBytes) {
      this.#lastBytes = bytes;
      this.#movedAtMs = nowMs;
    }
    if (nowMs - this.#movedAtMs >= minuteMs) return true;
    if (!begins && nowMs - this.#markedAtMs! < minuteMs) return false;
    if (!begins && bytes - this.#markedBytes < leastBytesAMinute) return true;
    this.#markedAtMs = nowMs;
    this.#markedBytes = bytes;
    return false;
  }

  /** The delay is not the sender's: time starts again at the next check. */
  restart(): void {
    this.#markedAtMs = null;
  }
}
