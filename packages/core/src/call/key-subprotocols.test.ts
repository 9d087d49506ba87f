/** Keys among offered subprotocols: found in any case of the prefix, and never left in the list. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { outboundRequestHeaders } from './header-pairs.ts';
import { keyAmong, withoutKeys } from './key-subprotocols.ts';
import { presentedServiceKey } from './service-key.ts';

const key = `svc_live_${'a1'.repeat(12)}`;

test('the prefix is known in any case, and the key keeps its own', () => {
  for (const prefix of ['openai-insecure-api-key.', 'OpenAI-Insecure-API-Key.', 'OPENAI-INSECURE-API-KEY.']) {
    assert.equal(keyAmong(`realtime,${prefix}${key}`), key);
    assert.equal(presentedServiceKey(['Sec-WebSocket-Protocol', `realtime, ${prefix}${key}`]), key);
    assert.equal(withoutKeys(`realtime, ${prefix}${key}, x`), 'realtime, x');
  }
});

test('a service key in any other subprotocol does not leave either, and other lists stay as they are', () => {
  assert.equal(withoutKeys(`xai-client-secret.${key}`), '');
  assert.equal(withoutKeys('openai-organization.org_1 ,realtime'), 'openai-organization.org_1 ,realtime');
});

test('no handshake and no other request carries a key in it to a destination', () => {
  const held = `openai-insecure-api-key.${key}`;
  const headers = ['host', 'a', 'sec-websocket-protocol', `realtime, ${held}`, 'Sec-WebSocket-Protocol', held];
  assert.deepEqual(outboundRequestHeaders(headers, { name: 'authorization', value: 'Bearer sk' }),
    ['sec-websocket-protocol', 'realtime', 'authorization', 'Bearer sk']);
});
