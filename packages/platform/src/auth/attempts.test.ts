/** How often a password may be tried, by pair, email and address, and that ten tries elsewhere lock out nobody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttempts, isTooMany, type Attempt } from './attempts.ts';

const minuteMs = 60_000;

function context() {
  const now = { ms: 1_000 };
  const attempts = createAttempts(() => now.ms);
  const taken = (count: number, who: (index: number) => { email: string; address: string }): number =>
    Array.from({ length: count }, (_, index) => attempts.take(who(index))).filter((taken) => !isTooMany(taken)).length;
  return { now, attempts, taken };
}

test('ten tries at one email from one address in fifteen minutes, whatever the case of its letters', () => {
  const { now, attempts, taken } = context();
  assert.equal(taken(12, (index) => ({ email: index % 2 === 0 ? 'ada@example.com' : ' ADA@Example.com', address: '1.1.1.1' })), 10);
  const refused = attempts.take({ email: 'ada@example.com', address: '1.1.1.1' });
  assert.ok(isTooMany(refused));
  assert.deepEqual([refused.refusal.refused.code, refused.retryAfterSeconds], ['too_many_attempts', 15 * 60]);
  assert.equal(taken(1, () => ({ email: 'ada@example.com', address: '2.2.2.2' })), 1, 'the same person from elsewhere');
  assert.equal(taken(1, () => ({ email: 'bob@example.com', address: '1.1.1.1' })), 1, 'another person from there');
  now.ms += 15 * minuteMs;
  assert.equal(taken(1, () => ({ email: 'ada@example.com', address: '1.1.1.1' })), 1);
});

test('a right password counts as no attempt, and gives no further tries to those that were wrong', () => {
  const { attempts, taken } = context();
  const who = { email: 'ada@example.com', address: '1.1.1.1' };
  for (let time = 0; time < 30; time += 1) assert.equal((attempts.take(who) as Attempt).succeeded('ada'), true);
  taken(9, () => who);
  assert.equal((attempts.take(who) as Attempt).succeeded('ada'), true);
  assert.equal(taken(12, () => who), 1);
});

test('whoever claims an email and signs in with another password gains no further try at the person who has that email', () => {
  const { attempts, taken } = context();
  const mallory = { email: 'ada@example.com', address: '6.6.6.6' };
  assert.equal((attempts.take(mallory) as Attempt).succeeded('mallory'), true);
  assert.equal(taken(150, (index) => ({ email: 'ada@example.com', address: `10.0.0.${index}` })), 100);
  assert.equal((attempts.take(mallory) as Attempt).succeeded('mallory'), true, 'their own door stays open');
  assert.equal((attempts.take(mallory) as Attempt).succeeded('ada'), false, 'a right guess looks like a wrong one');
});

test('a hundred tries from one address at ever new people, and at one person from ever new addresses', () => {
  assert.equal(context().taken(150, (index) => ({ email: `p${index}@example.com`, address: '1.1.1.1' })), 100);
  assert.equal(context().taken(150, (index) => ({ email: 'ada@example.com', address: `10.0.0.${index}` })), 100);
  const v6 = (index: number): string => `2001:db8:0:7:${index.toString(16)}::1`;
  assert.equal(context().taken(150, (index) => ({ email: `p${index}@example.com`, address: v6(index) })), 100, 'addresses of one network are one');
  assert.equal(context().taken(12, (index) => ({ email: 'ada@example.com', address: v6(index) })), 10);
});

test('junk from the address of a proxy locks out nobody who has signed in from there before', () => {
  const { attempts, taken } = context();
  const ada = { email: 'ada@example.com', address: '1.1.1.1' };
  assert.equal((attempts.take(ada) as Attempt).succeeded('ada'), true);
  assert.equal(taken(500, (index) => ({ email: `junk${index}@example.com`, address: '1.1.1.1' })), 100);
  assert.equal((attempts.take(ada) as Attempt).succeeded('ada'), true, 'the same person from where they always are');
  assert.equal(taken(20, () => ada), 10, 'and still only ten tries at one password');
  assert.equal(taken(1, () => ({ email: 'bob@example.com', address: '1.1.1.1' })), 0);
});

test('a flood of names does not make the table forget the name under attack', () => {
  const { attempts, taken } = context();
  const ada = (index: number) => ({ email: 'ada@example.com', address: `10.0.${index >> 8}.${index & 255}` });
  assert.equal(taken(150, ada), 100);
  for (let index = 0; index < 120_000; index += 1) attempts.take({ email: `f${index}@example.com`, address: `f${index}` });
  assert.equal(taken(50, (index) => ada(1_000 + index)), 0, 'the account stays bound for its hour');
});

test('a browser that somebody signed in with has ten separate tries at that account, whoever used up the others', () => {
  const { now, attempts, taken } = context();
  const browser = { id: 'b1', email: 'ada@example.com', person: 'ada' };
  const ada = { email: ' Ada@example.com', address: '1.1.1.1', browser };
  taken(10, () => ({ email: 'ada@example.com', address: '1.1.1.1' }));
  assert.ok(isTooMany(attempts.take({ ...ada, browser: null })));
  assert.ok(isTooMany(attempts.take({ ...ada, browser: { ...browser, email: 'eve@example.com' } })), 'a note of another account');
  assert.equal((attempts.take(ada) as Attempt).isKnown, true);
  assert.equal((attempts.take(ada) as Attempt).succeeded('ada'), true);
  assert.equal((attempts.take(ada) as Attempt).succeeded('eve'), false, 'another person who claims the email');
  assert.equal(taken(20, () => ada), 8, 'two were wrong before, a right one counts as none');
  now.ms += 15 * minuteMs;
  assert.equal((attempts.take(ada) as Attempt).succeeded('ada'), true);
});

test('once an account is tried from a hundred addresses, its own browser still opens it from a new one', () => {
  const { attempts, taken } = context();
  assert.equal(taken(150, (index) => ({ email: 'ada@example.com', address: `10.0.0.${index}` })), 100);
  const browser = { id: 'b1', email: 'ada@example.com', person: 'ada' };
  assert.equal((attempts.take({ email: 'ada@example.com', address: '9.9.9.9', browser }) as Attempt).succeeded('ada'), true);
});

test('what is tried is counted by its kind: texts that look like another kind\'s use up none of its tries, nor does the address', () => {
  const attempts = createAttempts(() => 0);
  for (const email of ['org_1 ada@example.com', 'join org_1 ada@example.com', 'usr_ada', 'machine code usr_ada']) {
    for (let index = 0; index < 100; index += 1) attempts.take({ email, address: `10.0.${index}.1` });
    assert.ok(isTooMany(attempts.take({ email, address: '10.1.0.1' })));
  }
  for (let index = 0; index < 110; index += 1) attempts.take({ email: `f${index}@example.com`, address: '1.1.1.1' });
  for (const [kind, email, address] of [['invitation', 'org_1 ada@example.com', 'invitation inv_1'], ['own-password', 'usr_ada', 'session ses_1'],
    ['machine-code', 'usr_ada', '1.1.1.1']] as const) {
    assert.ok(!isTooMany(attempts.take({ kind, email, address })), kind);
    const browser = { id: 'b', email: email.toLowerCase(), person: 'eve' };
    for (let index = 0; index < 9; index += 1) attempts.take({ kind, email, address, browser });
    assert.ok(isTooMany(attempts.take({ kind, email, address, browser })), 'a known browser is one of a sign-in');
  }
});
