/**
 * Which runs a node may begin without asking: those that never were, on a store that is its own and takes its journal. On a shared
 * store, before all runs are known, and while the store is away, that is none (rules: The path of a call; rule 3b).
 */
import { mayKnowRun, noteRun, type KnownRuns } from '@metergate/core/run/known-runs.ts';
import type { FromStore } from './protocol.ts';

interface NamedRun {
  readonly organization: string;
  readonly id: string;
}

/** A store that has not said for so long that it takes what it is given, which it says five times a second, is away. */
const awayMs = 1_000;

export class OwnRuns {
  readonly #clock: () => number;
  /** Null: not known, or not the node's own. */
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

  /** The store has it, or is about to. */
  note(run: NamedRun): void {
    if (this.#known !== null) noteRun(this.#known, run);
  }

  /** True: nobody has such a run, and this node does from now on. */
  claim(run: NamedRun): boolean {
    if (this.#known === null || this.#clock() - this.#keptMs > awayMs || mayKnowRun(this.#known, run)) return false;
    noteRun(this.#known, run);
    return true;
  }
}
