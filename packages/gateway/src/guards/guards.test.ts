/**
 * First one decision, then one debit (rules: Decide, then take): the order of refusals, nothing taken by a refused call, and what is
 * corrected when a call has ended or was not forwarded after all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import type { Cap } from '@metergate/core/spend/cap.ts';
import type { UnmeteredWork } from '@metergate/core/usage/unmetered.ts';
import type { GuardedCall } from './guards.ts';
import { Guards } from './guards.ts';
import { RunRegistry } from './run-registry.ts';
import { Runs } from './runs.ts';
import { follow } from './standing.ts';
import { TestStore, dollars, endedRecord, runCallOf, testHeld, testOrganization, TurnJournal, type RunHeaders } from './test-support/run-fixture.ts';

function cap(changes: Partial<Cap>): Cap {
  return { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: dollars(10), mode: 'refuse', ...changes };
}

function context(settings: Partial<OrganizationSettings> = {}) {
  const [registry, journal, store] = [new RunRegistry(100), new TurnJournal(), new TestStore()];
  const clock = { wall: 1_000, monotonic: 0, wallMs: () => clock.wall, monotonicMs: () => clock.monotonic };
  const guards = new Guards(clock, new Runs({ registry, journal, store, clock }));
  const held = testHeld(testOrganization(settings));
  follow(held.standing, held.organization, held.key);
  const { rate, sums } = held.standing.organization;
  const call = (estimate: number = 1, run: string | null = null, headers: RunHeaders = {}): GuardedCall =>
    ({ held, estimate, runCall: run === null ? null : runCallOf(held, run, headers), unmetered: null, taken: null, labels: [] });
  const taken = (each: GuardedCall): GuardedCall => {
    assert.equal(guards.decide(each), null);
    guards.take(each);
    return each;
  };
  /** A live run of which one call was opened and is over. */
  const begin = async (id: string, headers?: RunHeaders): Promise<void> => {
    const first = call(1, id, headers);
    guards.ask(first, 250, () => guards.opened(taken(first)));
    await store.answer(store.asked.length - 1);
    guards.settle(first, endedRecord());
  };
  const headers = (each: GuardedCall): string[] => {
    const pairs: string[] = [];
    guards.addBudgetHeaders(each, pairs);
    return pairs;
  };
  const spend = (amount: number): void => guards.settle(taken(call()), endedRecord({ cost: dollars(amount), startedAtMs: clock.wall }));
  /** Everything that a call may take from, as plain values. */
  const state = () => structuredClone({
    rate: rate.pair, sums, key: held.standing.sums, runs: ['r', 's'].map((id) => registry.find(held.organization.id, id)?.run ?? null),
    asked: store.asked.length, rows: journal.queued.length,
  });
  return { registry, journal, store, clock, guards, held, rate, call, taken, begin, headers, spend, state };
}

test('unmetered work is refused before the rate limit, always or where a limit binds it, and takes nothing (rule 6c)', async () => {
  const { guards, call, taken, begin, held, state } = context();
  await begin('r', { budget: 1 });
  await begin('s');
  const work = (rule: UnmeteredWork['rule'], ...of: Parameters<typeof call>): GuardedCall =>
    ({ ...call(...of), unmetered: { kind: 'deferred', rule, ground: 'asked' } });
  const before = state();
  for (const refused of [work('refuse'), work('refuse', 1e12), work('refuse', 1, 'r'), work('refuse', 1, 's'), work('refuse-under-limits', 1, 'r'),
    work('refuse-under-limits', 1, 's', { budget: 3 }), work('refuse-under-limits', 1, 'unseen', { budget: 3 })]) {
    assert.deepEqual(guards.decide(refused), { kind: 'unmetered_work_refused', work: refused.unmetered });
    guards.giveBack(refused);
  }
  assert.deepEqual(state(), before);
  // Bound by nothing: admitted, and of an unseen run it is asked first.
  for (const free of [work('refuse-under-limits'), work('refuse-under-limits', 1, 's')]) guards.settle(taken(free), endedRecord());
  assert.equal(guards.decide(work('refuse-under-limits', 1, 'unseen'))?.kind, 'run_unseen');
  follow(held.standing, { ...held.organization, caps: [cap({ limit: dollars(1) })] }, held.key);
  assert.equal(guards.decide(work('refuse-under-limits'))?.kind, 'unmetered_work_refused');
  assert.equal(guards.decide(call()), null, 'metered work goes on');
});

test('rate goes before caps, caps before the run (rule 1)', async () => {
  const { guards, call, taken, begin, held, journal } = context();
  await begin('r', { budget: 1 });
  guards.settle(taken(call(1, 'r')), endedRecord({ cost: dollars(1), startedAtMs: 1_000 }));
  follow(held.standing, { ...held.organization, caps: [cap({ limit: dollars(1) })] }, held.key);
  assert.equal(guards.decide(call(1e9, 'r'))?.kind, 'rate_limited');
  const reached = { kind: 'cap_reached', scope: 'organization', subject: null, window: 'month', mode: 'refuse', retryAfterSeconds: null };
  assert.deepEqual(guards.decide(call(1, 'r')), reached);
  assert.deepEqual(journal.queued, [], 'a run is not ended by a call that a cap refuses');
  follow(held.standing, held.organization, held.key);
  assert.deepEqual(guards.decide(call(1, 'r')), { kind: 'run_over_budget' });
  assert.equal(journal.queued.length, 1);
});

test('a cap that cannot be confirmed goes before a question to the store, and behind a budget that policy makes zero', async () => {
  const { guards, call, begin, held, store } = context({ caps: [cap({ window: 'day' })] });
  await begin('r', { budget: 1 });
  held.standing.binding[0]!.confirmed = false;
  const unconfirmed = { kind: 'cap_unconfirmed', scope: 'organization', subject: null, window: 'day' };
  for (const each of [call(), call(1, 'r'), call(1, 'never seen')]) assert.deepEqual(guards.decide(each), unconfirmed);
  const zero = testHeld({ ...held.organization, runPolicy: { maxRunBudget: nanoDollars(0n), runCeiling: null, runExposure: null } });
  follow(zero.standing, zero.organization, zero.key);
  zero.standing.binding[0]!.confirmed = false;
  store.isOwn = true;
  const inZero = { held: zero, estimate: 1, runCall: runCallOf(zero, 'z'), unmetered: null, taken: null, labels: [] };
  assert.deepEqual(guards.decide(inZero), { kind: 'run_envelope_zero' });
});

test('a cap that cannot be confirmed goes behind a run that is over', async () => {
  const { guards, call, begin, held, clock } = context({ caps: [cap({})] });
  await begin('r', { ttlSeconds: 5 });
  held.standing.binding[0]!.confirmed = false;
  clock.wall += 5_000;
  assert.deepEqual(guards.decide(call(1, 'r')), { kind: 'run_expired' });
});

test('a refused call takes nothing: buckets, sums, runs, questions and rows are as before', async () => {
  const { guards, call, begin, state, held, clock, store } = context({ plan: 'free' });
  await begin('r', { budget: 2 });
  const refusals: [string, () => GuardedCall][] = [
    ['rate_limited', () => call(400_001, 'r', { budget: 1 })],
    ['cap_reached', () => {
      follow(held.standing, { ...held.organization, caps: [cap({ limit: nanoDollars(0n) })] }, held.key);
      return call(5, 'r', { budget: 1 });
    }],
    ['run_envelope_zero', () => {
      follow(held.standing, held.organization, held.key);
      store.isOwn = true;
      const zero = { ...held, key: { ...held.key, maxRunBudget: nanoDollars(0n) } };
      return { held: zero, estimate: 5, runCall: runCallOf(zero, 's'), unmetered: null, taken: null, labels: [] };
    }],
    ['run_unseen', () => call(5, 's', { budget: 1 })],
  ];
  guards.decide(call());
  for (const [kind, make] of refusals) {
    const each = make();
    const before = state();
    assert.equal(guards.decide(each)?.kind, kind);
    guards.giveBack(each);
    guards.settle(each, endedRecord({ cost: dollars(5) }));
    assert.deepEqual(state(), before, kind);
  }
  assert.equal(clock.monotonic, 0);
});

test('deciding takes nothing, and a smaller budget binds only once its call is taken', async () => {
  const { guards, call, begin, state } = context();
  await begin('r', { budget: 2 });
  guards.decide(call());
  const before = state();
  const tighter = call(100, 'r', { budget: 1 });
  for (let again = 0; again < 3; again += 1) assert.equal(guards.decide(tighter), null);
  assert.deepEqual(state(), before);
  guards.take(tighter);
  assert.equal(tighter.runCall!.run!.run.effective, dollars(1));
});

test('an ended call is added once, to the organization, its key and its run, however often it is reported', async () => {
  const { guards, call, taken, begin, held, state } = context();
  await begin('r', { budget: 9 });
  const each = taken(call(1_000, 'r'));
  const record = endedRecord({ cost: dollars(2), usage: 'partial', inputTokens: 700, startedAtMs: 1_000 });
  guards.settle(each, record);
  const after = state();
  guards.settle(each, record);
  guards.giveBack(each);
  assert.deepEqual(state(), after);
  const { organization, sums } = held.standing;
  for (const { day, lifetime } of [organization.sums, sums]) assert.deepEqual([day.spent, lifetime.spent], [dollars(2), dollars(2)]);
  const { spent, unknownCalls } = each.runCall!.run!.run;
  assert.deepEqual([spent, unknownCalls, each.runCall!.run!.callsUnderWay], [dollars(2), 1, 0]);
});

test('a call of unknown cost adds no money, nor does one without usage due', () => {
  const { guards, call, taken, held } = context();
  guards.settle(taken(call()), endedRecord({ cost: null, usage: 'unknown', inputTokens: null }));
  guards.settle(taken(call()), endedRecord({ cost: null, usage: 'none', inputTokens: null, status: null }));
  assert.equal(held.standing.organization.sums.lifetime.spent, 0n);
});

test('tokens are corrected by the reported usage; a failed call gives its estimate back, an answered call without usage keeps it', () => {
  const { guards, call, taken, rate, clock } = context({ plan: 'free' });
  const left = (): number => rate.pair.tokens.level / 60_000;
  guards.settle(taken(call(1_000)), endedRecord({ inputTokens: 200, outputTokens: 50 }));
  assert.equal(left(), 399_750);
  guards.settle(taken(call(1_000)), endedRecord({ usage: 'unknown', inputTokens: null }));
  assert.equal(left(), 398_750);
  guards.settle(taken(call(1_000)), endedRecord({ status: 500, usage: 'none', inputTokens: null }));
  guards.settle(taken(call(1_000)), endedRecord({ status: null, usage: 'none', inputTokens: null }));
  assert.deepEqual([left(), rate.pair.requests.level / 60_000, clock.monotonic], [398_750, 196, 0]);
});

test('a call that is not forwarded after all gives back what it took: requests, tokens, its place in the run, and once', async () => {
  const { guards, call, taken, begin, rate, held, registry } = context({ plan: 'free' });
  await begin('r', { budget: 9 });
  const before = structuredClone(rate.pair);
  const each = taken(call(5_000, 'r'));
  guards.giveBack(each);
  guards.giveBack(each);
  assert.deepEqual([rate.pair, each.runCall!.run!.callsUnderWay, each.taken], [before, 0, null]);
  assert.equal(registry.find(held.organization.id, 'r')?.run.state, 'live');
});

test('budget headers name the tightest; on a tie the organization, then the key, then the run (rule 11)', async () => {
  const { call, taken, begin, headers, held, spend } = context();
  await begin('r', { budget: 5 });
  const bind = (...caps: Cap[]): void => follow(held.standing, { ...held.organization, enforceKeyCaps: true, caps }, held.key);
  const inRun = taken(call(1, 'r'));
  const [scopeAndWindow, effective] = [(scope: string, window: string) => ['x-svc-budget-scope', scope, 'x-svc-budget-window', window],
    ['x-svc-run-budget-effective', '5.000000']];
  assert.deepEqual(headers(taken(call())), []);
  assert.deepEqual(headers(inRun), [...scopeAndWindow('run', 'run'), ...effective]);
  const [ofKey, ofMonth, ofDay] = [
    cap({ scope: 'key', subject: held.key.id, limit: dollars(5) }), cap({ limit: dollars(5) }), cap({ window: 'day', limit: dollars(5) }),
  ];
  bind(ofKey);
  assert.deepEqual(headers(inRun), [...scopeAndWindow('key', 'month'), ...effective]);
  bind(ofKey, ofDay, ofMonth);
  assert.deepEqual(headers(inRun), [...scopeAndWindow('organization', 'month'), ...effective]);
  bind(ofKey, { ...ofDay, limit: dollars(4) }, ofMonth);
  assert.deepEqual(headers(taken(call())), scopeAndWindow('organization', 'day'));
  spend(3);
  bind(ofKey, cap({ limit: dollars(9) }));
  assert.deepEqual(headers(inRun), [...scopeAndWindow('key', 'month'), ...effective], 'what is left counts, not the limit');
  spend(90);
  bind(cap({ limit: dollars(9) }), ofKey);
  assert.deepEqual(headers(inRun).slice(0, 4), scopeAndWindow('organization', 'month'), 'past the limit nothing is left, of one as of the other');
});

test('a run without a budget has no headers; a clamped one says why until it is tightened', async () => {
  const { call, taken, begin, headers } = context({ runPolicy: { maxRunBudget: dollars(2), runCeiling: null, runExposure: null } });
  await begin('r', { budget: 3 });
  const clamp = ['x-svc-run-clamp-reason', 'policy_max'];
  assert.deepEqual(headers(taken(call(1, 'r'))).slice(4), ['x-svc-run-budget-effective', '2.000000', ...clamp]);
  assert.deepEqual(headers(taken(call(1, 'r', { budget: 1.5 }))).slice(4), ['x-svc-run-budget-effective', '1.500000']);
  const free = context();
  await free.begin('s');
  assert.deepEqual(free.headers(free.taken(free.call(1, 's'))), []);
});

test('armed caps and run budgets cover a call, a key\'s cap only where those refuse, a project\'s never (rule 8)', async () => {
  const { guards, call, taken, begin, held } = context();
  await begin('r', { budget: 5 });
  await begin('s');
  assert.deepEqual([call(), taken(call(1, 'r')), taken(call(1, 's'))].map((each) => guards.covers(each)), [false, true, false]);
  const covered = (enforceKeyCaps: boolean, ...caps: Cap[]): boolean => {
    follow(held.standing, { ...held.organization, enforceKeyCaps, caps }, held.key);
    return guards.covers(call());
  };
  const ofKey = cap({ scope: 'key', subject: held.key.id });
  assert.deepEqual([covered(false, cap({})), covered(false, ofKey), covered(true, ofKey)], [true, false, true]);
  assert.deepEqual([covered(true, { ...ofKey, subject: 'another' }), covered(true, cap({ scope: 'project', subject: 'p' }))], [false, false]);
});

test('a cap set later counts what was spent before, and its window follows the calendar', () => {
  const { guards, call, held, spend, clock } = context();
  clock.wall = Date.UTC(2026, 10, 30, 23, 59, 59, 500);
  spend(3);
  follow(held.standing, { ...held.organization, caps: [cap({ limit: dollars(3), mode: 'pause' })] }, held.key);
  assert.deepEqual(guards.decide(call()),
    { kind: 'cap_reached', scope: 'organization', subject: null, window: 'month', mode: 'pause', retryAfterSeconds: 1 });
  clock.wall += 499;
  assert.equal(guards.decide(call())?.kind, 'cap_reached');
  clock.wall += 1;
  assert.equal(guards.decide(call()), null);
});

test('a call belongs to the window it began in, though it ends in the next', () => {
  const { guards, call, taken, held, clock } = context({ caps: [cap({ limit: dollars(3) })] });
  clock.wall = Date.UTC(2026, 10, 30, 23, 59, 59);
  const each = taken(call());
  clock.wall = Date.UTC(2026, 11, 1);
  guards.settle(each, endedRecord({ cost: dollars(3), startedAtMs: Date.UTC(2026, 10, 30, 23, 59, 59) }));
  assert.equal(guards.decide(call()), null);
  assert.equal(held.standing.organization.sums.lifetime.spent, dollars(3));
});
