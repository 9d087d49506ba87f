/** Long work of books, in slices. */

/** Work in slices of some milliseconds: it yields after each, and others may work meanwhile. */
export type Slicewise<Result> = Generator<void, Result, void>;

/** Lines, names, figures and amounts of a slice: some milliseconds. */
const sliceMax = 2_000;

/** Counts work. */
export class Slices {
  #done = 0;

  /** Whether a slice is over, `done` more having been worked at. */
  isOver(done: number): boolean {
    if ((this.#done += done) < sliceMax) return false;
    this.#done = 0;
    return true;
  }
}

/** How many are sorted at once. */
const runMax = 1_000;

/** The values by their names, ascending; names differ. */
export function* sortedByName<Value>(named: ReadonlyMap<string, Value>, slices: Slices): Slicewise<Value[]> {
  const names = [...named.keys()];
  let runs: string[][] = [];
  for (let at = 0; at < names.length; at += runMax) {
    const run = names.slice(at, at + runMax).sort();
    runs.push(run);
    if (slices.isOver(run.length)) yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [one, other] = [runs[at]!, runs[at + 1]];
      merged.push(other === undefined ? one : yield* mergedRuns(one, other, slices));
    }
    runs = merged;
  }
  return (runs[0] ?? []).map((name) => named.get(name)!);
}

function* mergedRuns(one: readonly string[], other: readonly string[], slices: Slices): Slicewise<string[]> {
  const merged: string[] = [];
  for (let [a, b] = [0, 0]; a < one.length || b < other.length;) {
    merged.push(b === other.length || (a < one.length && one[a]! < other[b]!) ? one[a++]! : other[b++]!);
    if (slices.isOver(1)) yield;
  }
  return merged;
}
