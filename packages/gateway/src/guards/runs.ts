/**
 * Calls and their runs on one node: a call is judged by the state held here; the store is asked once for a run not seen before. Ends and
 * tightenings are journalled before any answer shows them (spec: Run; rules: Decide, then take; rules 12 to 15). While the store is
 * away, runs held here continue; others cannot be confirmed (503). If the store is embedded and a run never existed, nobody is asked: it
 * begins here, and is journalled in one row with the opening of its first call.
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { clampToExposure, policyBudget, type PolicyBudget } from '@metergate/core/run/clamp.ts';
import type { RunDeclaration } from '@metergate/core/run/declaration.ts';
import { grantBinds, type GrantPayload } from '@metergate/core/run/grant.ts';
import { afterCall, decideRun, expiryOf, tightenedTo, type EndedRun, type EndedState, type Run, type RunRefusal } from '@metergate/core/run/run.ts';
import { noLackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import type { RunBeginning } from '@metergate/store/journal/run-event.ts';
import type { FoundRun, RunAnswer } from '@metergate/store/runs/make-runs.ts';
import type { SpentBeside } from '@metergate/store/spend/spent-beside.ts';
import type { Clock } from '../clock/clock.ts';
import type { HeldKey } from './held-key.ts';
import { LateAnswers, runQuestion } from './late-answers.ts';
import type { HeldRun, RunRegistry } from './run-registry.ts';
import { beginningOf, WrittenRuns } from './written-runs.ts';

/** A call's part in a run. Changed by this directory alone. */
export interface RunCall {
  readonly held: HeldKey;
  readonly declaration: RunDeclaration;
  /** Verified, for this organization and run; null: the call carries none. */
  readonly grant: GrantPayload | null;
  /** Its run, once found. */
  run: HeldRun | null;
  /** The run it asked for, until it takes or leaves it. */
  asked: HeldRun | null;
}

/** Null: admitted. `run_unseen`: everything here admits the call, and the store must be asked. */
export type RunDecision = Refusal | { readonly kind: 'run_unseen' } | null;

export interface RunsOptions {
  readonly registry: RunRegistry;
  readonly journal: Pick<Journal, 'endRun' | 'tightenRun'>;
  readonly store: Pick<StoreClient, 'askRun' | 'claimRun' | 'confirmRun' | 'isNewRun'>;
  readonly clock: Clock;
}

/** Someone who waits for the answer to a question. */
interface Waiter {
  readonly call: RunCall;
  /** Why it makes no run; null: it may make one. */
  readonly unmade: Refusal | null;
  readonly answered: (refusal: Refusal | null) => void;
}

const unseen = Object.freeze({ kind: 'run_unseen' } as const);
const grantInvalid = Object.freeze({ kind: 'run_grant_invalid' } as const);
/** Pause between two walks over all live runs in search of expired ones. */
const sweepPauseMs = 1_000;

export class Runs {
  readonly #registry: RunRegistry;
  readonly #written: WrittenRuns;
  readonly #store: RunsOptions['store'];
  readonly #clock: Clock;
  /** Questions under way, by `questionName`, with those who wait for the answer. */
  readonly #asked = new Map<string, Waiter[]>();
  readonly #late: LateAnswers;
  #sweptMonotonicMs = -Infinity;
  /** Calls that took a part in a run and have not ended, and those that are deciding on one. */
  #calls = 0;

  constructor({ registry, journal, store, clock }: RunsOptions) {
    this.#registry = registry;
    this.#store = store;
    this.#clock = clock;
    this.#late = new LateAnswers(clock);
    this.#written = new WrittenRuns(journal, clock);
  }

  /** What is held for calls now. */
  held(): { readonly asked_runs: number; readonly run_rooms: number; readonly run_calls: number } {
    return { asked_runs: this.#asked.size, run_rooms: this.#registry.awaited, run_calls: this.#calls };
  }

  /** Judges a call at `nowMs`. The only change it makes is to end a run; the end is journalled, and `whenEnded` reports when. */
  decide(call: RunCall, nowMs: number = this.#clock.wallMs()): RunDecision {
    const held = this.#registry.find(call.held.organization.id, call.declaration.id);
    if (held === undefined) return this.#decideUnseen(call);
    call.run = held;
    const verdict = decideRun(held.run, call.declaration, nowMs);
    if (verdict.kind === 'admitted') return null;
    if (verdict.ends !== null) this.#end(held, verdict.ends, verdict);
    else if (held.endUnwritten && held.endWaiters === null) this.#written.end(held);
    return { kind: verdict.kind };
  }

  /** Whether this node holds nothing of the call's run. */
  isUnseen({ held, declaration }: RunCall): boolean {
    return this.#registry.find(held.organization.id, declaration.id) === undefined;
  }

  /** Whether the run has a budget, or gets one with this call. Of an unseen run that declares none it is known only once the store was asked. */
  isBudgeted({ held, declaration }: RunCall): boolean {
    if (declaration.budget !== null) return true;
    const run = this.#registry.find(held.organization.id, declaration.id);
    return run !== undefined && run.run.effective !== null;
  }

  /** Runs `done` once the end of the call's run is in the journal; at once if nothing is being written. */
  whenEnded({ run }: RunCall, done: (error: Error | null) => void): void {
    if (run === null || run.endWaiters === null) done(null);
    else run.endWaiters.push(done);
  }

  /**
   * Asks the store to create or find an unseen run. A call that makes none may go on with one that exists, so it asks too. `answered` runs once;
   * null: decide again, then `take` or `leave`.
   */
  ask(call: RunCall, answered: (refusal: Refusal | null) => void): void {
    const { organization } = call.held;
    const { id } = call.declaration;
    const startedAtMs = this.#clock.wallMs();
    const policy = this.#policyOf(call);
    const unmade = this.#grantIsLate(call, startedAtMs) ? grantInvalid : 'kind' in policy ? policy : null;
    const mayCreate = unmade === null;
    const name = questionName(call, mayCreate);
    const waiting = this.#asked.size === 0 ? undefined : this.#asked.get(name);
    if (waiting !== undefined) {
      waiting.push({ call, unmade, answered });
      return;
    }
    const late = this.#late.take(name);
    if (late !== null) return answered(this.#heldFor(call, late));
    const wanted = 'kind' in policy ? { declared: call.declaration.budget, effective: null, clampReason: null } : policy;
    if (mayCreate && this.#begins(call, wanted, startedAtMs)) return answered(null);
    const waiters: Waiter[] = [{ call, unmade, answered }];
    this.#asked.set(name, waiters);
    this.#registry.keepRoom(organization.id);
    const tell = (outcome: Refusal | 'absent' | null): void => {
      this.#asked.delete(name);
      const held = outcome === null ? this.#registry.find(organization.id, id) : undefined;
      if (held !== undefined) for (const waiter of waiters) this.#decideOn(waiter.call, held);
      for (const waiter of waiters) waiter.answered(outcome === 'absent' ? waiter.unmade : outcome);
    };
    this.#store.askRun({
      organization: organization.id, id, ...wanted, startedAtMs, mayCreate, key: call.held.key.id,
      expiresAtMs: expiryOf(startedAtMs, call.declaration.ttlSeconds),
      exposureLimit: organization.runPolicy.runExposure,
    }, (answer) => this.#late.keep(name, answer)).catch(() => null).then((answer) => {
      this.#registry.freeRoom(organization.id);
      return answer === null ? { kind: 'run_unconfirmed' } as const : this.#taken(answer);
    }).then(tell, () => tell({ kind: 'internal_fault' }));
  }

  /** What the opening of this call says about its run; null: everything is already written. */
  beginningOf({ run }: RunCall): RunBeginning | null {
    return run === null || run.confirmed || !run.begun ? null : beginningOf(run.run);
  }

  /** Takes what was admitted in the same turn: a smaller budget binds from here on. */
  take(call: RunCall): void {
    const held = call.run!;
    held.callsUnderWay += 1;
    this.#calls += 1;
    this.#decideOn(call, null);
    const { budget } = call.declaration;
    if (budget !== null) this.#written.tighten(held, budget);
    this.#written.tightening(held);
  }

  /** The opening of a call is in the journal: its run does not vanish any more. */
  opened({ run }: RunCall): void {
    if (run === null || run.confirmed) return;
    run.confirmed = true;
    if (run.begun) return;
    this.#store.confirmRun({ organization: run.run.organization, id: run.run.id });
  }

  /** A call has ended: its cost is the run's, whether the run has ended or not. */
  settle({ run }: RunCall, record: CallRecord): void {
    if (run === null) return;
    run.callsUnderWay -= 1;
    this.#calls -= 1;
    run.run = afterCall(run.run, record);
  }

  /** Work that was billed later is settled: its cost is the run's. */
  spentBeside({ organization, run, cost }: SpentBeside): void {
    const held = run === null ? undefined : this.#registry.find(organization, run);
    if (held !== undefined && cost !== null) held.run = { ...held.run, spent: nanoDollars(held.run.spent + cost) };
  }

  /** A call that took its run was not opened, or a call that asked for a run does not take it. */
  leave(call: RunCall, taken: boolean): void {
    const { run, asked } = call;
    this.#decideOn(call, null);
    if (taken && run !== null) {
      run.callsUnderWay -= 1;
      this.#calls -= 1;
    }
    if (taken) this.#release(run);
    else this.#release(asked);
  }

  /** A run was ended on another node, where that is also written. */
  endedElsewhere({ organization, id, state, endedAtMs }: EndedRun): void {
    this.#late.drop(organization, id);
    const held = this.#registry.find(organization, id);
    if (held !== undefined) this.#registry.end(held, state, endedAtMs);
  }

  /** A run's budget was lowered on another node, where that is also written. */
  tightenedElsewhere({ organization, id, effective }: Pick<Run, 'organization' | 'id' | 'effective'>): void {
    this.#late.drop(organization, id);
    const held = this.#registry.find(organization, id);
    if (held !== undefined && effective !== null) held.run = tightenedTo(held.run, effective);
  }

  /** Notes the run that a call asked for and is deciding on; null: it has decided. */
  #decideOn(call: RunCall, run: HeldRun | null): void {
    if (call.asked !== null) {
      call.asked.callsDeciding -= 1;
      this.#calls -= 1;
    }
    call.asked = run;
    if (run === null) return;
    run.callsDeciding += 1;
    this.#calls += 1;
  }

  /** Forgets a run that no opened call has confirmed and no call is about to, as the store does (rule 13). */
  #release(run: HeldRun | null): void {
    if (run !== null && !run.confirmed && run.callsUnderWay === 0 && run.callsDeciding === 0) this.#registry.forget(run);
  }

  /** Begins the run here if it never existed and no other run's spend affects it. False: the store must be asked. */
  #begins(call: RunCall, policy: PolicyBudget, startedAtMs: number): boolean {
    const { id, ttlSeconds } = call.declaration;
    const { id: organization, runPolicy } = call.held.organization;
    const budget = clampToExposure(policy, null);
    if (runPolicy.runExposure !== null || 'kind' in budget || !this.#store.claimRun({ organization, id })) return false;
    const held = this.#registry.hold({
      organization, id, state: 'live', declared: policy.declared, ...budget, spent: nanoDollars(0n), ...noLackingCalls,
      startedAtMs, expiresAtMs: expiryOf(startedAtMs, ttlSeconds), endedAtMs: null,
    }, false);
    held.begun = true;
    this.#decideOn(call, held);
    return true;
  }

  /** Holds a run that was found late. */
  #heldFor(call: RunCall, { run, confirmed }: FoundRun): null {
    this.#decideOn(call, this.#registry.hold(run, confirmed));
    return null;
  }

  #taken(answer: RunAnswer): Refusal | 'absent' | null {
    if (answer.kind !== 'run') return answer.kind === 'absent' ? 'absent' : { kind: answer.kind };
    this.#registry.hold(answer.run, answer.confirmed);
    return null;
  }

  /** A grant that has expired makes no run. */
  #grantIsLate({ held, declaration, grant }: RunCall, nowMs: number): boolean {
    return grant !== null && !grantBinds(grant, { organization: held.organization.id, run: declaration.id, nowMs, creating: true });
  }

  #decideUnseen(call: RunCall): RunDecision {
    const { organization } = call.held;
    // Room is already reserved for a run that is being asked for.
    const isPending = this.#asked.size > 0 && (this.#asked.has(questionName(call, true)) || this.#asked.has(questionName(call, false)));
    if (!isPending && !this.#registry.hasRoom(organization.id) && !this.#madeRoom(organization.id)) return { kind: 'run_registry_full' };
    const policy = this.#policyOf(call);
    // A run that exists goes on, whatever a new one would be refused for.
    return 'kind' in policy && this.#store.isNewRun({ organization: organization.id, id: call.declaration.id }) ? policy : unseen;
  }

  #policyOf({ held: { key, organization }, declaration, grant }: RunCall): PolicyBudget | Refusal {
    return policyBudget({
      declared: declaration.budget,
      keyMax: key.maxRunBudget,
      organizationMax: organization.runPolicy.maxRunBudget,
      grantMax: grant?.max ?? null,
      ceiling: organization.runPolicy.runCeiling,
    });
  }

  /** Ends runs whose time has passed unnoticed. At most once a second, because it walks over all live runs. */
  #madeRoom(organization: HeldKey['organization']['id']): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptMonotonicMs < sweepPauseMs) return false;
    this.#sweptMonotonicMs = nowMs;
    for (const held of this.#registry.expiredAt(this.#clock.wallMs())) this.#end(held, 'expired', null);
    return this.#registry.hasRoom(organization);
  }

  #end(held: HeldRun, state: EndedState, verdict: RunRefusal | null): void {
    if (verdict !== null && verdict.tightenTo !== null) this.#written.tighten(held, verdict.tightenTo);
    // Set before the run counts as ended: a run whose end is not written yet is not evicted.
    held.endUnwritten = true;
    this.#registry.end(held, state, this.#clock.wallMs());
    this.#written.end(held);
  }
}

/** One question for all calls of a run. Calls that cannot make one ask separately, so that they refuse nobody else. */
function questionName({ held, declaration }: RunCall, mayCreate: boolean): string {
  return runQuestion(held.organization.id, declaration.id, mayCreate);
}
