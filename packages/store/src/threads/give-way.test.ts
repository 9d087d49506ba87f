/** A thread gives way during long work if that is switched on, and otherwise never. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { giveWay, giveWayEvery } from './give-way.ts';

afterEach(() => giveWayEvery(null));

function timed() {
  const time = { nowMs: 0, sleeps: [] as number[] };
  const by = {
    monotonicMs: () => time.nowMs,
    sleep(ms: number) {
      assert.ok(ms > 0 && ms < 0.1);
      time.sleeps.push(time.nowMs);
      time.nowMs += 0.07;
    },
  };
  return { time, by };
}

test('during long work it sleeps for a moment after each fixed stretch of work, and not more often', () => {
  const { time, by } = timed();
  giveWayEvery(0.3, by);
  for (let piece = 0; piece < 100; piece += 1) {
    time.nowMs += 0.01;
    giveWay();
  }
  const gaps = time.sleeps.slice(1).map((atMs, index) => atMs - time.sleeps[index]! - 0.07);
  assert.equal(time.sleeps.length, 3);
  for (const gap of gaps) assert.ok(gap >= 0.3 - 1e-9 && gap < 0.32, String(gap));
});

test('it sleeps only while it is switched on', () => {
  const { time, by } = timed();
  giveWay();
  giveWayEvery(0.3, by);
  giveWayEvery(null);
  time.nowMs += 1_000;
  giveWay();
  assert.deepEqual(time.sleeps, []);
});

test('by this thread itself the sleep is one', () => {
  giveWayEvery(0);
  const beganMs = performance.now();
  giveWay();
  assert.ok(performance.now() > beganMs);
});
