/** The ends and tightenings of runs that begin on this node, in its journal before any answer shows them. Spec: Run; rules: Decide, then take. */
import type { NanoDollars } from '@metergate/core/money.ts';
import { tightenedTo, type EndedState, type Run } from '@metergate/core/run/run.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import type { RunBeginning } from '@metergate/store/journal/run-event.ts';
import type { Clock } from '../clock/clock.ts';
import type { HeldRun } from './run-registry.ts';

export class WrittenRuns {
  readonly #journal: Pick<Journal, 'endRun' | 'tightenRun'>;
  readonly #clock: Clock;

  constructor(journal: Pick<Journal, 'endRun' | 'tightenRun'>, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Writes the end of a run that has ended; `endWaiters` learn of it. */
  end(held: HeldRun): void {
    this.tightening(held);
    const { organization, id, state, endedAtMs } = held.run;
    held.endWaiters = [];
    this.#journal.endRun({ organization, run: id, state: state as EndedState, atMs: endedAtMs!, ...begunBy(held) }, (error) => {
      const waiters = held.endWaiters ?? [];
      held.endWaiters = null;
      held.endUnwritten = error !== null;
      for (const waiter of waiters) waiter(error);
    });
  }

  /** Lowers the run's budget; `tightening` writes it. */
  tighten(held: HeldRun, budget: NanoDollars): void {
    const tightened = tightenedTo(held.run, budget);
    if (tightened === held.run) return;
    held.run = tightened;
    held.tighteningUnwritten = true;
  }

  /** Written in this turn's transaction, together with the call's opening or the run's end, so the answer comes after it. Nothing if none is due. */
  tightening(held: HeldRun): void {
    if (!held.tighteningUnwritten) return;
    const { organization, id, declared, effective, clampReason } = held.run;
    held.tighteningUnwritten = false;
    this.#journal.tightenRun({ organization, run: id, declared, effective, clampReason, atMs: this.#clock.wallMs(), ...begunBy(held) }, (error) => {
      if (error !== null) held.tighteningUnwritten = true;
    });
  }
}

/** What a row about a run says about its beginning. */
function begunBy({ begun, run }: HeldRun): { readonly begun?: RunBeginning } {
  return begun ? { begun: beginningOf(run) } : {};
}

/** The beginning of a run as the journal keeps it. */
export function beginningOf({ organization, id, declared, effective, clampReason, startedAtMs, expiresAtMs }: Run): RunBeginning {
  return { organization, run: id, declared, effective, clampReason, startedAtMs, expiresAtMs };
}
