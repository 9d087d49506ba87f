/** Over HTTP the sandbox's placeholder is distinguished from a provider key, and no test call sends it to a provider. Rule 18. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { sandboxCredential } from '../use-cases/sandbox-placeholder.ts';
import { freshSqlite, platformFixture, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

const place = freshSqlite();
let platform: PlatformFixture;
let acme: TestOrganization;
let tested = 0;
const provider = createServer((_request, response) => {
  tested += 1;
  response.end('{}');
});
before(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  platform = await platformFixture(place.url, { providerUrls: { openai: url, anthropic: url } });
  acme = await platform.organization('acme');
});
after(async () => {
  provider.close();
  await platform.end();
  place.remove();
});

test('a placeholder is connected (rules: Interfaces), marked, and refused if a key must be tested', async () => {
  await platform.store.providers.connect(acme.id, 'openai', sandboxCredential);
  await platform.store.providers.connect(acme.id, 'anthropic', 'sk-a-real-one');
  const ask = (path: string, method: string) => platform.ask(`/platform/v1/providers${path}`, { method, token: acme.tokens.admin });
  const listed = (await ask('', 'GET')).body['data'] as { readonly version: number }[];
  assert.deepEqual(listed.map(({ version, ...shown }) => ({ ...shown, version: typeof version })), [
    { provider: 'openai', organization: acme.id, state: 'connected', placeholder: true, version: 'number' },
    { provider: 'anthropic', organization: acme.id, state: 'connected', placeholder: false, version: 'number' },
  ]);
  const refused = await ask('/openai/test', 'POST');
  assert.equal(refused.status, 409);
  assert.deepEqual(refused.body['error'], {
    code: 'sandbox_placeholder', message: "Only the sandbox's placeholder is connected, not a key of OpenAI: there is nothing to test.",
  });
  assert.equal(tested, 0);
  assert.deepEqual([(await ask('/anthropic/test', 'POST')).body['accepted'], tested], [true, 1]);
});

test('an upstream by name without the credential that its auth takes is not enabled', async () => {
  const ask = (method: string, path: string, body?: object) =>
    platform.ask(`/platform/v1/upstreams/local${path}`, { method, token: acme.tokens.admin, ...(body === undefined ? {} : { body }) });
  assert.equal((await ask('PUT', '', { url: 'https://llm.example.com', auth: 'x-goog-api-key' })).status, 200);
  const refused = await ask('POST', '/enable');
  assert.deepEqual([refused.status, refused.body['error']], [409, {
    code: 'credential_missing',
    message: 'The upstream "local" is declared with auth x-goog-api-key and has no credential. Declare it again with one, or with auth none.',
  }]);
  assert.equal((await ask('GET', '')).body['enabled'], false);
  for (const declared of [{ auth: 'none' }, { auth: 'bearer', credential: 'sk-one' }]) {
    assert.equal((await ask('PUT', '', { url: 'https://llm.example.com', ...declared })).status, 200);
    assert.equal((await ask('POST', '/enable')).body['enabled'], true);
  }
});

test('a declaration again with null for its credential keeps the stored one, which goes to no other address and is shown nowhere', async () => {
  const secret = 'sk-canary-kept';
  const kept = async (name: string | null): Promise<string | undefined> => {
    const own = (await platform.store.settings.organization(acme.id))!;
    return (name === null ? own.upstream : own.upstreams.find((each) => each.name === name))?.credential ?? undefined;
  };
  for (const [path, name] of [['/upstream', null], ['/upstreams/keeps', 'keeps']] as const) {
    const declare = (body: object) => platform.ask(`/platform/v1${path}`, { method: 'PUT', token: acme.tokens.admin, body });
    const url = 'https://kept.example.com';
    assert.equal((await declare({ url, credential: secret })).status, 200);
    for (let again = 0; again < 2; again += 1) {
      const answer = await declare({ url, credential: null });
      assert.deepEqual([answer.status, answer.body['hasCredential']], [200, true], answer.text);
      assert.equal(await kept(name), secret);
    }
    const elsewhere = await declare({ url: 'https://elsewhere.example.com', credential: null });
    assert.deepEqual([elsewhere.status, (elsewhere.body['error'] as { code: string }).code], [400, 'invalid_credential']);
    assert.match(elsewhere.text, /is for another address/);
    assert.ok(!elsewhere.text.includes(secret));
    assert.equal(await kept(name), secret, 'nothing was changed');
    for (const empty of [{ credential: '' }, {}, { credential: '  ' }]) {
      assert.equal((await declare({ url, credential: secret })).body['hasCredential'], true);
      const none = await declare({ url: 'https://elsewhere.example.com', ...empty });
      assert.deepEqual([none.status, none.body['hasCredential']], [200, false], JSON.stringify(empty));
    }
    for (const again of [{ url }, ...(name === null ? [] : [{ url, auth: 'none' }])]) {
      const nothing = await declare({ ...again, credential: null });
      assert.deepEqual([nothing.status, (nothing.body['error'] as { code: string }).code], [400, 'invalid_credential']);
      assert.match(nothing.text, /There is no stored credential to keep/);
    }
  }
  const fresh = await platform.ask('/platform/v1/upstreams/fresh', {
    method: 'PUT', token: acme.tokens.admin, body: { url: 'https://kept.example.com', credential: null },
  });
  assert.match(fresh.text, /There is no stored credential to keep/);
  assert.equal(await kept('fresh'), undefined, 'nothing was declared');
});

test('the credential of one auth is not shown in another way', async () => {
  const declare = (body: object) => platform.ask('/platform/v1/upstreams/turned', { method: 'PUT', token: acme.tokens.admin, body });
  const url = 'https://kept.example.com';
  assert.equal((await declare({ url, credential: 'sk-one' })).status, 200);
  for (const auth of ['x-api-key', 'none']) assert.equal((await declare({ url, auth, credential: null })).status, 400, auth);
  assert.equal((await declare({ url, auth: 'none' })).body['hasCredential'], false);
});
