/** A task repeated: paused, nudged, slowed down by failures, stopped. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { repeat } from './repeat.ts';

function context(inStep?: () => number) {
  const pauses: number[] = [];
  const reports: (string | null)[] = [];
  let due: (() => void) | null = null;
  let runs = 0;
  let failing = false;
  const repeated = repeat({
    pauseMs: 200, failurePauseMsMax: 1000, ...(inStep === undefined ? {} : { inStep }),
    async task() {
      runs += 1;
      if (failing) throw new Error('away');
    },
    after(delayMs, task) {
      pauses.push(delayMs);
      due = task;
      return () => { due = null; };
    },
    report: (failure) => void reports.push(failure?.message ?? null),
  });
  return {
    repeated, pauses, reports, runs: () => runs, pending: () => due !== null, fail: (now: boolean) => { failing = now; },
    async elapse() {
      due?.();
      await turn();
    },
  };
}

test('the task runs at once, then after each pause; a nudge shortens the pause once', async () => {
  const { repeated, pauses, elapse, runs } = context();
  await turn();
  await elapse();
  assert.deepEqual([pauses, runs()], [[200, 200], 2]);
  repeated.nudge(20);
  repeated.nudge(20);
  assert.deepEqual(pauses, [200, 200, 20]);
  await elapse();
  assert.deepEqual([pauses, runs()], [[200, 200, 20, 200], 3]);
});

test('a nudge during a run makes the next pause short', async () => {
  const { repeated, pauses } = context();
  repeated.nudge(20);
  await turn();
  assert.deepEqual(pauses, [20]);
});

test('the shortest of several nudges counts, whether between two runs or during one', async () => {
  const between = context();
  await turn();
  between.repeated.nudge(50);
  between.repeated.nudge(0);
  between.repeated.nudge(20);
  assert.deepEqual(between.pauses, [200, 50, 0]);
  const during = context();
  during.repeated.nudge(0);
  during.repeated.nudge(50);
  await turn();
  assert.deepEqual(during.pauses, [0]);
});

test('failures are reported once, make the pauses longer up to a bound, and end', async () => {
  const { repeated, pauses, reports, elapse, fail } = context();
  await turn();
  fail(true);
  for (let run = 0; run < 4; run += 1) await elapse();
  repeated.nudge(20);
  fail(false);
  await elapse();
  assert.deepEqual(pauses, [200, 400, 800, 1000, 1000, 200]);
  assert.deepEqual(reports, ['away', null]);
});

test('once stopped, the task does not run again', async () => {
  const { repeated, elapse, runs, pending } = context();
  await turn();
  await repeated.stop();
  await elapse();
  assert.deepEqual([runs(), pending()], [1, false]);
});

test('in step, runs begin at multiples of the pause, whenever the one before ended; a nudge still shortens it', async () => {
  let nowMs = 1_003;
  const { repeated, pauses, elapse } = context(() => nowMs);
  await turn();
  nowMs = 1_390;
  await elapse();
  assert.deepEqual(pauses, [197, 10]);
  repeated.nudge(5);
  assert.deepEqual(pauses, [197, 10, 5]);
});

test('in step, a timer that ends a moment early does not make two runs of one', async () => {
  let nowMs = 1_003;
  const { pauses, elapse } = context(() => nowMs);
  await turn();
  nowMs = 1_199.4;
  await elapse();
  assert.deepEqual(pauses.map(Math.round), [197, 201]);
});
