/**
 * The bounded queue of events.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventQueue } from './event-queue.ts';

test('first in, first out, over any order of adding and taking', () => {
  const queue = createEventQueue(1_000);
  let added = 0;
  let taken = 0;
  for (let turn = 0; turn < 200; turn += 1) {
    for (let at = 0; at < (turn * 7) % 13; at += 1) queue.add(String(added += 1));
    for (const event of queue.take((turn * 5) % 11)) assert.equal(event, String(taken += 1));
    assert.equal(queue.size(), added - taken);
  }
  assert.ok(taken > 500);
});

test('a full queue drops what comes and keeps what it has', () => {
  const queue = createEventQueue(3);
  for (const event of ['a', 'b', 'c', 'd']) queue.add(event);
  assert.equal(queue.size(), 3);
  assert.deepEqual(queue.take(2), ['a', 'b']);
  queue.add('e');
  assert.deepEqual(queue.take(10), ['c', 'e']);
  queue.add('f');
  queue.clear();
  assert.equal(queue.size(), 0);
});
