/** A wait is not used up by a pause of the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterOwnTime, type Timers } from './own-time.ts';

/** Timers as in Node's event loop: those that are due fire one after the other, each counted from the moment it was set. */
function timersByHand(): Timers & { pass(ms: number): void } {
  let nowMs = 0;
  let set: { readonly dueMs: number; readonly task: () => void }[] = [];
  return {
    after(delayMs, task) {
      const timer = { dueMs: nowMs + delayMs, task };
      set.push(timer);
      return timer as unknown as NodeJS.Timeout;
    },
    clear(timer) { set = set.filter((each) => each !== timer as unknown); },
    pass(ms) {
      nowMs += ms;
      const due = set.filter(({ dueMs }) => dueMs <= nowMs);
      set = set.filter(({ dueMs }) => dueMs > nowMs);
      for (const { task } of due) task();
    },
  };
}

test('a wait ends once, after that much time in which the thread ran, and not if it was cancelled', () => {
  const timers = timersByHand();
  let ended = 0;
  afterOwnTime(250, () => { ended += 1; }, timers);
  const cancelled = afterOwnTime(250, () => assert.fail('cancelled'), timers);
  for (let ms = 0; ms < 240; ms += 10) timers.pass(10);
  assert.equal(ended, 0);
  cancelled.cancel();
  for (let ms = 0; ms < 500; ms += 10) timers.pass(10);
  assert.equal(ended, 1);
});

test('a pause longer than the whole wait uses up only one part of it', () => {
  const timers = timersByHand();
  let ended = false;
  afterOwnTime(250, () => { ended = true; }, timers);
  timers.pass(400);
  for (let ms = 0; ms < 190; ms += 10) timers.pass(10);
  assert.equal(ended, false, 'what became ready in the pause is looked at first');
  for (let ms = 0; ms < 20; ms += 10) timers.pass(10);
  assert.equal(ended, true);
});
