/** Pollers see the 503 before the first connection is refused; without pollers a stop does not wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createReaders } from './leave-taking.ts';

test('it resolves at once if nobody polled lately, else once a poller has seen it three times', async () => {
  const readers = createReaders(60_000);
  assert.equal(readers.watch(0), false);
  await readers.haveSeen(0);
  readers.asked(1_000, 'one');
  assert.deepEqual([readers.watch(11_000), readers.watch(11_001)], [true, false]);
  await readers.haveSeen(20_000);
  readers.asked(20_000, 'one');
  const heard = readers.haveSeen(21_000);
  for (const atMs of [21_000, 21_500]) readers.asked(atMs, 'one');
  assert.equal(await Promise.race([heard.then(() => 'over'), turn('waiting')]), 'waiting');
  readers.asked(22_000, 'one');
  await heard;
});

test('several pollers: each has seen it three times, and one that polled long ago is not waited for', async () => {
  const readers = createReaders(60_000);
  readers.asked(0, 'gone');
  for (const who of ['one', 'other']) readers.asked(20_000, who);
  const heard = readers.haveSeen(20_000);
  for (let count = 0; count < 10; count += 1) readers.asked(20_100 + count, 'one');
  for (const atMs of [20_500, 21_500]) readers.asked(atMs, 'other');
  assert.equal(await Promise.race([heard.then(() => 'over'), turn('waiting')]), 'waiting');
  readers.asked(22_500, 'other');
  await heard;
});

test('a reader that stays silent is waited for no longer than allowed', async () => {
  const readers = createReaders(1);
  readers.asked(0, 'one');
  await readers.haveSeen(1);
  const none = createReaders(0);
  none.asked(0, 'one');
  await none.haveSeen(1);
});
