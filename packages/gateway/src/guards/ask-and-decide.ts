/**
 * A call that lacks something → asks the store for it and decides again, as often as an answer gives reason to, within 250 ms in all
 * (rules: The path of a call). A question that is not answered in time changes nothing: what was lacking is still lacking.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import type { Clock } from '../clock/clock.ts';
import type { GuardedCall, Guards } from './guards.ts';
import type { RunDecision } from './runs.ts';

/** What happens to the call: exactly one of these, once. */
interface Decided {
  /** Whether the caller still waits for the answer; asked before each decision but the first. */
  readonly isWanted: () => boolean;
  /** The call must be taken in this same turn. */
  readonly admitted: () => void;
  readonly refused: (refusal: Refusal) => void;
  /** The caller no longer waits. */
  readonly left: () => void;
  /** One of these callbacks or a decision threw. */
  readonly broke: (cause: unknown) => void;
}

/** How long a call may wait for the store in total. */
const askMs = 250;

/** `decision`: the decision just made on the call, which is not admitted. */
export function askAndDecide(
  { guards, clock }: { readonly guards: Guards; readonly clock: Clock }, call: GuardedCall, decision: NonNullable<RunDecision>, decided: Decided,
): void {
  const untilMs = clock.monotonicMs() + askMs;
  const go = (lacking: NonNullable<RunDecision>, mayAsk: boolean): void => {
    const leftMs = untilMs - clock.monotonicMs();
    if (!mayAsk || leftMs <= 0 || !guards.mayAsk(lacking)) {
      return decided.refused(lacking.kind === 'run_unseen' ? { kind: 'run_unconfirmed' } : lacking);
    }
    guards.ask(call, leftMs, (refusal, again) => {
      try {
        if (!decided.isWanted()) return decided.left();
        if (refusal !== null) return decided.refused(refusal);
        const next = guards.decide(call);
        if (next === null) decided.admitted();
        else go(next, again);
      } catch (cause) {
        decided.broke(cause);
      }
    });
  };
  go(decision, true);
}
