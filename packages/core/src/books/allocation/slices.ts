/** Long work of an allocation, in slices. */

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
