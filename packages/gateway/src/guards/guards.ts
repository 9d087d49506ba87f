/**
 * Limits, caps and runs of one node: a call is decided on values in memory, in one synchronous step, and takes something only if
 * everything admits it (rules: Decide, then take). When a call ends, what it took is corrected. Order (rule 1): unmetered work, rate
 * limit, then caps, then the run; a known refusal goes before one for lack of confirmation. The rules are in core (rate, spend, run); here they are
 * applied to the node's state.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { header } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import { UntoldCalls } from '@metergate/core/record/untold-calls.ts';
import { rateOutcomeOf, reportedTokens } from '@metergate/core/rate/four-buckets.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { decideCaps, scopeText, tightest, type CapRefusal } from '@metergate/core/spend/cap-decision.ts';
import { addCall } from '@metergate/core/spend/spend-sum.ts';
import type { UnmeteredWork } from '@metergate/core/usage/unmetered.ts';
import type { RunBeginning } from '@metergate/store/journal/run-event.ts';
import type { Clock } from '../clock/clock.ts';
import type { HeldKey } from './held-key.ts';
import type { RunCall, RunDecision, Runs } from './runs.ts';
import type { Bounds, CappedSubject } from './capped-subjects.ts';
import type { LeasedCall, LeasedSubject } from './spend-leases.ts';
import type { NodeLeases } from './leases-by-cell.ts';

/** What the guards see of a call, and what they keep with it. */
export interface GuardedCall {
  readonly held: HeldKey;
  /** Tokens that it is assumed to need (spec: Limits 4). */
  readonly estimate: number;
  /** Its part in a run; null: it belongs to none. */
  readonly runCall: RunCall | null;
  /** Work that its organization may refuse (rule 6c); null: it is metered, or all of it is allowed. Set again when the body has come. */
  unmetered: UnmeteredWork | null;
  readonly labels: readonly string[];
  /** What it is counted under from the moment it took from its limits until it is settled; else null. Changed here alone. */
  taken: TakenCall | null;
}

/** What a call is counted under: on a shared store its leased subjects, and the people and labels among them that have caps. */
interface TakenCall {
  readonly subjects: readonly LeasedSubject[];
  readonly capped: readonly CappedSubject[];
}

/** On an embedded store, of a call that no cap of a person or a label binds. */
const plainlyTaken: TakenCall = Object.freeze({ subjects: [], capped: [] });

const runUnconfirmed = Object.freeze({ kind: 'run_unconfirmed' } as const);

type HeldByGuards = ReturnType<Runs['held']> & ReturnType<NodeLeases['held']>;

export class Guards {
  readonly #clock: Clock;
  readonly #runs: Runs;
  readonly #leases: NodeLeases | null;
  readonly #untold = new UntoldCalls();

  /** `leases`: null if the store is embedded. */
  constructor(clock: Clock, runs: Runs, leases: NodeLeases | null = null) {
    this.#leases = leases;
    this.#clock = clock;
    this.#runs = runs;
  }

  /** What is held for calls now: their parts in runs, their questions, and their leases. */
  held(): HeldByGuards {
    return { ...this.#runs.held(), ...(this.#leases?.held() ?? { lease_waits: 0, leased_calls: 0 }) };
  }

  /** Null: admitted. Takes nothing. It may end a run; the answer then waits for `whenJournalled`. */
  decide(call: GuardedCall): RunDecision {
    const { held: { standing }, estimate, runCall, unmetered } = call;
    if (unmetered !== null && this.#refuses(unmetered, call)) return { kind: 'unmetered_work_refused', work: unmetered };
    const rate = standing.rate.decide(estimate, this.#clock.monotonicMs());
    if (rate !== null) return { kind: 'rate_limited', retryAfterSeconds: rate.retryAfterSeconds };
    const bounds = boundsOf(call);
    if (runCall === null && bounds.binding.length === 0) return null;
    const nowMs = this.#clock.wallMs();
    const caps = this.#decideCaps(bounds, nowMs);
    if (runCall === null || caps?.kind === 'cap_reached') return caps;
    const run = this.#runs.decide(runCall, nowMs);
    // What cannot be confirmed goes behind a known refusal, and before a question to the store.
    if (run !== null) return run.kind === 'run_unseen' ? caps ?? run : run;
    if (caps !== null) return caps;
    return this.#leases === null || this.#leases.confirmsRun(runCall.run!) ? null : runUnconfirmed;
  }

  /** Before the rate limit: it would be refused at any time. */
  #refuses({ rule }: UnmeteredWork, call: GuardedCall): boolean {
    const { runCall } = call;
    return rule === 'refuse' || boundsOf(call).binding.length > 0 || (runCall !== null && this.#runs.isBudgeted(runCall));
  }

  /** Whether too many answers to calls of the key, or of its person's keys, did not report their usage in this hour (rule 6c). */
  isUntold({ key }: Pick<HeldKey, 'key'>): boolean {
    return this.#untold.isFull(key, this.#clock.wallMs());
  }

  /** Whether the store may be asked for what the decision lacks; the call is then decided again. */
  mayAsk(decision: NonNullable<RunDecision>): boolean {
    if (decision.kind === 'run_unseen') return true;
    return this.#leases !== null && (decision.kind === 'cap_unconfirmed' || decision.kind === 'run_unconfirmed');
  }

  /**
   * Asks for everything that a call lacks (see `mayAsk`): its unseen run and, on a shared store, its leases, within `withinMs`.
   * `answered` runs once; null: decide again, and if something is still lacking, ask again only if `again`. If the run cannot be
   * confirmed, a refusal by the caps goes first.
   */
  ask(call: GuardedCall, withinMs: number, answered: (refusal: Refusal | null, again: boolean) => void): void {
    const { runCall } = call;
    const tell = (refusal: Refusal | null, again: boolean): void =>
      answered(refusal?.kind === 'run_unconfirmed' ? this.#decideCaps(boundsOf(call), this.#clock.wallMs()) ?? refusal : refusal, again);
    if (this.#leases === null) return this.#runs.ask(runCall!, (refusal) => tell(refusal, true));
    const unseen = runCall !== null && this.#runs.isUnseen(runCall);
    let waits = unseen ? 2 : 1;
    let refused: Refusal | null = null;
    // A run that was found needs a lease too.
    let mayAgain = unseen;
    const one = (refusal: Refusal | null, again: boolean): void => {
      refused ??= refusal;
      mayAgain ||= again;
      waits -= 1;
      if (waits === 0) tell(refused, mayAgain);
    };
    if (unseen) this.#runs.ask(runCall, (refusal) => one(refusal, refusal === null));
    this.#leases.ask(boundsOf(call).leases, unseen ? null : runCall?.run ?? null, { withinMs, answered: (again) => one(null, again) });
  }

  /** The refusal of the caps that bind a call at `nowMs`; null: none. */
  #decideCaps({ binding, leases }: Bounds, nowMs: number): CapRefusal | null {
    if (leases.length > 0) this.#leases!.confirm(leases);
    return binding.length === 0 ? null : decideCaps(binding, nowMs);
  }

  /** Runs `tell` once the facts behind a refusal are journalled. */
  whenJournalled({ runCall }: GuardedCall, tell: (error: Error | null) => void): void {
    if (runCall === null) tell(null);
    else this.#runs.whenEnded(runCall, tell);
  }

  /** Takes what `decide` admitted, in the same turn. */
  take(call: GuardedCall): void {
    const taken = takenOf(call);
    call.taken = taken;
    call.held.standing.rate.take(call.estimate);
    if (call.runCall !== null) this.#runs.take(call.runCall);
    this.#leases?.taken(leasedCallOf(call, taken));
  }

  /** What the call's opening says about its run; null: nothing. */
  beginningOf({ runCall }: GuardedCall): RunBeginning | null {
    return runCall === null ? null : this.#runs.beginningOf(runCall);
  }

  /** The call's opening is in the journal. */
  opened({ runCall }: GuardedCall): void {
    if (runCall !== null) this.#runs.opened(runCall);
  }

  /** A call has ended: its rate is corrected, its cost added. Happens once; repeating it changes nothing. */
  settle(call: GuardedCall, record: CallRecord): void {
    const { taken } = call;
    if (taken === null) return;
    call.taken = null;
    const { standing, key } = call.held;
    standing.rate.reconcile({
      estimate: call.estimate,
      reported: record.usage === 'reported' ? reportedTokens({ input: record.inputTokens, output: record.outputTokens }) : null,
      outcome: rateOutcomeOf(record.status),
    }, this.#clock.monotonicMs());
    this.#untold.ended(key, record, this.#clock.wallMs());
    addCall(standing.organization.sums, record.startedAtMs, record.cost);
    addCall(standing.sums, record.startedAtMs, record.cost);
    for (const { sums } of taken.capped) addCall(sums, record.startedAtMs, record.cost);
    if (call.runCall !== null) this.#runs.settle(call.runCall, record);
    this.#leases?.settled(leasedCallOf(call, taken), record);
  }

  /** The call is not forwarded after all: what it took is given back, and the run it asked for is left. */
  giveBack(call: GuardedCall): void {
    const { taken } = call;
    call.taken = null;
    if (taken !== null) {
      call.held.standing.rate.giveBack(call.estimate, this.#clock.monotonicMs());
      this.#leases?.givenBack(leasedCallOf(call, taken));
    }
    if (call.runCall !== null) this.#runs.leave(call.runCall, taken !== null);
  }

  /** True if an armed cap or a run budget covers the call: it is drained longer if its caller leaves (rule 8). */
  covers(call: GuardedCall): boolean {
    return boundsOf(call).binding.length > 0 || (call.runCall?.run?.run.effective ?? null) !== null;
  }

  /** Adds the budget headers of a 200 (spec: Common response headers; rules 11 and 12). */
  addBudgetHeaders(call: GuardedCall, pairs: string[]): void {
    const { binding } = boundsOf(call);
    const run = call.runCall?.run?.run ?? null;
    const effective = run?.effective ?? null;
    if (binding.length === 0 && effective === null) return;
    const runLeft = run === null || effective === null ? null : nanoDollars(effective - run.spent);
    const bound = tightest(binding, runLeft, this.#clock.wallMs());
    if (bound === 'run') pairs.push(header.budgetScope, 'run', header.budgetWindow, 'run');
    else if (bound !== null) pairs.push(header.budgetScope, scopeText(bound.cap), header.budgetWindow, bound.cap.window);
    if (effective !== null) pairs.push(header.runBudgetEffective, formatDollars(effective, 6));
    if (run !== null && run.clampReason !== null) pairs.push(header.runClampReason, run.clampReason);
  }
}

/** What binds a call: without a label that has caps, what binds all calls of its key. */
function boundsOf({ held: { standing }, labels }: GuardedCall): Bounds {
  return labels.length === 0 || standing.organization.capped.labels === 0 ? standing : standing.organization.capped.boundsWith(standing, labels);
}

function takenOf({ held: { standing }, labels }: GuardedCall): TakenCall {
  const { person, subjects, organization: { capped: all } } = standing;
  const counted: readonly CappedSubject[] = labels.length === 0 || all.labels === 0 ? [] : all.counted(labels);
  if (person === null && counted.length === 0) return subjects.length === 0 ? plainlyTaken : { subjects, capped: [] };
  const capped = person === null ? counted : [person, ...counted];
  return { subjects: subjects.length === 0 ? subjects : [...subjects, ...capped.flatMap(({ leased }) => leased ?? [])], capped };
}

function leasedCallOf(call: GuardedCall, { subjects }: TakenCall): LeasedCall {
  return { subjects, leases: boundsOf(call).leases, held: call.runCall?.run ?? null };
}
