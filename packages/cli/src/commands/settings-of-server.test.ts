/** Commands use the settings of the server on the store, whatever their shell's settings are. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startScriptedProvider, type ScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { oneSentence, ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
let server: ScriptedProvider;
let elsewhere: ScriptedProvider;

before(async () => {
  own = await ownStore();
  [server, elsewhere] = await Promise.all([startScriptedProvider(), startScriptedProvider()]);
  await own.json(['org', 'create', 'acme']);
  await own.json(['provider', 'connect', 'openai', '--org', 'acme'], { stdin: ['sk-stored-key-0000'] });
});
after(async () => {
  await Promise.all([server?.close(), elsewhere?.close()]);
  own?.end();
});

const remember = (): Promise<void> => own.inStore((store) => store.serverSettings.remember({
  providerUrls: { openai: server.url, anthropic: server.url }, upstreamAllow: ['10.0.0.0/8'], sandbox: false,
}));

test('a stored key goes to the host that the server sends it to, and the answer names that host', async () => {
  await remember();
  const { stdout } = await own.run(['provider', 'test', 'openai', '--org', 'acme']);
  assert.match(stdout, new RegExp(`OpenAI at ${new URL(server.url).host} `));
  assert.deepEqual([server.requests.length, elsewhere.requests.length], [1, 0]);
});

test('a shell that names another host is refused with both, and the key goes nowhere', async () => {
  await remember();
  const seen = server.requests.length;
  const refused = await own.run(['provider', 'test', 'openai', '--org', 'acme'], { env: { SVC_OPENAI_URL: elsewhere.url } });
  assert.equal(refused.code, 1);
  oneSentence(refused, new RegExp(`SVC_OPENAI_URL is ${elsewhere.url} here, but the server on this store uses ${server.url} for OpenAI`));
  assert.deepEqual([server.requests.length, elsewhere.requests.length], [seen, 0]);
});

test('an upstream is allowed if the server allows it, and a shell that allows more is refused with both', async () => {
  await remember();
  await own.json(['upstream', 'declare', '--org', 'acme', '--url', 'http://10.1.2.3:8000'], { stdin: ['none'] });
  const refused = await own.run(['upstream', 'declare', '--org', 'acme', '--url', 'http://127.0.0.1:8000'], {
    stdin: ['none'], env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' },
  });
  oneSentence(refused, /SVC_UPSTREAM_ALLOW is 127\.0\.0\.0\/8 here, but the server on this store uses 10\.0\.0\.0\/8\./);
});
