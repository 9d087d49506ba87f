/** Passwords hashed on threads: the same hashes, and who is known does not wait for strangers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashingOnThreads, restBehind } from './hashing-threads.ts';
import { HashingBusy, Passwords, type HashingCost } from './passwords.ts';

const cheap: HashingCost = { N: 1_024, r: 8, p: 1 };
const password = 'correct horse battery';

test('a hash made on a thread equals one made elsewhere, and a wrong one does not match', async () => {
  const onThreads = new Passwords(cheap, hashingOnThreads());
  const hash = await onThreads.hash(password);
  assert.equal((await new Passwords(cheap).check(password, [hash])).opens, 0);
  assert.equal((await onThreads.check(`${password}!`, [hash])).opens, null);
});

test('strangers fill their own queue, and somebody who is known is served', async () => {
  const derive = hashingOnThreads();
  const salt = Buffer.alloc(16, 1);
  const ask = (isKnown: boolean, from: string): Promise<Buffer> => derive(password, salt, cheap, { isKnown, from });
  const strangers = Promise.allSettled(Array.from({ length: 100 }, (_, at) => ask(false, `10.0.0.${at}`)));
  const known = await ask(true, '192.0.2.7');
  const answers = await strangers;
  const refused = answers.filter((answer) => answer.status === 'rejected');
  assert.equal(refused.length, 60);
  assert.ok(refused.every(({ reason }) => reason instanceof HashingBusy));
  for (const answer of answers) if (answer.status === 'fulfilled') assert.deepEqual(answer.value, known);
});

test('hashing for strangers rests as long as it waited for a processor, a second at most; for people who are known it does not rest', () => {
  assert.deepEqual([0, 0.3, 700, 9_000].map((waitedMs) => restBehind('strangers', waitedMs)), [0, 0, 700, 1_000]);
  assert.equal(restBehind('knownPeople', 700), 0);
});
