/**
 * Runs and the clock of their node (rules 5b, 13 and 14): a run seen as expired, over budget or closed stays so however the
 * system's clock steps; a full registry looks for expired runs once a second at most.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndedState } from '@metergate/core/run/run.ts';
import { createNodeClock } from '../clock/node-clock.ts';
import { RunRegistry } from './run-registry.ts';
import { Runs, type RunCall } from './runs.ts';
import { TestStore, dollars, endedRecord, runCallOf, testHeld, testOrganization, TurnJournal, type RunHeaders } from './test-support/run-fixture.ts';

const startMs = Date.UTC(2026, 10, 21);

function context({ capacity = 100 } = {}) {
  const system = { wall: startMs, monotonic: 500 };
  const clock = createNodeClock({ wallMs: () => system.wall, monotonicMs: () => system.monotonic });
  const [registry, journal, store] = [new RunRegistry(capacity), new TurnJournal(), new TestStore()];
  const runs = new Runs({ registry, journal, store, clock });
  const held = testHeld(testOrganization());
  const call = (id: string, headers?: RunHeaders): RunCall => runCallOf(held, id, headers);
  const begin = async (id: string, headers?: RunHeaders): Promise<RunCall> => {
    const first = call(id, headers);
    runs.ask(first, () => {
      assert.equal(runs.decide(first), null);
      runs.take(first);
    });
    await store.answer(store.asked.length - 1);
    runs.opened(first);
    return first;
  };
  const kindOf = (id: string) => runs.decide(call(id))?.kind ?? 'admitted';
  const passes = (ms: number): void => {
    system.wall += ms;
    system.monotonic += ms;
  };
  return { system, registry, journal, store, runs, held, call, begin, kindOf, passes };
}

for (const [what, step] of [['back an hour', -3_600_000], ['forward a year', 31_536_000_000], ['back before the epoch', -2 * startMs]] as const) {
  test(`a run once expired, over budget or closed stays so when the clock steps ${what}, at once and ten minutes later`, async () => {
    const { system, journal, runs, begin, kindOf, passes } = context();
    await begin('expired', { ttlSeconds: 1 });
    const spent = await begin('spent', { budget: 1 });
    runs.settle(spent, endedRecord({ cost: dollars(1) }));
    const closed = await begin('closed');
    runs.endedElsewhere({ ...closed.run!.run, state: 'closed', endedAtMs: startMs });
    passes(1_000);
    const wanted = { expired: 'run_expired', spent: 'run_over_budget', closed: 'run_closed' };
    const seen = () => Object.fromEntries(Object.keys(wanted).map((id) => [id, kindOf(id)]));
    assert.deepEqual(seen(), wanted);
    journal.commit();
    system.wall += step;
    assert.deepEqual(seen(), wanted);
    for (let minutes = 0; minutes < 10; minutes += 1) {
      passes(60_000);
      assert.deepEqual(seen(), wanted);
    }
    assert.equal(journal.written.length, 2, 'each end is written once');
  });
}

test('a step forward expires no run before its time has passed, and a step back gives no run more time', async () => {
  const { system, begin, kindOf, passes } = context();
  await begin('a', { ttlSeconds: 30 });
  system.wall += 86_400_000;
  assert.equal(kindOf('a'), 'admitted');
  passes(29_999);
  assert.equal(kindOf('a'), 'admitted');
  passes(1);
  assert.equal(kindOf('a'), 'run_expired');
  await begin('b', { ttlSeconds: 30 });
  system.wall -= 172_800_000;
  passes(29_999);
  assert.equal(kindOf('b'), 'admitted');
  passes(1);
  assert.equal(kindOf('b'), 'run_expired');
});

test('the last millisecond of a time limit admits, the next one ends the run as of then', async () => {
  const { begin, kindOf, passes, journal } = context();
  await begin('r', { ttlSeconds: 2 });
  passes(1_999);
  assert.equal(kindOf('r'), 'admitted');
  passes(1);
  assert.equal(kindOf('r'), 'run_expired');
  assert.deepEqual(journal.queued, [{ row: 'end', organization: 'org_a', run: 'r', state: 'expired' satisfies EndedState, atMs: startMs + 2_000 }]);
});

test('a full registry ends runs whose time has passed, looking once a second at most, and writes each end', async () => {
  const { begin, kindOf, passes, journal, registry } = context({ capacity: 6 });
  for (const [id, ttlSeconds] of [['a', 1], ['b', 2], ['c', 60]] as const) await begin(id, { ttlSeconds });
  passes(999);
  assert.equal(kindOf('x'), 'run_registry_full');
  passes(1);
  assert.equal(kindOf('x'), 'run_registry_full', 'it looked a millisecond ago');
  passes(999);
  assert.deepEqual([kindOf('x'), registry.live], ['run_unseen', 2]);
  await begin('x');
  passes(1);
  assert.deepEqual([kindOf('y'), registry.live], ['run_registry_full', 3], 'b is expired by now, unseen');
  passes(999);
  assert.deepEqual([kindOf('y'), registry.live], ['run_unseen', 2]);
  assert.deepEqual(journal.queued.map((row) => row.row === 'end' && [row.run, row.state]), [['a', 'expired'], ['b', 'expired']]);
  assert.deepEqual([kindOf('a'), kindOf('b')], ['run_expired', 'run_expired']);
});

test('a caller of a run that the search ended is refused once the end is written', async () => {
  const { runs, begin, call, kindOf, passes, journal } = context({ capacity: 1 });
  await begin('a', { ttlSeconds: 1 });
  passes(1_000);
  assert.equal(kindOf('x'), 'run_unseen');
  const late = call('a');
  assert.deepEqual(runs.decide(late), { kind: 'run_expired' });
  let called = false;
  runs.whenEnded(late, () => { called = true; });
  assert.equal(called, false);
  journal.commit();
  assert.equal(called, true);
});
