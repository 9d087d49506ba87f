/** Readiness is true, and trouble is reported once a minute with what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNodeWatch } from './node-watch.ts';
import type { ThreadName } from './thread-pulse.ts';

function watching() {
  const state = { nowMs: 0, free: 10 ** 10 as number | null };
  const told: string[] = [];
  const watch = createNodeWatch({
    directory: '/data', tell: (_level, sentence) => told.push(sentence), monotonicMs: () => state.nowMs, freeBytes: () => state.free,
  });
  return { state, told, watch, causes: () => watch.unready().map(({ cause }) => cause) };
}

test('a process is not ready while it starts and while it stops', () => {
  const { watch, causes } = watching();
  assert.deepEqual(causes(), ['starting']);
  watch.phase = null;
  assert.deepEqual(causes(), []);
  watch.phase = { cause: 'stopping', sentence: 'Stopping.' };
  assert.deepEqual(causes(), ['stopping']);
});

test('a full disk is noticed without a call and reported at once, once a minute while it lasts, and when there is room again', () => {
  const { state, told, watch, causes } = watching();
  watch.phase = null;
  state.free = 100;
  for (const ms of [0, 1_000, 59_000, 60_000, 61_000]) {
    state.nowMs = ms;
    watch.look();
  }
  assert.deepEqual(causes(), ['journal']);
  assert.equal(told.length, 2);
  assert.match(told[0]!, /The journal in \/data cannot be written: the disk is full\..*Make room/);
  state.free = null;
  watch.look();
  assert.deepEqual([told.slice(2), causes()], [['The journal can be written again.'], []]);
});

test('a disk that fills is reported before it is full, once an hour; with next to nothing left the node is not ready', () => {
  const { state, told, watch, causes } = watching();
  watch.phase = null;
  state.free = 300 * 1_048_576;
  for (const minutes of [0, 1, 59, 60]) {
    state.nowMs = minutes * 60_000;
    watch.look();
  }
  assert.deepEqual([causes(), told.length], [[], 2]);
  assert.match(told[0]!, /The disk of the journal in \/data has 300 MiB left\./);
  state.free = 3 * 1_048_576;
  watch.look();
  assert.deepEqual([causes(), told.length], [['journal'], 3]);
  assert.match(told[2]!, /almost full: when it is, calls get 500/);
});

test('the node\'s own report counts: each trouble with its cause', () => {
  const { told, watch, causes } = watching();
  watch.phase = null;
  watch.update({ journal: 'the disk failed', unconfirmed: true });
  watch.look();
  assert.deepEqual([causes(), told.length], [['journal', 'store'], 2]);
  watch.update({ journal: null, unconfirmed: false });
  watch.look();
  assert.deepEqual([causes(), told.slice(2)], [[], ['The journal can be written again.', 'The shared store answers again.']]);
});

test('a thread that does not answer makes the node unready, says so and says when it is over; beside a gateway the platform only says so', () => {
  const ofCalls = ['gateway_thread', 'store_thread'];
  for (const [directory, causes] of [['/data', ofCalls], [null, [...ofCalls, 'platform_thread']]] as const) {
    const told: string[] = [];
    let silent: readonly ThreadName[] = [];
    const watch = createNodeWatch({
      directory, tell: (_level, sentence) => told.push(sentence), monotonicMs: () => 0, freeBytes: () => null, silent: () => silent,
    });
    watch.phase = null;
    watch.look();
    assert.deepEqual([watch.unready(), told], [[], []]);
    silent = ['gateway', 'store', 'platform'];
    watch.look();
    watch.look();
    assert.deepEqual(watch.unready().map(({ cause }) => cause), causes);
    assert.match(told[0]!, /The gateway thread does not answer: calls hang\./);
    assert.equal(told.length, 3);
    silent = [];
    watch.look();
    assert.deepEqual(told.slice(3).map((sentence) => sentence.endsWith(' thread answers again.')), [true, true, true]);
    assert.deepEqual(watch.unready(), []);
  }
});
