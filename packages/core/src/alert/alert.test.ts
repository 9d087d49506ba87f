/** Which events of a cap are sent, and when a day is unusual: plain rules, checked by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { capEvents, type SentEvents } from './cap-events.ts';
import { unusualDay } from './unusual-day.ts';
import { retryPauseMs } from './webhook-event.ts';

const at = (sent: SentEvents | null, spent: number, given: { windowStartMs?: number; limit?: number; thresholds?: readonly number[] } = {}) =>
  capEvents(sent, {
    windowStartMs: given.windowStartMs ?? 0, spent: nanoDollars(BigInt(spent)), limit: nanoDollars(BigInt(given.limit ?? 100)),
    thresholds: given.thresholds ?? [100, 50, 80],
  });
const names = ({ events }: ReturnType<typeof capEvents>) => events.map((event) => event.type === 'cap.threshold' ? event.threshold : event.type);

test('each threshold once in a window, in their order, and reached once', () => {
  const half = at(null, 50);
  assert.deepEqual(names(half), [50]);
  assert.deepEqual(names(at(half.sent, 79)), []);
  const whole = at(half.sent, 120);
  assert.deepEqual(names(whole), [80, 100, 'cap.reached']);
  assert.deepEqual(names(at(whole.sent, 500)), []);
});

test('the next window sends the reset, and its own thresholds', () => {
  const reached = at(null, 100).sent;
  const next = at(reached, 60, { windowStartMs: 1 });
  assert.deepEqual(names(next), ['cap.reset', 50]);
  assert.deepEqual(names(at(next.sent, 10, { windowStartMs: 2 })), []);
});

test('without thresholds only reached and reset are sent; a higher limit lets it be reached again', () => {
  const reached = at(null, 100, { thresholds: [] });
  assert.deepEqual(names(reached), ['cap.reached']);
  const higher = at(reached.sent, 100, { limit: 200, thresholds: [] });
  assert.deepEqual([names(higher), higher.sent.reached], [[], false]);
  assert.deepEqual(names(at(higher.sent, 200, { limit: 200, thresholds: [] })), ['cap.reached']);
});

test('a limit of 0 is reached at once, and its thresholds are sent with the first spend', () => {
  assert.deepEqual(names(at(null, 0, { limit: 0 })), ['cap.reached']);
  assert.deepEqual(names(at(null, 1, { limit: 0 })), [50, 80, 100, 'cap.reached']);
});

const dayMs = 86_400_000;
const today = 700 * dayMs;
const dollars = (amount: number) => nanoDollars(BigInt(Math.round(amount * 1e9)));
const unusual = (spent: number, before: readonly number[]) => unusualDay(
  [{ dayMs: today, spent: dollars(spent) }, ...before.map((each, week) => ({ dayMs: today - (week + 1) * 7 * dayMs, spent: dollars(each) }))],
  today + 5)?.usual;

test('a day is unusual above twice the largest of the same weekdays, by a dollar, if two of them are known', () => {
  assert.equal(unusual(10.1, [5, 3]), dollars(5));
  assert.equal(unusual(10, [5, 3]), undefined);
  assert.equal(unusual(1.4, [0.5, 0.3]), undefined);
  assert.equal(unusual(100, [5]), undefined);
  assert.equal(unusual(100, []), undefined);
  assert.equal(unusualDay([{ dayMs: today - dayMs, spent: dollars(1) }, { dayMs: today, spent: dollars(90) }], today), null);
});

test('the first retry comes within ten seconds, and the last is the end', () => {
  assert.ok(retryPauseMs(1)! <= 10_000);
  assert.deepEqual([retryPauseMs(7) === null, retryPauseMs(8)], [false, null]);
});
