/**
 * Calls and their runs on one node: asked for once, tightened and ended in the journal before any caller is informed, released if nothing
 * was opened (spec: Run; rules: Decide, then take; rules 12 to 15).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { RunPolicy } from '@metergate/core/account/settings.ts';
import { RunRegistry } from './run-registry.ts';
import { Runs, type RunCall, type RunDecision } from './runs.ts';
import {
  TestStore, dollars, endedRecord, madeRun, runCallOf, testHeld, testKey, testOrganization, TurnJournal, type RunHeaders,
} from './test-support/run-fixture.ts';

function context({ capacity = 100, policy = {} }: { capacity?: number; policy?: Partial<RunPolicy> } = {}) {
  const [registry, journal, store] = [new RunRegistry(capacity), new TurnJournal(), new TestStore()];
  const clock = { wall: 1_000_000, monotonic: 0, wallMs: () => clock.wall, monotonicMs: () => clock.monotonic };
  const runs = new Runs({ registry, journal, store, clock });
  const organization = testOrganization({ runPolicy: { maxRunBudget: null, runCeiling: null, runExposure: null, ...policy } });
  const held = testHeld(organization);
  const call = (id: string, headers?: RunHeaders): RunCall => runCallOf(held, id, headers);
  /** Asks, and takes in the same turn as the answer if that admits; returns what the caller gets. */
  const ask = (each: RunCall): { result: RunDecision | 'waiting' } => {
    const outcome: { result: RunDecision | 'waiting' } = { result: 'waiting' };
    runs.ask(each, (refusal) => {
      outcome.result = refusal ?? runs.decide(each);
      if (outcome.result === null) runs.take(each);
      else runs.leave(each, false);
    });
    return outcome;
  };
  /** A live run whose first call is open. */
  const begun = async (id: string, headers?: RunHeaders): Promise<RunCall> => {
    const first = call(id, headers);
    assert.deepEqual(runs.decide(first), unseen);
    const { asked } = store;
    const outcome = ask(first);
    await store.answer(asked.length - 1);
    assert.equal(outcome.result, null);
    journal.commit();
    runs.opened(first);
    return first;
  };
  return { registry, journal, store, clock, runs, held, call, ask, begun };
}

const unseen = { kind: 'run_unseen' };
const failing = new Error('disk full');

/** The refusal that a caller gets, once it arrives. */
function tellable(runs: Runs, call: RunCall): { result: Error | null | 'waiting' } {
  const outcome: { result: Error | null | 'waiting' } = { result: 'waiting' };
  runs.whenEnded(call, (error) => { outcome.result = error; });
  return outcome;
}

test('parallel first calls of one run ask once; the others tighten what the first one made', async () => {
  const { runs, store, journal, call, ask } = context();
  const calls = [call('r', { budget: 5, ttlSeconds: 60 }), call('r', { budget: 3 }), call('r', { budget: 9, ttlSeconds: 1 })];
  for (const each of calls) assert.deepEqual(runs.decide(each), unseen);
  const outcomes = calls.map(ask);
  assert.equal(store.asked.length, 1);
  await store.answer(0);
  assert.deepEqual(outcomes.map(({ result }) => result), [null, null, null]);
  const { run } = calls[2]!.run!;
  assert.deepEqual([run.effective, run.expiresAtMs], [dollars(3), 1_060_000]);
  assert.deepEqual(journal.queued.map((row) => row.row), ['tighten']);
  assert.equal(calls[0]!.run!.callsUnderWay, 3);
  ask(call('r2'));
  assert.equal(store.asked.length, 2, 'another run is another question');
});

test('with the store away all waiting calls are refused as unconfirmed, and the next call asks again', async () => {
  const { store, registry, call, ask } = context();
  const outcomes = [ask(call('r')), ask(call('r'))];
  await store.away(0);
  assert.deepEqual(outcomes.map(({ result }) => result), [{ kind: 'run_unconfirmed' }, { kind: 'run_unconfirmed' }]);
  assert.deepEqual([registry.held, registry.hasRoom('org_a' as never)], [0, true]);
  const again = ask(call('r'));
  await store.answer(1);
  assert.equal(again.result, null);
});

test('an answer too late for its call serves the next one, unless the run changed elsewhere or some seconds have passed', async () => {
  const { runs, store, clock, call, ask } = context();
  for (const id of ['kept', 'ended', 'old']) {
    const first = ask(call(id, { budget: 5 }));
    await store.away(store.asked.length - 1);
    assert.deepEqual(first.result, { kind: 'run_unconfirmed' });
    store.answerLate(store.asked.length - 1);
  }
  const next = call('kept', { budget: 3 });
  assert.deepEqual(runs.decide(next), unseen);
  assert.equal(ask(next).result, null);
  assert.deepEqual([next.run!.run.effective, store.asked.length], [dollars(3), 3]);
  runs.endedElsewhere({ ...madeRun(store.asked[1]!), state: 'closed', endedAtMs: 1 });
  assert.equal(ask(call('ended')).result, 'waiting');
  clock.monotonic += 5_001;
  assert.equal(ask(call('old')).result, 'waiting');
  assert.equal(store.asked.length, 5);
});

test('exposure refused by the store is reported as such; an absent run is one that a grant can no longer make', async () => {
  const { store, registry, held, call, ask } = context();
  const exhausted = ask(call('r', { budget: 1 }));
  await store.answer(0, { kind: 'run_exposure_exhausted' });
  assert.deepEqual(exhausted.result, { kind: 'run_exposure_exhausted' });
  const payload = { organization: held.organization.id, run: 'g', max: dollars(5), expiresAtMs: 999_999, key: 'gky', nonce: 'n' };
  const late = ask(call('g', { grant: payload }));
  assert.equal(store.asked[1]!.mayCreate, false);
  await store.answer(1, { kind: 'absent' });
  assert.deepEqual([late.result, registry.held], [{ kind: 'run_grant_invalid' }, 0]);
});

test('a call with an expired grant refuses no other call of the run that is asking too', async () => {
  const { store, held, call, ask } = context();
  const payload = { organization: held.organization.id, run: 'g', max: dollars(5), expiresAtMs: 999_999, key: 'gky', nonce: 'n' };
  const late = ask(call('g', { grant: payload }));
  const plain = ask(call('g', { budget: 1 }));
  assert.deepEqual(store.asked.map(({ mayCreate }) => mayCreate), [false, true]);
  await store.answer(0, { kind: 'absent' });
  await store.answer(1);
  assert.deepEqual([late.result, plain.result], [{ kind: 'run_grant_invalid' }, null]);
});

test('policy makes the budget of a run: the key\'s own figure first, and a grant lifts it', () => {
  const { store, call, ask, held } = context({ policy: { maxRunBudget: dollars(10) } });
  ask(call('r', { budget: 20 }));
  const { declared, effective, clampReason } = store.asked[0]!;
  assert.deepEqual([declared, effective, clampReason], [dollars(20), dollars(10), 'policy_max']);
  ask(runCallOf(testHeld(held.organization, testKey({ maxRunBudget: dollars(12) })), 'k', { budget: 20 }));
  assert.deepEqual([store.asked[1]!.effective, store.asked[1]!.clampReason], [dollars(12), 'policy_max']);
  ask(call('g', { budget: 20, grant: { organization: held.organization.id, run: 'g', max: dollars(15), expiresAtMs: 2e15, key: 'k', nonce: 'n' } }));
  assert.deepEqual([store.asked[2]!.effective, store.asked[2]!.clampReason], [dollars(15), 'grant_max']);
});

test('where policy makes the budget zero no run begins, and one that exists goes on', async () => {
  const { runs, registry, store, call, ask } = context({ policy: { maxRunBudget: nanoDollars(0n) } });
  const zero = { kind: 'run_envelope_zero' };
  const absent = call('absent', { budget: 5 });
  assert.deepEqual(runs.decide(absent), unseen, 'others may have begun it');
  const [refused, other] = [ask(absent), ask(call('absent'))];
  assert.deepEqual(store.asked.map(({ mayCreate, declared, effective }) => [mayCreate, declared, effective]), [[false, dollars(5), null]]);
  await store.answer(0, { kind: 'absent' });
  assert.deepEqual([refused.result, other.result, registry.held], [zero, zero, 0]);
  const goesOn = ask(call('granted'));
  const run = { ...madeRun(store.asked[1]!), declared: dollars(50), effective: dollars(50) };
  await store.answer(1, { kind: 'run', run, created: false, confirmed: true });
  assert.equal(goesOn.result, null);
  assert.equal(runs.decide(call('granted')), null);
  const closed = ask(call('closed'));
  await store.answer(2, { kind: 'run', run: { ...madeRun(store.asked[2]!), state: 'closed', endedAtMs: 1 }, created: false, confirmed: true });
  assert.deepEqual(closed.result, { kind: 'run_closed' });
});

test('a run that certainly never existed is refused by policy without a question', () => {
  const { runs, store, call } = context({ policy: { runCeiling: nanoDollars(0n) } });
  store.isOwn = true;
  assert.deepEqual(runs.decide(call('r', { budget: 5 })), { kind: 'run_envelope_zero' });
  assert.equal(store.asked.length, 0);
});

test('of calls that make no run each is refused for its own reason', async () => {
  const { store, held, call, ask } = context({ policy: { maxRunBudget: nanoDollars(0n) } });
  const payload = { organization: held.organization.id, run: 'g', max: dollars(5), expiresAtMs: 999_999, key: 'gky', nonce: 'n' };
  const outcomes = [ask(call('g', { grant: payload })), ask(call('g', { budget: 1 }))];
  assert.equal(store.asked.length, 1);
  await store.answer(0, { kind: 'absent' });
  assert.deepEqual(outcomes.map(({ result }) => result), [{ kind: 'run_grant_invalid' }, { kind: 'run_envelope_zero' }]);
});

test('a run without an opened call is forgotten, for whatever reason, and is asked for again', async () => {
  const { runs, registry, store, journal, call } = context();
  const refusedAfterwards = call('r');
  runs.ask(refusedAfterwards, () => {});
  await store.answer(0);
  assert.equal(registry.live, 1, 'it may wait for more than the run');
  runs.leave(refusedAfterwards, false);
  runs.leave(refusedAfterwards, false);
  assert.deepEqual([registry.held, runs.decide(call('r'))], [0, unseen], 'none took it: a rate limit went first, or the caller left');
  const taken = call('r');
  runs.ask(taken, () => {
    assert.equal(runs.decide(taken), null);
    runs.take(taken);
  });
  await store.answer(1);
  assert.equal(registry.live, 1);
  journal.open('taken', (error) => { if (error !== null) runs.leave(taken, true); });
  journal.commit(failing);
  assert.deepEqual([registry.held, store.confirmed], [0, []]);
});

test('one refused caller among several does not take the run from the others', async () => {
  const { runs, registry, store, call, ask } = context();
  const [refused, admitted] = [call('r'), call('r')];
  runs.ask(refused, () => {
    runs.decide(refused);
    runs.leave(refused, false);
  });
  const outcome = ask(admitted);
  await store.answer(0);
  assert.deepEqual([outcome.result, registry.live], [null, 1]);
});

test('a run is confirmed once, with its first opened call, and stays when its calls are over', async () => {
  const { runs, registry, store, begun, call } = context();
  const first = await begun('r');
  const second = call('r');
  assert.equal(runs.decide(second), null);
  runs.take(second);
  runs.opened(second);
  assert.deepEqual(store.confirmed, ['r']);
  runs.settle(first, endedRecord());
  runs.leave(second, true);
  assert.deepEqual([registry.live, first.run!.callsUnderWay], [1, 0]);
});

test('a run the store has confirmed is not confirmed again, nor forgotten', async () => {
  const { runs, registry, store, call } = context();
  runs.ask(call('r'), () => {});
  await store.answer(0, { kind: 'run', run: madeRun(store.asked[0]!), created: false, confirmed: true });
  assert.equal(registry.live, 1);
  const later = call('r');
  assert.equal(runs.decide(later), null);
  runs.take(later);
  runs.opened(later);
  assert.deepEqual(store.confirmed, []);
});

test('a tightening is in the transaction of the call\'s opening, before it', async () => {
  const { runs, journal, begun, call } = context();
  await begun('r', { budget: 9 });
  const tighter = call('r', { budget: 4 });
  assert.equal(runs.decide(tighter), null);
  assert.deepEqual([journal.queued, tighter.run!.run.effective], [[], dollars(9)], 'deciding changes nothing');
  runs.take(tighter);
  journal.open('call');
  assert.deepEqual(journal.queued.map((row) => row.row), ['tighten', 'open']);
  journal.commit();
  const [row] = journal.written;
  assert.ok(row?.row === 'tighten');
  assert.deepEqual([row.run, row.declared, row.effective, row.clampReason], ['r', dollars(4), dollars(4), null]);
});

test('a tightening that could not be written is written with the next call, before an answer shows it', async () => {
  const { runs, journal, begun, call } = context();
  await begun('r', { budget: 9 });
  const tighter = call('r', { budget: 4 });
  runs.decide(tighter);
  runs.take(tighter);
  journal.open('refused', () => runs.leave(tighter, true));
  journal.commit(failing);
  const next = call('r');
  assert.equal(runs.decide(next), null);
  runs.take(next);
  assert.deepEqual(journal.queued.map((row) => row.row === 'tighten' && row.effective), [dollars(4)]);
  journal.commit();
  const last = call('r');
  runs.decide(last);
  runs.take(last);
  assert.deepEqual(journal.queued, []);
});

test('the end of a run is in the journal before any caller learns of it, also a second caller in between', async () => {
  const { runs, journal, begun, call } = context();
  const first = await begun('r', { budget: 1 });
  runs.settle(first, endedRecord({ cost: dollars(1) }));
  const [one, two, three] = [call('r'), call('r', { budget: 100 }), call('r')];
  const result = [one, two].map((each) => {
    assert.deepEqual(runs.decide(each), { kind: 'run_over_budget' });
    return tellable(runs, each);
  });
  assert.deepEqual(result.map((each) => each.result), ['waiting', 'waiting']);
  journal.commit();
  assert.deepEqual(result.map((each) => each.result), [null, null]);
  assert.deepEqual(journal.written, [{ row: 'end', organization: 'org_a', run: 'r', state: 'over_budget', atMs: 1_000_000 }]);
  assert.deepEqual(runs.decide(three), { kind: 'run_over_budget' });
  assert.equal(tellable(runs, three).result, null);
  assert.deepEqual(journal.queued, [], 'the end is written once');
});

test('tightened to what is spent, the run ends with that budget, and both rows go together', async () => {
  const { runs, journal, begun, call } = context();
  const first = await begun('r', { budget: 9 });
  runs.settle(first, endedRecord({ cost: dollars(4) }));
  const tighter = call('r', { budget: 4 });
  assert.deepEqual(runs.decide(tighter), { kind: 'run_over_budget' });
  journal.commit();
  assert.deepEqual(journal.written.map((row) => [row.row, row.row === 'tighten' ? row.effective : null]), [['tighten', dollars(4)], ['end', null]]);
});

test('an end that cannot be written is reported to nobody; the run stays ended here, and each call tries again', async () => {
  const { runs, journal, begun, call, registry } = context();
  const first = await begun('r', { budget: 9 });
  runs.settle(first, endedRecord({ cost: dollars(4) }));
  const attempt = (): { result: Error | null | 'waiting' } => {
    const each = call('r', { budget: 4 });
    assert.deepEqual(runs.decide(each), { kind: 'run_over_budget' });
    return tellable(runs, each);
  };
  for (let again = 0; again < 3; again += 1) {
    const outcome = attempt();
    journal.commit(failing);
    assert.equal(outcome.result, failing);
  }
  assert.deepEqual([journal.written, registry.live], [[], 0]);
  const outcome = attempt();
  journal.commit();
  assert.equal(outcome.result, null);
  assert.deepEqual(journal.written.map((row) => row.row), ['tighten', 'end']);
});

test('a run that ended elsewhere is refused here and not written again; the first end counts', async () => {
  const { runs, journal, begun, call } = context();
  const first = await begun('r', { ttlSeconds: 1 });
  const ended = { ...first.run!.run, state: 'closed', endedAtMs: 5 } as const;
  runs.endedElsewhere(ended);
  runs.endedElsewhere({ ...ended, state: 'over_budget' });
  runs.endedElsewhere({ ...ended, state: 'expired', endedAtMs: 6 });
  runs.endedElsewhere({ ...ended, id: 'never held here' });
  const later = call('r');
  const refusal: Refusal = { kind: 'run_closed' };
  assert.deepEqual([runs.decide(later), tellable(runs, later).result, journal.queued], [refusal, null, []]);
});

test('news of an end elsewhere that happened before the one known here counts, and frees no room twice', async () => {
  const { runs, registry, journal, begun, call } = context();
  const first = await begun('r', { ttlSeconds: 1 });
  await begun('other');
  runs.endedElsewhere({ ...first.run!.run, state: 'closed', endedAtMs: 5 });
  runs.endedElsewhere({ ...first.run!.run, state: 'over_budget', endedAtMs: 4 });
  assert.deepEqual([runs.decide(call('r')), registry.live, journal.queued], [{ kind: 'run_over_budget' }, 1, []]);
});

test('a run that was tightened elsewhere has that budget here; news of a larger one, which is older, changes nothing', async () => {
  const { runs, begun, call } = context();
  const first = await begun('r', { budget: 5 });
  const tightenedTo = (budget: number): void => runs.tightenedElsewhere({ ...first.run!.run, effective: dollars(budget) });
  tightenedTo(3);
  assert.equal(first.run!.run.effective, dollars(3));
  const smaller = call('r', { budget: 2 });
  assert.equal(runs.decide(smaller), null);
  runs.take(smaller);
  tightenedTo(3);
  tightenedTo(4);
  assert.equal(first.run!.run.effective, dollars(2));
  runs.settle(first, endedRecord({ cost: dollars(2) }));
  assert.deepEqual(runs.decide(call('r')), { kind: 'run_over_budget' });
});

test('a call in flight when its run ends is added to it', async () => {
  const { runs, journal, begun, call } = context();
  const first = await begun('r', { ttlSeconds: 1 });
  runs.endedElsewhere({ ...first.run!.run, state: 'closed', endedAtMs: 5 });
  runs.settle(first, endedRecord({ cost: dollars(2), usage: 'partial' }));
  const { run } = first.run!;
  assert.deepEqual([run.state, run.spent, run.unknownCalls], ['closed', dollars(2), 1]);
  assert.deepEqual([runs.decide(call('r')), journal.queued], [{ kind: 'run_closed' }, []]);
});

test('runs that the store is asked about have reserved room: no more are asked than fit, and none of them is refused for lack of room', async () => {
  const { runs, store, registry, call, ask } = context({ capacity: 6 });
  for (const id of ['a', 'b', 'c']) {
    assert.deepEqual(runs.decide(call(id)), unseen);
    ask(call(id));
  }
  assert.deepEqual(runs.decide(call('d')), { kind: 'run_registry_full' });
  assert.deepEqual(runs.decide(call('c')), unseen);
  for (const at of [0, 1, 2]) await store.answer(at);
  assert.equal(registry.live, 3);
  assert.deepEqual(runs.decide(call('d')), { kind: 'run_registry_full' });
});

test('the store\'s answer about an ended run reaches the caller, however full the registry is of ended runs', async () => {
  const { runs, registry, store, begun, call, ask } = context({ capacity: 2 });
  for (const id of ['a', 'b']) runs.endedElsewhere({ ...(await begun(id)).run!.run, state: 'closed', endedAtMs: 5 });
  const outcome = ask(call('c'));
  await store.answer(2, { kind: 'run', run: { ...madeRun(store.asked[2]!), state: 'expired', endedAtMs: 5 }, created: false, confirmed: true });
  assert.deepEqual([outcome.result, registry.held], [{ kind: 'run_expired' }, 3], 'those with calls under way stay');
});

test('on an embedded store, a node begins a new run at once; each opening holds its beginning until one is written', () => {
  const { runs, store, journal, call, ask } = context({ policy: { maxRunBudget: dollars(4) } });
  store.isOwn = true;
  const [first, second, third] = [call('r', { budget: 5, ttlSeconds: 60 }), call('r', { budget: 3 }), call('r')] as const;
  assert.deepEqual(runs.decide(first), unseen);
  const beginning = {
    organization: 'org_a', run: 'r', declared: dollars(5), effective: dollars(4), clampReason: 'policy_max', startedAtMs: 1_000_000,
    expiresAtMs: 1_060_000,
  };
  assert.deepEqual([ask(first).result, store.asked, runs.beginningOf(first), runs.decide(second)], [null, [], beginning, null]);
  runs.take(second);
  const tightened = { ...beginning, declared: dollars(3), effective: dollars(3), clampReason: null };
  assert.deepEqual([runs.beginningOf(first), runs.beginningOf(second)], [tightened, tightened]);
  assert.deepEqual(journal.queued.map((row) => row.row === 'tighten' && row.begun), [tightened]);
  journal.commit();
  runs.opened(first);
  assert.deepEqual([runs.decide(third), runs.beginningOf(third), store.confirmed], [null, null, []]);
  runs.take(third);
  runs.settle(first, endedRecord({ cost: dollars(3) }));
  assert.deepEqual(runs.decide(call('r')), { kind: 'run_over_budget' });
  assert.deepEqual(journal.queued.map((row) => row.row === 'end' && row.begun?.startedAtMs), [1_000_000]);
});

test('a run that was begun and whose opening could not be written is released, and asked for the next time', async () => {
  const { runs, store, registry, call, ask } = context();
  store.isOwn = true;
  const first = call('r', { budget: 5 });
  assert.equal(ask(first).result, null);
  runs.leave(first, true);
  assert.equal(registry.held, 0);
  const again = call('r', { budget: 5 });
  const outcome = ask(again);
  assert.deepEqual([outcome.result, store.asked.length], ['waiting', 1]);
  await store.answer(0);
  assert.deepEqual([outcome.result, runs.beginningOf(again)], [null, null]);
});

test('under a limit of exposure, and with a grant that can make no run, the store is still asked', () => {
  for (const [runExposure, isGranted] of [[dollars(9), false], [null, true]] as const) {
    const { store, call, ask, held } = context({ policy: { runExposure } });
    store.isOwn = true;
    const grant = { organization: held.organization.id, run: 'r', max: dollars(15), expiresAtMs: 1, key: 'k', nonce: 'n' };
    assert.equal(ask(call('r', isGranted ? { budget: 5, grant } : { budget: 5 })).result, 'waiting');
    assert.equal(store.asked.length, 1);
  }
});
