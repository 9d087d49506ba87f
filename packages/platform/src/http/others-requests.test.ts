/** One organization's requests do not wait for all that another asked before. Decision 119. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOrganization } from './askers.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let [many, few]: TestOrganization[] = [];
platformOfFile(async (begun) => {
  platform = begun;
  [many, few] = [await begun.organization('many'), await begun.organization('few')];
});

test('behind sixty requests of one organization, a request of another is answered before most of them', async () => {
  const answered: string[] = [];
  const ask = async (name: string, { tokens }: TestOrganization): Promise<void> => {
    const { status } = await platform.ask('/platform/v1/keys', { method: 'POST', token: tokens.admin, body: { name } });
    assert.ok(status < 300, String(status));
    answered.push(name);
  };
  const asked = Array.from({ length: 60 }, (_, at) => ask(`m${at}`, many!));
  await Promise.all([...asked, ask('few', few!)]);
  const before = answered.indexOf('few');
  assert.ok(before < 30, `${before} requests were answered before it`);
  // Two at once are under way: which of them is answered first is nobody's rule.
  assert.equal(new Set(answered).size, 61);
});

test('once a session or a token was found, its requests are its organization\'s, whatever stands beside it', async () => {
  const { askers } = platform.parts;
  const cookie = await platform.signIn(few!.emails.admin);
  const authorization = `Bearer ${few!.tokens.viewer}`;
  assert.notEqual(askers.of({ cookie }, '192.0.2.1'), asOrganization(few!.id));
  assert.equal((await platform.ask('/platform/v1/keys', { cookie })).status, 200);
  assert.equal((await platform.ask('/platform/v1/keys', { token: few!.tokens.viewer })).status, 200);
  assert.equal(askers.of({ cookie: `seen=1; ${cookie}; seen=2` }, '192.0.2.1'), asOrganization(few!.id));
  assert.equal(askers.of({ authorization, cookie: 'seen=3' }, '192.0.2.1'), asOrganization(few!.id));
  assert.ok((await platform.ask('/platform/v1/auth/sign-out', { method: 'POST', cookie })).status < 300);
  assert.equal((await platform.ask('/platform/v1/keys', { cookie })).status, 401);
  assert.notEqual(askers.of({ cookie }, '192.0.2.1'), asOrganization(few!.id), 'a session that has ended is a stranger\'s');
});
