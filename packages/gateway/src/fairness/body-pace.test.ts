/** Rule 8a: when a body is too slow, by a clock of numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyPace } from './body-pace.ts';

/** Checks every second a body whose bytes at each second are given; the second at which it is late, else null. */
function lateAt(bytesAt: (second: number) => number, seconds: number, waiting: (second: number) => boolean = () => false): number | null {
  const pace = new BodyPace();
  for (let second = 0; second <= seconds; second += 1) {
    if (waiting(second)) pace.restart();
    else if (pace.isLate(bytesAt(second), 1_000 * second)) return second;
  }
  return null;
}

test('a body of which nothing comes is late after a minute, one that stalls a minute after its last byte', () => {
  assert.equal(lateAt(() => 0, 600), 60);
  assert.equal(lateAt((second) => 1e6 * Math.min(second, 10), 600), 70);
  assert.equal(lateAt((second) => (second < 100 ? second * 1e6 : 99e6), 600), 159);
});

test('one of less than 1 KiB a second over a minute is late, one of more never is', () => {
  assert.equal(lateAt((second) => second, 600), 60);
  assert.equal(lateAt((second) => 1_023 * second, 600), 60);
  assert.equal(lateAt((second) => 1_024 * second, 3_600), null);
  assert.equal(lateAt((second) => Math.floor(second / 50) * 1e6, 3_600), null, 'in pieces that are far apart, but less than a minute');
  assert.equal(lateAt((second) => (second <= 120 ? 1e5 * second : 1.2e7 + second), 600), 180);
});

test('time that the gateway did not read does not count', () => {
  assert.equal(lateAt(() => 7, 600, (second) => second % 50 === 49), null);
  assert.equal(lateAt(() => 7, 600, (second) => second < 100), 160);
});
