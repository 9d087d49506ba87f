/** Header edits, both ways, on flat lists: what is removed, what stays, in which order. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { allValues, firstValue, inboundResponseHeaders, outboundRequestHeaders } from './header-pairs.ts';

const credential = { name: 'authorization', value: 'Bearer provider' };

test('What the service does 5: exactly the listed headers are removed, everything else keeps order, case and duplicates', () => {
  const sent = [
    'Host', 'gateway', 'X-Thing', 'a', 'x-thing', 'b', 'AUTHORIZATION', 'Bearer svc_live_x', 'X-SVC-Tags', 'one',
    'x-svc-project', 'p', 'x-svc-run-id', 'r', 'X-Svc-Run-Anything', 'q', 'x-svc-other', 'kept', 'X-Api-Key', 'svc_live_x',
    'authorization', 'Basic zzz', 'Content-Length', '3', 'Empty', '', 'Expect', '100-continue',
  ];
  assert.deepEqual(outboundRequestHeaders(sent, credential), [
    'X-Thing', 'a', 'x-thing', 'b', 'authorization', 'Bearer provider', 'x-svc-other', 'kept', 'Empty', '',
  ]);
});

test('Hop-by-hop fields are removed, those that Connection names too, and the credential survives being named', () => {
  const sent = [
    'Connection', 'close, X-Private , authorization,content-length', 'X-Private', '1', 'Keep-Alive', 'timeout=5', 'TE', 'trailers',
    'Trailer', 'x', 'Transfer-Encoding', 'chunked', 'Upgrade', 'websocket', 'Proxy-Authorization', 'z', 'Proxy-Connection', 'y', 'Accept', '*/*',
  ];
  assert.deepEqual(outboundRequestHeaders(sent, credential), ['Accept', '*/*', 'authorization', 'Bearer provider']);
});

test('A declared upstream without a credential gets none, and never the service key', () => {
  assert.deepEqual(outboundRequestHeaders(['x-api-key', 'svc_live_x', 'A', 'b'], null), ['A', 'b']);
});

test('Responses keep their headers but hop-by-hop ones and any x-svc- field of the provider', () => {
  const received = [
    'Date', 'today', 'Set-Cookie', 'a', 'set-cookie', 'b', 'X-Svc-Request-Id', 'spoofed', 'x-svc-budget-scope', 'run',
    'Transfer-Encoding', 'chunked', 'Connection', 'x-gone, content-length', 'X-Gone', '1', 'Content-Length', '5', 'x-request-id', 'theirs',
  ];
  assert.deepEqual(inboundResponseHeaders(received), [
    'Date', 'today', 'Set-Cookie', 'a', 'set-cookie', 'b', 'Content-Length', '5', 'x-request-id', 'theirs',
  ]);
});

test('Values are found by name in any case', () => {
  assert.equal(firstValue(['A', '1', 'a', '2'], 'a'), '1');
  assert.equal(firstValue(['B', '1'], 'a'), null);
  assert.deepEqual(allValues(['A', '1', 'b', 'x', 'a', '2'], 'a'), ['1', '2']);
});
