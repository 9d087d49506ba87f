/** Passwords: which are allowed, what a hash costs today, and which hashes at another cost are accepted. */
import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { passwordRefusal, passwords, Passwords } from './passwords.ts';

const cheap = new Passwords({ N: 1_024, r: 8, p: 1 });
const opens = async (by: Passwords, password: string, hash: string): Promise<boolean> => (await by.check(password, [hash])).opens === 0;

test('a current hash takes 32 MiB in three passes, has its own salt, and matches only its password', async () => {
  const hash = await passwords.hash('correct horse battery');
  const [, N, r, p, salt, derived] = hash.split('$');
  assert.deepEqual([Number(N), Number(r), Number(p)], [32_768, 8, 3]);
  const again = scryptSync('correct horse battery', Buffer.from(salt!, 'base64url'), 32, { N: 32_768, r: 8, p: 3, maxmem: 2 ** 28 });
  assert.equal(derived, again.toString('base64url'));
  assert.deepEqual([await opens(cheap, 'correct horse battery', hash), await opens(cheap, 'correct horse batterY', hash)], [true, false]);
});

test('of one password no two hashes are alike; the same text in another composition of its letters is the same password', async () => {
  const [one, other] = [await cheap.hash('caf\u00e9 cafe cafe'), await cheap.hash('caf\u00e9 cafe cafe')];
  assert.notEqual(one, other);
  assert.equal(await opens(cheap, 'cafe\u0301 cafe cafe', one), true);
});

test('a hash at another cost is verified and marked as dated; an invalid or too expensive one is never computed', async () => {
  const hash = await cheap.hash('correct horse battery');
  assert.deepEqual([cheap.isDated(hash), passwords.isDated(hash), await opens(passwords, 'correct horse battery', hash)], [false, true, true]);
  for (const wrong of [hash.replace('$1024$', '$1000$'), hash.replace('$1024$', '$16777216$'), hash.replace('$8$1$', '$8$999$'), 'scrypt$', '']) {
    assert.deepEqual([await opens(passwords, 'correct horse battery', wrong), passwords.isDated(wrong)], [false, false], wrong);
  }
});

test('a password has 12 to 256 characters, counted as people count them', () => {
  const taken = (text: string): boolean => passwordRefusal(text) === null;
  assert.deepEqual(['a'.repeat(11), 'a'.repeat(12), '\u{1f600}'.repeat(12), 'a'.repeat(256), 'a'.repeat(257), `${'a'.repeat(12)}\ud800`].map(taken),
    [false, true, true, true, false, false]);
});
