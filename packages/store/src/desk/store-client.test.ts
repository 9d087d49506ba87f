/** Questions to the store: answered, failed or late, and never waited for beyond the deadline (rules: The path of a call). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRuns, noteRun } from '@metergate/core/run/known-runs.ts';
import type { Run } from '@metergate/core/run/run.ts';
import type { NewRun } from '../runs/make-runs.ts';
import type { FromStore, OrganizationChange, ToStore } from './protocol.ts';
import { createStoreClient, type Port } from './store-client.ts';

function context() {
  const sent: ToStore[] = [];
  const timers: { delayMs: number; task: () => void; cancelled: boolean }[] = [];
  let hear: (message: FromStore) => void = () => {};
  let nowMs = 0;
  const client = createStoreClient({
    port: {
      postMessage: (message: ToStore) => void sent.push(message),
      on(_event: string, listener: typeof hear) { hear = listener; },
    } as unknown as Port,
    clock: () => nowMs,
    after(delayMs, task) {
      const timer = { delayMs, task, cancelled: false };
      timers.push(timer);
      return () => { timer.cancelled = true; };
    },
  });
  return { client, sent, timers, say: (message: FromStore) => hear(message), moveTo: (ms: number) => { nowMs = ms; } };
}

test('each question gets its own answer, in whatever order the answers come', async () => {
  const { client, sent, say, timers } = context();
  const [first, second] = [client.askKey('aa'), client.askKey('bb')];
  assert.deepEqual(sent, [{ kind: 'ask', number: 1, hash: 'aa' }, { kind: 'ask', number: 2, hash: 'bb' }]);
  const found = { key: { id: 'k' }, organization: { id: 'o' }, capped: [] } as never;
  say({ kind: 'answer', number: 2, found });
  say({ kind: 'answer', number: 1, found: null });
  assert.deepEqual([await first, await second], [null, found]);
  assert.ok(timers.every(({ cancelled }) => cancelled));
});

test('a store that fails or is late rejects the question after 250 ms at most, and a late answer changes nothing', async () => {
  const { client, say, timers, moveTo } = context();
  say({ kind: 'heartbeat' });
  moveTo(1_000);
  const failed = client.askKey('aa');
  say({ kind: 'failed', number: 1 });
  await assert.rejects(failed, { name: 'StoreAway' });
  const late = client.askRun({} as never);
  assert.equal(timers[1]!.delayMs, 250);
  timers[1]!.task();
  await assert.rejects(late, { name: 'StoreAway', message: 'The store did not answer within 250 ms.' });
  say({ kind: 'run', number: 2, answer: { kind: 'absent' } });
});

test('an answer within five seconds after the deadline goes to its late listener, once', async () => {
  const { client, say, timers, moveTo } = context();
  say({ kind: 'heartbeat' });
  moveTo(1_000);
  const heard: unknown[] = [];
  const asked = [client.askKey('aa', (found) => heard.push(found)), client.askRun({} as never, (answer) => heard.push(answer.kind)),
    client.askKey('cc', () => heard.push('cc'))];
  for (const timer of timers.slice(0, 3)) timer.task();
  for (const each of asked) await assert.rejects(each, { name: 'StoreAway' });
  assert.deepEqual(timers.slice(3).map(({ delayMs }) => delayMs), [5_000, 5_000, 5_000]);
  say({ kind: 'answer', number: 1, found: null });
  say({ kind: 'answer', number: 1, found: null });
  say({ kind: 'run', number: 2, answer: { kind: 'absent' } });
  timers[5]!.task();
  say({ kind: 'answer', number: 3, found: null });
  assert.deepEqual(heard, [null, 'absent']);
});

test('a question about a key waits for two seconds, since nothing can be decided without it, one about a run for 250 ms', async () => {
  const { client, timers, say, moveTo } = context();
  client.askKey('cc').catch(() => {});
  say({ kind: 'heartbeat' });
  moveTo(3_600_000);
  client.askKey('aa').catch(() => {});
  client.askRun({} as never).catch(() => {});
  assert.deepEqual(timers.map(({ delayMs }) => delayMs), [2_000, 2_000, 250]);
});

test('an answer counts as a sign of the store when it reached its data, not when it reports that it cannot', async () => {
  const { client, say, moveTo } = context();
  moveTo(100);
  say({ kind: 'failed', number: 1 });
  assert.equal(client.lastNewsMs(), 0);
  say({ kind: 'heartbeat' });
  assert.equal(client.lastNewsMs(), 100);
  await client.heard;
});

test('listeners receive changes; a late listener gets the prices at once', () => {
  const { client, say } = context();
  const heard: unknown[] = [];
  client.onChange((change) => heard.push(change));
  const change = { id: 'o', organization: null, keys: [], capped: [] } as unknown as OrganizationChange;
  say({ kind: 'changed', change });
  say({ kind: 'prices', prices: { list: null, overlay: '{}' } });
  client.onPrices(({ overlay }) => heard.push(overlay));
  say({ kind: 'prices', prices: { list: null, overlay: null } });
  assert.deepEqual(heard, [change, '{}', null]);
});

test('nudges close together are one message', () => {
  const { client, sent, moveTo } = context();
  client.nudgeJournal();
  client.nudgeJournal();
  moveTo(49);
  client.nudgeJournal();
  assert.equal(sent.length, 1);
  moveTo(50);
  client.nudgeJournal();
  assert.equal(sent.length, 2);
});

test('beyond 2,000 questions of one asker under way a further one is rejected at once; another asker has half of the rest', async () => {
  const { client, sent, say } = context();
  for (let number = 0; number < 2000; number += 1) client.askKey('aa').catch(() => {});
  await assert.rejects(client.askKey('bb'), { name: 'StoreAway' });
  assert.equal(sent.length, 2000);
  const run = (organization: string) => client.askRun({ organization } as never);
  for (let number = 0; number < 1000; number += 1) run('org_a').catch(() => {});
  await assert.rejects(run('org_a'), { name: 'StoreAway' });
  run('org_b').catch(() => {});
  assert.equal(sent.length, 3001);
  for (let number = 1; number <= 1000; number += 1) say({ kind: 'answer', number, found: null });
  client.askKey('bb').catch(() => {});
  assert.equal(sent.length, 3002, 'what is answered makes room');
});

test('a run begins without a question only if all runs are known, it is none of them, and the store takes the journal', async () => {
  const { client, sent, say, moveTo } = context();
  const named = (id: string) => ({ organization: 'org_a' as never, id });
  assert.equal(client.claimRun(named('new')), false, 'nothing was told yet, or the store is shared');
  assert.equal(client.isNewRun(named('new')), false, 'and it may exist');
  const known = noRuns();
  noteRun(known, named('old'));
  say({ kind: 'known_runs', known });
  assert.equal(client.claimRun(named('new')), false, 'the store has not said that it takes anything');
  assert.deepEqual(['old', 'new', 'new'].map((id) => client.isNewRun(named(id))), [false, true, true]);
  say({ kind: 'kept' });
  assert.deepEqual(['old', 'new', 'new'].map((id) => client.claimRun(named(id))), [false, true, false]);
  assert.deepEqual(sent, [{ kind: 'nudge' }]);
  client.askRun({ ...named('asked') } as Partial<NewRun> as NewRun).catch(() => {});
  say({ kind: 'run', number: 7, answer: { kind: 'run', run: named('told') as Partial<Run> as Run, created: true, confirmed: false } });
  assert.deepEqual(['asked', 'told'].map((id) => client.claimRun(named(id))), [false, false]);
  moveTo(1_301);
  say({ kind: 'heartbeat' });
  assert.equal(client.claimRun(named('newer')), false, 'it can be read, and has kept nothing for longer than a second');
  say({ kind: 'kept' });
  assert.equal(client.claimRun(named('newer')), true);
});
