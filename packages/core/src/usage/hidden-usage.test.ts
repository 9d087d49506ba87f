/** What in a head asks for an answer without usage, in the spellings that a provider understands; and who reports streams unasked. Rule 6c. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from '../call/route.ts';
import { hidesInHead, reportsStreamsUnasked } from './hidden-usage.ts';

const google = '/upstreams/google/v1beta/models/gemini-2.5-pro:generateContent';
const hides = (rawTarget: string, headers: readonly string[] = [], method = 'POST'): boolean =>
  hidesInHead({ ...routeOf(method, rawTarget)!, method }, headers);

test('the parameters of all of Google\'s methods hide usage, in any spelling', () => {
  for (const query of ['fields=candidates', '$fields=candidates', '%24fields=candidates', 'field%73=a', 'FIELDS=a', 'x=1&fields=a', 'fields',
    '&&fields=a', 'alt=proto', '$alt=media', '%61lt=proto', 'alt=json&alt=proto', 'alt=', 'callback=f', '$callback=f',
    'X-Goog-FieldMask=a', 'key=svc&fields=a']) {
    assert.ok(hides(`${google}?${query}`), query);
    assert.ok(hides(`/upstream/v1/models/m:generateContent?${query}`), query);
  }
});

test('what changes nothing about the usage does not hide it', () => {
  for (const query of ['', 'alt=sse', 'alt=json', '$alt=json;enum-encoding=int', '%24alt=json%3Benum-encoding%3Dint', 'prettyPrint=false', 'key=x',
    'api-version=2025-04-01-preview', 'x=fields', 'fieldset=a', '$httpMethod=POST']) {
    assert.ok(!hides(`${google}?${query}`), query);
  }
  assert.ok(!hides(google, ['content-type', 'application/json', 'accept', '*/*', 'x-goog-api-client', 'gl-python']));
});

test('so do headers: a mask of fields, and bodies in another form than text', () => {
  for (const headers of [['X-Goog-FieldMask', 'candidates'], ['x-goog-fieldmask', ''], ['Content-Type', 'application/x-protobuf'],
    ['accept', 'application/json', 'Accept', 'application/x-Protobuf']]) {
    assert.ok(hides(google, headers), String(headers));
  }
});

test('a call that names a method without work, and asks to be taken for another, is not watched and so hides its usage', () => {
  assert.ok(hides(google, ['X-HTTP-Method-Override', 'POST'], 'GET'));
  assert.ok(hides(`${google}?$httpMethod=POST`, [], 'GET'));
  assert.ok(!hides(google, ['x-http-method-override', 'GET'], 'POST'));
  assert.ok(!hides(`${google}?fields=name`, [], 'GET'), 'a look at what there is');
});

test('neither of the named providers has such parameters', () => {
  for (const target of ['/v1/chat/completions?fields=a', '/alt/v1/messages?alt=proto', '/v1/responses?callback=f']) {
    assert.ok(!hides(target, ['x-goog-fieldmask', 'a']), target);
  }
});

test('some providers report every stream, known by their address or by what was declared', () => {
  for (const upstreamHost of ['api.mistral.ai', 'https://api.mistral.ai/v1', 'https://api.groq.com/openai', 'https://api.perplexity.ai:443']) {
    assert.ok(reportsStreamsUnasked({ upstreamHost, listedAs: null }), upstreamHost);
  }
  for (const upstreamHost of [null, 'api.openai.com', 'https://api.mistral.ai.example', 'https://example/api.mistral.ai', 'xapi.mistral.ai']) {
    assert.ok(!reportsStreamsUnasked({ upstreamHost, listedAs: null }), String(upstreamHost));
  }
  assert.ok(reportsStreamsUnasked({ upstreamHost: 'https://proxy.example', listedAs: 'mistral' }));
  assert.ok(!reportsStreamsUnasked({ upstreamHost: 'https://proxy.example', listedAs: 'google' }));
});
