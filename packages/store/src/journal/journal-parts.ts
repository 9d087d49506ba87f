/**
 * A journal whose rows go to several cells (decision 210): each cell has a shipper, which takes the rows of its organizations, keeps its
 * own mark of each segment in its cell, and waits for nobody. A segment goes when the last of them is through with it.
 */

/** What one shipper has of the journal. */
export interface JournalPart {
  /** Whether rows of an organization are its; null: all are, since nobody else has a part. */
  readonly takes: () => ((organization: string) => boolean) | null;
  /** Its cell has all of its rows of a sealed segment. True: so have all others, and the segment may go. */
  readonly finish: (path: string) => boolean;
}

export class JournalParts {
  readonly #cellOf: (organization: string) => number;
  readonly #cells = new Set<number>();
  /** By segment that is still here: the cells that have shipped all of it. */
  readonly #finished = new Map<string, Set<number>>();

  /** `cellOf`: the cell of an organization, for good. */
  constructor(cellOf: (organization: string) => number) {
    this.#cellOf = cellOf;
  }

  /** The part of one cell. From now on no segment goes before it is through with it. */
  of(cell: number): JournalPart {
    this.#cells.add(cell);
    const isOf = (organization: string): boolean => this.#cellOf(organization) === cell;
    return {
      takes: () => (this.#cells.size === 1 ? null : isOf),
      finish: (path) => this.#finish(path, cell),
    };
  }

  #finish(path: string, cell: number): boolean {
    const through = this.#finished.get(path) ?? new Set<number>();
    this.#finished.set(path, through.add(cell));
    const whole = [...this.#cells].every((each) => through.has(each));
    if (whole) this.#finished.delete(path);
    return whole;
  }
}
