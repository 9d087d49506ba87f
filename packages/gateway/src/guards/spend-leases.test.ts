/**
 * Caps and runs of a node on a shared store (rules: Spend across nodes; rules 1 and 5b): nothing is admitted without a fresh lease,
 * a call without one asks once and waits, and an unconfirmed refusal never claims that the limit is spent.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { CapId } from '@metergate/core/id.ts';
import type { LeaseAnswer, LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import { LeaseBook, type SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { emptySums } from '@metergate/core/spend/spend-sum.ts';
import type { GuardedCall } from './guards.ts';
import { Guards } from './guards.ts';
import { RunRegistry } from './run-registry.ts';
import { Runs } from './runs.ts';
import { SpendLeases } from './spend-leases.ts';
import { Standings } from './standing.ts';
import { TestStore, dollars, endedRecord, runCallOf, testHeld, testOrganization, TurnJournal, type RunHeaders } from './test-support/run-fixture.ts';

interface Asked {
  readonly claims: readonly SubjectClaim[];
  readonly resolve: (answers: readonly LeaseAnswer[]) => void;
  readonly reject: (error: Error) => void;
}

function context(limit: number) {
  const clock = { wall: 1_000, monotonic: 0, wallMs: () => clock.wall, monotonicMs: () => clock.monotonic };
  const asked: Asked[] = [];
  let shipped = 0;
  let heard: LeaseMoment | null = null;
  const timers: { readonly atMs: number; readonly task: () => void }[] = [];
  const [registry, journal, store] = [new RunRegistry(10), new TurnJournal(), new TestStore()];
  const leases = new SpendLeases({
    book: new LeaseBook(0), registry, clock, systemWallMs: () => clock.wall,
    client: {
      claimLeases: (_batch, claims) => new Promise((resolve, reject) => { asked.push({ claims, resolve, reject }); }),
      shipNow: () => { shipped += 1; },
      runsCurrentAt: () => heard,
    },
    after: (delayMs, task) => { timers.push({ atMs: clock.monotonic + delayMs, task }); },
  });
  const guards = new Guards(clock, new Runs({ registry, journal, store, clock }), leases);
  const plain = testHeld(testOrganization({
    caps: [{ id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: dollars(limit), mode: 'refuse' }],
  }));
  const standings = new Standings(clock.monotonicMs, { rateLimitFaults: 0 }, leases);
  const held = { ...plain, standing: standings.of({
    key: plain.key, organization: plain.organization, spend: { organization: emptySums(1_000), key: emptySums(1_000) }, capped: [],
  }) };
  const call = (run: string | null = null, headers: RunHeaders = {}): GuardedCall =>
    ({ held, estimate: 1, runCall: run === null ? null : runCallOf(held, run, headers), unmetered: null, taken: null, labels: [] });
  const answer = async (over: { readonly granted: number; readonly spent?: number; readonly validMs?: number }, at = 0): Promise<void> => {
    const [{ claims, resolve }] = asked.splice(at, 1) as [Asked];
    resolve(claims.map(() => ({
      granted: dollars(over.granted), spent: dollars(over.spent ?? 0), shipped: nanoDollars(0n), limit: dollars(limit),
      validMs: over.validMs ?? 5_000, confirmMs: 2_500, contested: false,
    })));
    await turn();
  };
  const pass = (ms: number): void => {
    clock.wall += ms;
    clock.monotonic += ms;
    for (const timer of timers.splice(0)) {
      if (timer.atMs <= clock.monotonic) timer.task();
      else timers.push(timer);
    }
  };
  const hear = (moment: LeaseMoment): void => { heard = moment; };
  return { clock, asked, leases, guards, held, call, answer, pass, store, registry, shipped: () => shipped, hear };
}

const unconfirmed = { kind: 'cap_unconfirmed', scope: 'organization', subject: null, window: 'month' };

test('a lease for a cap may be requested; the call that waited is admitted, and the next one uses the held lease', async () => {
  const { guards, call, answer, asked } = context(10);
  const first = call();
  const decision = guards.decide(first);
  assert.deepEqual(decision, unconfirmed);
  assert.equal(guards.mayAsk(decision!), true);
  let answered: unknown = 'not answered';
  guards.ask(first, 250, (refusal) => { answered = refusal; });
  guards.ask(call(), 250, () => {});
  assert.equal(asked.length, 1, 'one question for all who ask at once');
  await answer({ granted: 2 });
  assert.equal(answered, null);
  assert.equal(guards.decide(first), null);
  assert.equal(guards.decide(call()), null);
});

test('a waiting call is answered in time, whatever happens; a store that fails leaves it unconfirmed, never spent', async () => {
  const { guards, call, asked, pass } = context(10);
  let answered = 0;
  guards.ask(call(), 250, () => { answered += 1; });
  pass(249);
  assert.equal(answered, 0);
  pass(1);
  assert.equal(answered, 1);
  asked[0]!.reject(new Error('away'));
  await turn();
  assert.equal(answered, 1);
  assert.deepEqual(guards.decide(call()), unconfirmed);
});

test('an answer that found room which was spent meanwhile admits nothing: the call may ask again, and one not answered in time may not', async () => {
  const { guards, call, answer, asked, pass } = context(10);
  const answered: boolean[] = [];
  guards.ask(call(), 250, () => {});
  await answer({ granted: 1 });
  const underWay = [call(), call()];
  for (const each of underWay) guards.take(each);
  guards.settle(underWay[0]!, endedRecord({ cost: dollars(1), startedAtMs: 1_000 }));
  guards.ask(call(), 250, (_refusal, again) => { answered.push(again); });
  guards.settle(underWay[1]!, endedRecord({ cost: dollars(1), startedAtMs: 1_000 }));
  await answer({ granted: 1.5 });
  assert.deepEqual([answered, guards.decide(call())], [[true], unconfirmed]);
  guards.ask(call(), 250, (_refusal, again) => { answered.push(again); });
  pass(250);
  assert.deepEqual([answered, guards.decide(call())], [[true, false], unconfirmed]);
  asked.pop()!.reject(new Error('away'));
  await turn();
  guards.ask(call(), 250, (_refusal, again) => { answered.push(again); });
  await answer({ granted: 2 });
  assert.deepEqual([answered, guards.decide(call())], [[true, false, false], unconfirmed], 'nothing was granted');
});

test('a lease is used for as long as both clocks allow, also if no timer ran meanwhile', async () => {
  const { guards, call, answer, clock } = context(10);
  guards.ask(call(), 250, () => {});
  await answer({ granted: 2 });
  clock.monotonic += 4_999;
  assert.equal(guards.decide(call()), null);
  clock.monotonic += 1;
  assert.deepEqual(guards.decide(call()), unconfirmed);
  clock.monotonic -= 1;
  clock.wall += 5_000;
  assert.deepEqual(guards.decide(call()), unconfirmed);
});

test('the spend of others counts, and reached comes before unconfirmed', async () => {
  const { guards, call, answer, held } = context(10);
  guards.ask(call(), 250, () => {});
  await answer({ granted: 0, spent: 9 });
  assert.equal(held.standing.organization.sums.month.spent, dollars(9));
  assert.deepEqual(guards.decide(call()), unconfirmed);
  guards.ask(call(), 250, () => {});
  await answer({ granted: 0, spent: 10 });
  assert.equal(guards.decide(call())?.kind, 'cap_reached');
});

test('a call that overruns its lease has the journal shipped at once and the lease requested', async () => {
  const { guards, call, answer, asked, shipped } = context(10);
  guards.ask(call(), 250, () => {});
  await answer({ granted: 2 });
  const taken = call();
  assert.equal(guards.decide(taken), null);
  guards.take(taken);
  guards.settle(taken, endedRecord({ cost: dollars(3), startedAtMs: 1_000 }));
  assert.equal(shipped(), 1);
  assert.deepEqual(asked.map(({ claims }) => claims.map(({ settled }) => settled)), [[dollars(3)]]);
  assert.deepEqual(guards.decide(call()), unconfirmed);
});

test('a lease in use is confirmed at half of its validity, and at once if the store asks for it', async () => {
  const { guards, call, answer, asked, pass, leases } = context(10);
  guards.ask(call(), 250, () => {});
  await answer({ granted: 2 });
  const taken = call();
  guards.decide(taken);
  guards.take(taken);
  for (let ms = 0; ms < 2_400; ms += 100) pass(100);
  assert.equal(asked.length, 0);
  pass(100);
  assert.equal(asked.length, 1);
  await answer({ granted: 2 });
  leases.confirmSoon();
  assert.equal(asked.length, 1);
});

test('an answer for the next window does not change this one, and applies when that window begins', async () => {
  const endMs = Date.UTC(1970, 1, 1);
  const { guards, call, answer, asked, clock, pass, held } = context(10);
  clock.wall = endMs - 3_000;
  guards.ask(call(), 250, () => {});
  await answer({ granted: 1, spent: 9 });
  const taken = call();
  assert.equal(guards.decide(taken), null);
  guards.take(taken);
  pass(100);
  assert.deepEqual(asked.map(({ claims }) => claims.map(({ subject }) => subject.startMs)), [[endMs]]);
  await answer({ granted: 2, spent: 4 });
  assert.equal(held.standing.organization.sums.month.spent, dollars(9));
  pass(2_900);
  assert.equal(guards.decide(call()), null);
  assert.equal(held.standing.organization.sums.month.spent, dollars(4));
});

test('a run with a budget has a lease; one without continues while news of its end would arrive', async () => {
  const { guards, call, answer, asked, store, hear, clock } = context(1_000);
  const first = call('r', { budget: 5 });
  const decision = guards.decide(first);
  assert.equal(decision?.kind, 'cap_unconfirmed', 'a cap that cannot be confirmed goes before an unseen run');
  guards.ask(first, 250, () => {});
  await answer({ granted: 100 });
  await store.answer(0);
  assert.deepEqual(guards.decide(first), { kind: 'run_unconfirmed' });
  guards.ask(first, 250, () => {});
  assert.equal(asked[0]!.claims[0]!.subject.scope, 'run');
  await answer({ granted: 1 });
  assert.equal(guards.decide(first), null);

  const free = call('free');
  guards.ask(free, 250, () => {});
  await store.answer(1);
  assert.deepEqual(guards.decide(free), { kind: 'run_unconfirmed' });
  hear({ monotonicMs: clock.monotonic, wallMs: clock.wall });
  assert.equal(guards.decide(free), null);
});

test('a run that is forgotten and asked for again continues with its lease: there is never a second claim for it', async () => {
  const { guards, call, answer, asked, store, pass, registry } = context(1_000);
  const first = call('r', { budget: 5 });
  guards.ask(first, 250, () => {});
  await answer({ granted: 100 });
  await store.answer(0);
  assert.deepEqual(guards.decide(first), { kind: 'run_unconfirmed' });
  guards.ask(first, 250, () => {});
  guards.giveBack(first);
  assert.equal(registry.held, 0, 'its caller left, so the run is forgotten');
  await answer({ granted: 1 });

  const again = call('r', { budget: 5 });
  guards.ask(again, 250, () => {});
  await store.answer(1);
  assert.equal(guards.decide(again), null, 'the lease that was granted is there');
  guards.take(again);
  pass(2_500);
  const runs = asked.flatMap(({ claims }) => claims).filter(({ subject }) => subject.scope === 'run');
  assert.deepEqual(runs.map(({ wants, holds }) => [wants, holds]), [[true, dollars(1)]]);
});

test('a run that cannot be confirmed goes behind a cap that cannot, and behind one that was reached meanwhile', async () => {
  const { guards, call, answer, asked, store } = context(10);
  const answered: (Refusal | null)[] = [];
  const first = call('unseen', { budget: 5 });
  assert.deepEqual(guards.decide(first), unconfirmed);
  guards.ask(first, 250, (refusal) => { answered.push(refusal); });
  await store.away(0);
  asked.pop()!.reject(new Error('away'));
  await turn();
  assert.deepEqual(answered[0], unconfirmed);
  const second = call('unseen', { budget: 5 });
  guards.ask(second, 250, (refusal) => { answered.push(refusal); });
  await answer({ granted: 5 });
  await store.away(1);
  assert.deepEqual(answered[1], { kind: 'run_unconfirmed' });
  const third = call('unseen', { budget: 5 });
  guards.ask(third, 250, (refusal) => { answered.push(refusal); });
  guards.settle(taken(guards, call()), endedRecord({ cost: dollars(10), startedAtMs: 1_000 }));
  await store.away(2);
  assert.deepEqual(answered[2],
    { kind: 'cap_reached', scope: 'organization', subject: null, window: 'month', mode: 'refuse', retryAfterSeconds: null });
});

function taken(guards: Guards, call: GuardedCall): GuardedCall {
  guards.take(call);
  return call;
}
