/**
 * Which labels of a month are kept once it has very many sets of them: callers choose labels, and some give each call its own. Those that somebody
 * asks for always are; of the others those that most calls have. Decision 325.
 */

/** Stands for the labels that were left out of a line. */
export const labelsLeftOut = 'Labels that no rule of allocation or budget asks for are left out here: the month has too many sets of labels.';

/** How many are kept of what nobody asks for, each time that there are too many. */
const keptMaxes = [1_000, 100, 10, 0] as const;

export class KeptLabels {
  readonly #isAsked: (label: string) => boolean;
  /** Calls by label, as long as nobody asks for it. */
  #calls = new Map<string, number>();
  /** Null: all. */
  #kept: ReadonlySet<string> | null = null;
  #reductions = 0;

  constructor(isAsked: (label: string) => boolean) {
    this.#isAsked = isAsked;
  }

  /** Labels that are counted; those that are asked for are not among them. */
  get counted(): number {
    return this.#calls.size;
  }

  /** No fewer can be kept. */
  get isLeast(): boolean {
    return this.#reductions === keptMaxes.length;
  }

  /** Those of a call, in their order; with `labelsLeftOut` in the place of those that are not kept. */
  ofCall(labels: readonly string[]): readonly string[] {
    const kept = this.ofLine(labels);
    for (const label of kept) {
      const calls = this.#calls.get(label);
      if (calls !== undefined) this.#calls.set(label, calls + 1);
      else if (label !== labelsLeftOut && !this.#isAsked(label)) this.#calls.set(label, 1);
    }
    return kept;
  }

  /** The same without counting a call. */
  ofLine(labels: readonly string[]): readonly string[] {
    const kept = this.#kept;
    if (kept === null || labels.every((label) => kept.has(label))) return labels;
    const left = labels.filter((label) => kept.has(label) || this.#isAsked(label));
    if (left.length === labels.length) return labels;
    // Whoever asks for every label has every label.
    return this.#isAsked(labelsLeftOut) ? left : [...left.filter((label) => label !== labelsLeftOut), labelsLeftOut].sort();
  }

  /** Keeps fewer from now on. */
  reduce(): void {
    const counts = [...this.#calls].filter(([, calls]) => calls > 1);
    const most = counts.sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, keptMaxes[this.#reductions]);
    this.#reductions += 1;
    this.#calls = new Map(most);
    this.#kept = new Set(this.#calls.keys());
  }
}
