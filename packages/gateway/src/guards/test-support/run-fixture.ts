/** Runs on made-up values for tests: an organization and its key; a journal and a store that commit and answer when the test lets them. */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { GrantPayload } from '@metergate/core/run/grant.ts';
import type { Run } from '@metergate/core/run/run.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { RunEnd, RunTightening } from '@metergate/store/journal/run-event.ts';
import type { NewRun, RunAnswer } from '@metergate/store/runs/make-runs.ts';
import type { HeldKey } from '../held-key.ts';
import type { RunCall, RunsOptions } from '../runs.ts';
import type { Standings } from '../standing.ts';
import { testStandings, unspentAnswer } from './standing-fixture.ts';

export const dollars = (amount: number): NanoDollars => nanoDollars(BigInt(Math.round(amount * 1e6)) * 1000n);

/** An organization without bounds; `changes` sets some. */
export function testOrganization(changes: Partial<OrganizationSettings> = {}): OrganizationSettings {
  return {
    id: 'org_a' as OrganizationId, plan: 'scale', openai: { state: 'connected', credential: 'sk' }, anthropic: { state: 'missing' }, upstream: null,
    upstreams: [],
    fallbackPrice: null, drainSeconds: null, agreedFigures: null, caps: [], enforceKeyCaps: false,
    runPolicy: { maxRunBudget: null, runCeiling: null, runExposure: null }, unmetered: null, wrongBaseUrl: 'forward', models: null,
    grantKeys: [], ...changes,
  };
}

export function testKey(changes: Partial<ServiceKeySettings> = {}): ServiceKeySettings {
  return {
    id: 'key_a' as ServiceKeyId, organization: 'org_a' as OrganizationId, project: null, expiresAtMs: null, maxRunBudget: null, models: null,
    person: null, ...changes,
  };
}

export function testHeld(
  organization: OrganizationSettings = testOrganization(), key: ServiceKeySettings = testKey({ organization: organization.id }),
  standings: Standings = testStandings(),
): HeldKey {
  return { key, organization, standing: standings.of(unspentAnswer(key, organization)) };
}

export interface RunHeaders {
  readonly budget?: number;
  readonly ttlSeconds?: number;
  readonly grant?: GrantPayload;
}

export function runCallOf(held: HeldKey, id: string, { budget, ttlSeconds, grant }: RunHeaders = {}): RunCall {
  return {
    held, grant: grant ?? null, run: null, asked: null,
    declaration: {
      id, budget: budget === undefined ? null : dollars(budget), ttlSeconds: ttlSeconds ?? null, grant: grant === undefined ? null : 'rbg1',
    },
  };
}

/** A run as the store makes it on request. */
export function madeRun({ organization, id, declared, effective, clampReason, startedAtMs, expiresAtMs }: NewRun): Run {
  return {
    organization, id, state: 'live', declared, effective, clampReason, startedAtMs, expiresAtMs, endedAtMs: null,
    spent: nanoDollars(0n), unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
  };
}

/** The record of a call that ended; only what guards read of it is set. */
export function endedRecord(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    status: 200, usage: 'reported', inputTokens: 1, outputTokens: null, cost: nanoDollars(0n), costGaps: [], startedAtMs: 0, ...changes,
  } as Partial<CallRecord> as CallRecord;
}

export type RunRow =
  | ({ readonly row: 'end' } & RunEnd)
  | ({ readonly row: 'tighten' } & RunTightening)
  | { readonly row: 'open'; readonly call: string };

/** Rows wait until the test commits the turn, as one transaction. */
export class TurnJournal {
  /** Committed, in order. */
  readonly written: RunRow[] = [];
  #queue: { row: RunRow; done: (error: Error | null) => void }[] = [];

  readonly endRun: RunsOptions['journal']['endRun'] = (row, done) => void this.#queue.push({ row: { row: 'end', ...row }, done });
  readonly tightenRun: RunsOptions['journal']['tightenRun'] = (row, done) => void this.#queue.push({ row: { row: 'tighten', ...row }, done });

  /** The opening of a call, queued behind what its taking wrote. */
  open(call: string, done: (error: Error | null) => void = () => {}): void {
    this.#queue.push({ row: { row: 'open', call }, done });
  }

  get queued(): RunRow[] {
    return this.#queue.map(({ row }) => row);
  }

  commit(error: Error | null = null): void {
    const batch = this.#queue;
    this.#queue = [];
    if (error === null) this.written.push(...batch.map(({ row }) => row));
    for (const { done } of batch) done(error);
  }
}

/** Questions wait until the test answers them. */
export class TestStore {
  readonly asked: NewRun[] = [];
  readonly confirmed: string[] = [];
  readonly #answers: PromiseWithResolvers<RunAnswer>[] = [];

  readonly #late: ((answer: RunAnswer) => void)[] = [];

  readonly askRun: RunsOptions['store']['askRun'] = (run, whenLate) => {
    const answer = Promise.withResolvers<RunAnswer>();
    this.asked.push(run);
    this.#late.push(whenLate!);
    this.#answers.push(answer);
    return answer.promise;
  };

  /** Whether this node may begin runs that were not named before. */
  isOwn = false;
  readonly #named = new Set<string>();

  readonly claimRun: RunsOptions['store']['claimRun'] = ({ id }) => this.isOwn && this.#named.size < this.#named.add(id).size;

  readonly isNewRun: RunsOptions['store']['isNewRun'] = ({ id }) => this.isOwn && !this.#named.has(id);

  readonly confirmRun: RunsOptions['store']['confirmRun'] = ({ id }) => void this.confirmed.push(id);

  /** Answers the question at this position as a store that makes the run, or as given. Resolves when everything that follows is done. */
  async answer(at: number, answer?: RunAnswer): Promise<void> {
    this.#answers[at]!.resolve(answer ?? { kind: 'run', run: madeRun(this.asked[at]!), created: true, confirmed: false });
    await settledTurn();
  }

  /** Answers after the asker was already answered that the store is away. */
  answerLate(at: number): void {
    this.#late[at]!({ kind: 'run', run: madeRun(this.asked[at]!), created: true, confirmed: false });
  }

  async away(at: number): Promise<void> {
    this.#answers[at]!.reject(new Error('away'));
    await settledTurn();
  }
}

/** Resolves when all promises that can settle have settled. */
function settledTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
