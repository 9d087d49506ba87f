/**
 * A node's guards as lists (`listed-limits.ts`, `listed-runs.ts`) and the order of their refusals. It gets every event that the real ones
 * see, and says what they must decide.
 */
import assert from 'node:assert/strict';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { planFigures, type RateFigures } from '@metergate/core/rate/tier.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { EndedState } from '@metergate/core/run/run.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import type { NewRun, RunAnswer } from '@metergate/store/runs/make-runs.ts';
import type { Clock } from '../../clock/clock.ts';
import type { GuardedCall } from '../guards.ts';
import type { RunDecision } from '../runs.ts';
import type { KeyStanding } from '../standing.ts';
import { budgetHeaders, hasTightened, ListedOrganization, policyOf, runNow, runVerdict, type ModelRun } from './listed-limits.ts';
import { ListedRuns, type Listed } from './listed-runs.ts';

interface HeldModel extends ModelRun {
  readonly listed: Listed;
  confirmed: boolean;
  endedHere: boolean;
  /** Its end is written with the next commit. */
  endQueued: boolean;
}

export interface ModelCall {
  run: HeldModel | null;
  startedAtMs?: number;
}

interface OrganizationModel {
  readonly listed: ListedOrganization;
  settings: OrganizationSettings | null;
  figures: RateFigures;
}

export class GuardsModel {
  readonly runs: ListedRuns;
  readonly #clock: Clock;
  readonly #organizations = new Map<string, OrganizationModel>();
  readonly #held = new Map<Listed, HeldModel>();
  readonly #questions = new Set<string>();
  /** The question that a call waits for, and why it makes no run itself. */
  readonly #waitsFor = new WeakMap<GuardedCall, { readonly name: string; readonly unmade: 'run_grant_invalid' | 'run_envelope_zero' | null }>();
  readonly #answers = new Map<string, Refusal | 'absent' | null>();
  #sweptMs = -Infinity;

  constructor(capacity: number, clock: Clock, keysOf: Readonly<Record<string, readonly string[]>>) {
    this.runs = new ListedRuns(capacity);
    this.#clock = clock;
    for (const [name, keys] of Object.entries(keysOf)) {
      this.#organizations.set(name, { listed: new ListedOrganization(planFigures.free, keys), settings: null, figures: planFigures.free });
    }
  }

  change(settings: OrganizationSettings, figures: RateFigures): void {
    Object.assign(this.#organizations.get(settings.id)!, { settings, figures });
  }

  decide(call: GuardedCall, model: ModelCall): RunDecision {
    const { listed, settings } = this.#followed(call);
    const [key, nowMs] = [call.held.key.id, this.#clock.wallMs()];
    const refusal = listed.rate(key, call.estimate, this.#clock.monotonicMs()) ?? listed.cap(settings!, key, nowMs);
    if (refusal !== null || call.runCall === null) return refusal;
    const { id, budget } = call.runCall.declaration;
    const found = this.runs.find(call.held.organization.id, id);
    if (found === undefined) return this.#decideUnseen(call);
    const run = model.run = this.#held.get(found)!;
    const verdict = runVerdict(run, budget, nowMs);
    if (verdict === null) return null;
    if (verdict.ends !== null) {
      if (verdict.ends === 'over_budget') this.#tighten(run, budget);
      this.#end(run, verdict.ends);
    } else if (found.unwritten) {
      run.endQueued = true;
    }
    return verdict.refusal;
  }

  take(call: GuardedCall, { run }: ModelCall): void {
    const nowMs = this.#clock.monotonicMs();
    this.#of(call).listed.buckets(call.held.key.id).forEach((bucket, at) => bucket.add(at % 2 === 0 ? -1 : -call.estimate, nowMs));
    if (run === null) return;
    run.listed.calls += 1;
    this.#tighten(run, call.runCall!.declaration.budget);
  }

  giveBack(call: GuardedCall, { run }: ModelCall): void {
    const [{ listed }, nowMs] = [this.#followed(call), this.#clock.monotonicMs()];
    listed.buckets(call.held.key.id).forEach((bucket, at) => bucket.add(at % 2 === 0 ? 1 : call.estimate, nowMs));
    if (run === null) return;
    run.listed.calls -= 1;
    this.#release(run.listed);
  }

  opened({ run }: ModelCall): void {
    if (run !== null) run.confirmed = true;
  }

  settle(call: GuardedCall, { run, startedAtMs }: ModelCall, record: CallRecord): void {
    const { status, usage, inputTokens, outputTokens } = record;
    const answered = status !== null && status >= 200 && status < 300;
    const reported = usage === 'reported' && (inputTokens !== null || outputTokens !== null) ? (inputTokens ?? 0) + (outputTokens ?? 0) : null;
    this.#addTokens(call, (capacity) => {
      if (!answered) return call.estimate;
      return reported === null ? 0 : call.estimate - Math.min(reported, 2 * capacity);
    });
    const cost = record.cost ?? 0n;
    this.#of(call).listed.calls.push({ key: call.held.key.id, startedAtMs: startedAtMs!, cost });
    if (run === null) return;
    run.listed.calls -= 1;
    run.events.push({ is: 'cost', cost });
  }

  /** The question for the store; null: none, it is already being asked. */
  ask(call: GuardedCall) {
    const { held: { organization, key }, declaration: { id, budget }, grant } = call.runCall!;
    const policy = policyOf(organization, key, { budget, grantMax: grant?.max ?? null });
    const unmade = grant !== null && this.#clock.wallMs() >= grant.expiresAtMs ? 'run_grant_invalid' : policy === null ? 'run_envelope_zero' : null;
    const mayCreate = unmade === null;
    const name = questionName({ organization: organization.id, id, mayCreate });
    this.#waitsFor.set(call, { name, unmade });
    if (this.#questions.has(name)) return null;
    this.#questions.add(name);
    this.runs.keepRoom(organization.id);
    return { declared: budget, ...policy ?? { effective: null, clampReason: null }, mayCreate };
  }

  answered(asked: NewRun, answer: RunAnswer | null): void {
    const name = questionName(asked);
    this.#questions.delete(name);
    this.runs.freeRoom(asked.organization);
    if (answer?.kind !== 'run') {
      this.#answers.set(name, answer === null ? { kind: 'run_unconfirmed' } : answer.kind === 'absent' ? 'absent' : { kind: answer.kind });
      return;
    }
    this.#answers.set(name, null);
    const listed = this.runs.hold(asked.organization, asked.id, answer.run.state === 'live');
    if (this.#held.has(listed)) return;
    this.#held.set(listed, { answered: answer.run, events: [], listed, confirmed: answer.confirmed, endedHere: false, endQueued: false });
  }

  /** A run that cannot be confirmed goes behind a cap that was reached meanwhile. */
  answerOf(call: GuardedCall): Refusal | null {
    const { name, unmade } = this.#waitsFor.get(call)!;
    const answer = this.#answers.get(name)!;
    if (answer === 'absent') return { kind: unmade! };
    if (answer?.kind !== 'run_unconfirmed') return answer;
    const { listed, settings } = this.#of(call);
    return listed.cap(settings!, call.held.key.id, this.#clock.wallMs()) ?? answer;
  }

  /** All waiting callers have the answer. */
  over({ organization, id }: NewRun): void {
    const listed = this.runs.find(organization, id);
    if (listed !== undefined) this.#release(listed);
  }

  endsElsewhere(organization: string, id: string, state: EndedState): void {
    const listed = this.runs.find(organization, id);
    if (listed === undefined || !listed.live) return;
    this.#held.get(listed)!.events.push({ is: 'ended', state });
    this.runs.end(listed);
  }

  commit(succeeds: boolean): void {
    for (const run of this.#held.values()) {
      if (run.endQueued && succeeds) run.listed.unwritten = false;
      run.endQueued = false;
    }
  }

  isBeingWritten({ run }: ModelCall): boolean {
    return run !== null && run.endQueued;
  }

  now(run: ModelRun): ReturnType<typeof runNow> {
    return runNow(run);
  }

  headers(call: GuardedCall, { run }: ModelCall): string[] {
    const { listed, settings } = this.#of(call);
    return budgetHeaders(listed.caps(settings!, call.held.key.id, this.#clock.wallMs()), run);
  }

  /** Compares what a key and its organization spent in all, and what the organization's buckets hold, with what is listed. */
  assertSums(key: string, standing: KeyStanding): void {
    const { listed } = [...this.#organizations.values()].find(({ listed: { keys } }) => keys.has(key))!;
    const ofKey = listed.calls.filter((call) => call.key === key);
    for (const [{ lifetime }, calls] of [[standing.organization.sums, listed.calls], [standing.sums, ofKey]] as const) {
      assert.equal(lifetime.spent, calls.reduce((sum, { cost }) => sum + cost, 0n));
    }
    const { requests, tokens } = standing.organization.rate.pair;
    assert.deepEqual([BigInt(requests.level), BigInt(tokens.level)], [listed.requests.levelAt(requests.atMs), listed.tokens.levelAt(tokens.atMs)]);
  }

  #decideUnseen({ held, runCall }: GuardedCall): RunDecision {
    const { id } = runCall!.declaration;
    const organization = held.organization.id;
    const isPending = [true, false].some((mayCreate) => this.#questions.has(questionName({ organization, id, mayCreate })));
    if (!isPending && !this.runs.hasRoom(organization) && !this.#madeRoom(organization)) return { kind: 'run_registry_full' };
    return { kind: 'run_unseen' };
  }

  #madeRoom(organization: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sweptMs < 1_000) return false;
    this.#sweptMs = nowMs;
    const runs = this.runs.walked().map((listed) => this.#held.get(listed)!);
    for (const run of runs) if (this.#clock.wallMs() >= (run.answered.expiresAtMs ?? Infinity)) this.#end(run, 'expired');
    return this.runs.hasRoom(organization);
  }

  #end(run: HeldModel, state: EndedState): void {
    run.events.push({ is: 'ended', state });
    Object.assign(run, { endQueued: true, endedHere: true });
    run.listed.unwritten = true;
    this.runs.end(run.listed);
  }

  #tighten(run: HeldModel, budget: bigint | null): void {
    if (budget !== null && hasTightened(run, budget)) run.events.push({ is: 'tightened', to: budget });
  }

  #release(listed: Listed): void {
    if (!this.#held.get(listed)!.confirmed && listed.calls === 0) this.runs.forget(listed);
  }

  #addTokens(call: GuardedCall, amountOf: (capacity: number) => number): void {
    const { listed } = this.#followed(call);
    for (const bucket of [listed.keys.get(call.held.key.id)!.tokens, listed.tokens]) {
      bucket.add(amountOf(Number(bucket.capacity / 60_000n)), this.#clock.monotonicMs());
    }
  }

  #of({ held }: GuardedCall): OrganizationModel {
    return this.#organizations.get(held.organization.id)!;
  }

  #followed(call: GuardedCall): OrganizationModel {
    const model = this.#of(call);
    model.listed.follow(call.held.key.id, model.figures, this.#clock.monotonicMs());
    return model;
  }
}

function questionName({ organization, id, mayCreate }: Pick<NewRun, 'id' | 'mayCreate'> & { readonly organization: string }): string {
  return `${organization} ${id} ${mayCreate}`;
}
