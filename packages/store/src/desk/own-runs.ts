/**
 * Which runs a node may begin without asking: those that never existed, on an embedded store that takes its journal. On a shared
 * store, before all runs are known, and while the store is away, there are none (rules: The path of a call; rule 3b).
 */
import { mayKnowRun, noteRun, type KnownRuns } from '@metergate/core/run/known-runs.ts';
import type { FromStore } from './protocol.ts';

interface NamedRun {
  readonly organization: string;
  readonly id: string;
}

/** The store reports at least twice a second that it takes the journal. Without such a report for this long, it counts as away. */
const awayMs = 1_300;

export class OwnRuns {
  readonly #clock: () => number;
  /** Null: not known, or the store is shared. */
  #known: KnownRuns | null = null;
  #keptMs = -Infinity;

  /** `clock`: milliseconds, never steps back. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Takes every message of the store, and ignores unrelated ones. */
  receive(message: FromStore): void {
    if (message.kind === 'known_runs') this.#known = message.known;
    else if (message.kind === 'kept') this.#keptMs = this.#clock();
    else if (message.kind === 'run' && message.answer.kind === 'run') this.note(message.answer.run);
  }

  /** The store has the run, or will have it in a moment. */
  note(run: NamedRun): void {
    if (this.#known !== null) noteRun(this.#known, run);
  }

  /** Whether it certainly never existed. */
  isNew(run: NamedRun): boolean {
    return this.#known !== null && !mayKnowRun(this.#known, run);
  }

  /** True: the run existed nowhere, and belongs to this node from now on. */
  claim(run: NamedRun): boolean {
    return this.#known !== null && this.#clock() - this.#keptMs <= awayMs && noteRun(this.#known, run);
  }
}
