/** When a token is fetched, who waits for it, and what becomes of a fetch that fails. Time is the test's. */
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { AccountTokens, assertionOf } from './account-tokens.ts';
import type { Made } from './made-credential.ts';
import type { FetchedToken, NoToken } from './token-exchange.ts';

function tokensAt(startMs: number) {
  const world = { nowMs: startMs, fetches: [] as ((result: FetchedToken | NoToken) => void)[] };
  const tokens = new AccountTokens({ monotonicMs: () => world.nowMs, fetch: (done) => void world.fetches.push(done) });
  const take = (): { value: string | null } => {
    const taken: { value: string | null } = { value: null };
    tokens.make(null, { made: (made: Made) => { taken.value = 'header' in made ? made.header.value : 'token' in made ? made.token : made.kind; } });
    return taken;
  };
  return { world, take };
}

const hour = 3_600_000;

test('All who come while one is fetched get the one; later ones get it at once', () => {
  const { world, take } = tokensAt(0);
  const waiting = Array.from({ length: 50 }, take);
  assert.equal(world.fetches.length, 1);
  assert.ok(waiting.every(({ value }) => value === null));
  world.fetches[0]!({ token: 'one', lifetimeMs: hour });
  assert.ok(waiting.every(({ value }) => value === 'Bearer one'));
  assert.equal(take().value, 'Bearer one');
  assert.equal(world.fetches.length, 1);
});

test('Five minutes ahead of its end the next one is fetched once, and no call waits for it', () => {
  const { world, take } = tokensAt(0);
  take();
  world.fetches[0]!({ token: 'one', lifetimeMs: hour });
  world.nowMs = hour - 300_001;
  take();
  assert.equal(world.fetches.length, 1);
  world.nowMs = hour - 300_000;
  for (let at = 0; at < 50; at += 1) assert.equal(take().value, 'Bearer one');
  assert.equal(world.fetches.length, 2);
  world.fetches[1]!({ token: 'two', lifetimeMs: hour });
  assert.equal(take().value, 'Bearer two');
});

test('A fetch ahead that fails is tried again each second; calls go on with the token until it ends, then hear why', () => {
  const { world, take } = tokensAt(0);
  take();
  world.fetches[0]!({ token: 'one', lifetimeMs: hour });
  world.nowMs = hour - 200_000;
  take();
  world.fetches[1]!({ why: 'could not be reached' });
  assert.equal(take().value, 'Bearer one');
  assert.equal(world.fetches.length, 2);
  world.nowMs += 1_000;
  assert.equal(take().value, 'Bearer one');
  assert.equal(world.fetches.length, 3);
  world.nowMs = hour;
  world.fetches[2]!({ why: 'answered 400 (invalid_grant)' });
  assert.equal(take().value, 'answered 400 (invalid_grant)');
  assert.equal(world.fetches.length, 3);
  world.nowMs += 1_000;
  const waits = take();
  world.fetches[3]!({ token: 'two', lifetimeMs: hour });
  assert.equal(waits.value, 'Bearer two');
});

test('A token without a life is for those who waited, and for nobody after them', () => {
  const { world, take } = tokensAt(0);
  const waits = take();
  world.fetches[0]!({ token: 'one', lifetimeMs: 0 });
  assert.equal(waits.value, 'Bearer one');
  assert.equal(take().value, null);
  assert.equal(world.fetches.length, 2);
});

test("The assertion is signed by the account's key, for its token endpoint and for an hour", async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const clientEmail = 'a@b.iam.gserviceaccount.com';
  const account = { clientEmail, privateKey: pem, privateKeyId: 'k1', tokenUri: 'https://oauth2.googleapis.com/token' };
  const nowMs = 1_700_000_000_000;
  const known = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
  const { payload, protectedHeader } = await jwtVerify(await assertionOf(account, nowMs), known, { currentDate: new Date(nowMs) });
  assert.deepEqual(protectedHeader, { alg: 'RS256', typ: 'JWT', kid: 'k1' });
  assert.deepEqual(payload, {
    scope: 'https://www.googleapis.com/auth/cloud-platform', iss: account.clientEmail, sub: account.clientEmail, aud: account.tokenUri,
    iat: nowMs / 1_000, exp: nowMs / 1_000 + 3_600,
  });
});
