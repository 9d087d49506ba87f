/**
 * Since when rows of a journal wait to be shipped. It is kept for each segment, so that a long pass over many of them is seen to make headway:
 * when the store is back after an hour, the figure falls with every segment, and not only at the end.
 */
export class ShipProgress {
  /** Milliseconds on a clock that never steps back. */
  readonly nowMs: () => number;
  /** By path: all that was due in the segment at this moment is in the store. */
  readonly #shippedMs = new Map<string, number>();
  /** When the segments were last listed. */
  #lookedMs: number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.#lookedMs = nowMs();
  }

  /** Lists the segments, the one that waits the longest first. One that the look before did not find holds nothing older than that look. */
  look(list: () => ReadonlySet<string>): string[] {
    const startedMs = this.nowMs();
    const paths = list();
    for (const path of this.#shippedMs.keys()) if (!paths.has(path)) this.#shippedMs.delete(path);
    for (const path of paths) if (!this.#shippedMs.has(path)) this.#shippedMs.set(path, this.#lookedMs);
    this.#lookedMs = startedMs;
    return [...paths].sort((one, other) => this.#shippedMs.get(one)! - this.#shippedMs.get(other)!);
  }

  /** The store has all that was due in the segment at `atMs`. */
  shipped(path: string, atMs: number): void {
    this.#shippedMs.set(path, atMs);
  }

  /** The store has all that was due in any segment at this moment. */
  get untilMs(): number {
    return Math.min(this.#lookedMs, ...this.#shippedMs.values());
  }
}
