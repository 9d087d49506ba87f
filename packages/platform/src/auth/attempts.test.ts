/** How often a password may be tried, by pair, email and address, and that nobody is locked out from elsewhere by ten tries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttempts } from './attempts.ts';

const minuteMs = 60_000;

function context() {
  const now = { ms: 1_000 };
  const attempts = createAttempts(() => now.ms);
  const taken = (count: number, who: (index: number) => { email: string; address: string }): number =>
    Array.from({ length: count }, (_, index) => attempts.take(who(index))).filter((refused) => refused === null).length;
  return { now, attempts, taken };
}

test('ten tries at one email from one address in fifteen minutes, whatever the case of its letters', () => {
  const { now, attempts, taken } = context();
  assert.equal(taken(12, (index) => ({ email: index % 2 === 0 ? 'ada@example.com' : ' ADA@Example.com', address: '1.1.1.1' })), 10);
  const refused = attempts.take({ email: 'ada@example.com', address: '1.1.1.1' })!;
  assert.deepEqual([refused.refusal.refused.code, refused.retryAfterSeconds], ['too_many_attempts', 15 * 60]);
  assert.equal(attempts.take({ email: 'ada@example.com', address: '2.2.2.2' }), null, 'the same person from elsewhere');
  assert.equal(attempts.take({ email: 'bob@example.com', address: '1.1.1.1' }), null, 'another person from there');
  now.ms += 15 * minuteMs;
  assert.equal(attempts.take({ email: 'ada@example.com', address: '1.1.1.1' }), null);
});

test('a right password forgets what the pair had tried', () => {
  const { attempts, taken } = context();
  const who = { email: 'ada@example.com', address: '1.1.1.1' };
  taken(9, () => who);
  attempts.forget(who);
  assert.equal(taken(12, () => who), 10);
});

test('a hundred tries from one address at ever new people, and at one person from ever new addresses', () => {
  assert.equal(context().taken(150, (index) => ({ email: `p${index}@example.com`, address: '1.1.1.1' })), 100);
  assert.equal(context().taken(150, (index) => ({ email: 'ada@example.com', address: `10.0.0.${index}` })), 100);
});

test('junk from the address of a proxy locks out nobody who has signed in from there before', () => {
  const { attempts, taken } = context();
  const ada = { email: 'ada@example.com', address: '1.1.1.1' };
  attempts.take(ada);
  attempts.forget(ada);
  assert.equal(taken(500, (index) => ({ email: `junk${index}@example.com`, address: '1.1.1.1' })), 99);
  assert.equal(attempts.take(ada), null, 'the same person from where they always are');
  assert.equal(taken(20, () => ada), 9, 'and still only ten tries at one password');
  assert.notEqual(attempts.take({ email: 'bob@example.com', address: '1.1.1.1' }), null);
});

test('a flood of names does not make the table forget the name under attack', () => {
  const { attempts, taken } = context();
  const ada = (index: number) => ({ email: 'ada@example.com', address: `10.0.${index >> 8}.${index & 255}` });
  assert.equal(taken(150, ada), 100);
  for (let index = 0; index < 120_000; index += 1) attempts.take({ email: `f${index}@example.com`, address: `f${index}` });
  assert.equal(taken(50, (index) => ada(1_000 + index)), 0, 'the account stays bound for its hour');
});
