/** Paths of named upstreams, where their clients put a service key, and what goes out instead. Decision 150. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { withoutUsage } from '../usage/operation.ts';
import { upstreamRequestHeaders } from './header-pairs.ts';
import { withoutKeyInQuery } from './named-upstream.ts';
import { routeOf } from './route.ts';
import { presentedAtUpstream } from './upstream-key.ts';

const key = `svc_live_${'a1B2'.repeat(8)}`;
const other = `svc_live_${'Zz99'.repeat(8)}`;

const cases: [target: string, name: string, endpoint: string, asked: string][] = [
  ['/upstreams/google/v1beta/models/m:generateContent', 'google', 'other', '/v1beta/models/m:generateContent'],
  ['/upstreams/azure/openai/deployments/d/chat/completions?api-version=1', 'azure', 'chat.completions',
    '/openai/deployments/d/chat/completions?api-version=1'],
  ['/upstreams/azure/openai/v1/responses', 'azure', 'responses', '/openai/v1/responses'],
  ['/upstreams/groq/openai/v1/chat/completions', 'groq', 'chat.completions', '/openai/v1/chat/completions'],
  ['/upstreams/a/v1/messages', 'a', 'messages', '/v1/messages'],
  ['/upstreams/a/v1/threads/t/messages', 'a', 'other', '/v1/threads/t/messages'],
  ['/upstreams/a/', 'a', 'other', '/'],
  ['/upstreams/a//x%2Fy/?b=%2e%2e', 'a', 'other', '//x%2Fy/?b=%2e%2e'],
  [`/upstreams/a/x?alt=sse&key=${key}`, 'a', 'other', '/x?alt=sse'],
];

for (const [target, name, endpoint, asked] of cases) {
  test(`/upstreams/NAME: ${target.replace(key, 'KEY')} goes to ${name} as ${endpoint}`, () => {
    const route = routeOf('POST', target);
    assert.deepEqual([route?.wire, route?.upstream, route?.endpoint, route?.target, route?.path, route?.bodyHeld],
      ['upstream', name, endpoint, asked, target.split('?')[0], false]);
  });
}

const outside = [
  '/upstreams', '/upstreams/', '/upstreams/a', '/upstreams//x', '/upstreams/A/x', '/upstreams/a_b/x', '/upstreams/a%20/x', '/upstreams/%61/x',
  `/upstreams/${'a'.repeat(33)}/x`, '/upstreams/a/../b', '/upstreams/a/%2e%2e/b', '/upstreams/a/..%2fb', '/upstreams/a/%2e%2e%2f%2e%2e%2fb',
  '/upstreams/a/.', '/upstreams/../v1/models', '/upstreams/a/x#y', '/Upstreams/a/x',
];

for (const target of outside) {
  test(`404: ${target} leads to no named upstream`, () => assert.equal(routeOf('POST', target), null));
}

test('A key counts wherever a client of any provider puts it, the header fields before the query', () => {
  for (const headers of [
    ['Authorization', `Bearer ${key}`], ['x-api-key', key], ['API-Key', key], ['x-goog-api-key', key],
    ['authorization', 'Bearer ya29.theirs', 'x-goog-api-key', key], ['x-api-key', 'sk-theirs', 'api-key', key],
    ['api-key', other, 'authorization', `bearer ${key}`],
  ]) assert.equal(presentedAtUpstream(headers, '/upstreams/a/x'), key, headers.join(' ').replaceAll(key, 'KEY'));
  assert.equal(presentedAtUpstream([], `/upstreams/a/x?alt=sse&key=${key}`), key);
  assert.equal(presentedAtUpstream(['x-goog-api-key', key], `/upstreams/a/x?key=${other}`), key);
  assert.equal(presentedAtUpstream(['x-goog-api-key', 'AIza'], '/upstreams/a/x'), null);
  assert.equal(presentedAtUpstream([], '/upstreams/a/x?key='), null);
  assert.equal(presentedAtUpstream(['accept', '*/*'], '/upstreams/a/x?apikey=1'), undefined);
});

test('No field that holds a service key goes out, whichever was read; what a caller shows beside it does', () => {
  const sent = [
    'accept', '*/*', 'Authorization', `Bearer ${key}`, 'x-api-key', other, 'api-key', 'theirs', 'x-goog-api-key', key, 'X-Svc-Tags', 'a', 'b', 'c',
  ];
  assert.deepEqual(upstreamRequestHeaders(sent, { name: 'x-goog-api-key', value: 'AIza' }),
    ['accept', '*/*', 'x-goog-api-key', 'AIza', 'api-key', 'theirs', 'b', 'c']);
  assert.deepEqual(upstreamRequestHeaders(sent, { name: 'api-key', value: 'ours' }), ['accept', '*/*', 'api-key', 'ours', 'b', 'c']);
  assert.deepEqual(upstreamRequestHeaders(sent, null), ['accept', '*/*', 'api-key', 'theirs', 'b', 'c']);
  assert.deepEqual(upstreamRequestHeaders(['b', 'c'], { name: 'api-key', value: 'ours' }), ['b', 'c', 'api-key', 'ours']);
});

test('A query loses the parameters with a service key and no other byte', () => {
  for (const [before, after] of [
    [`/x?key=${key}`, '/x'], [`/x?key=${key}&alt=sse`, '/x?alt=sse'], [`/x?a=%2F&key=${key}&b=&c`, '/x?a=%2F&b=&c'],
    [`/x?k%65y=${key}&a=1`, '/x?a=1'], [`/x?key=svc%5Flive_${key.slice(9)}&a=1`, '/x?a=1'], [`/x?a=1&token=${other}&key=${key}`, '/x?a=1'],
    ['/x?key=AIza', '/x?key=AIza'], ['/x?', '/x?'], ['/x', '/x'], ['/x?a=100%', '/x?a=100%'],
  ] as const) assert.equal(withoutKeyInQuery(before), after);
});

test('Operations at a named upstream are recognized by the same table as those of the first wire', () => {
  const of = (path: string) => withoutUsage({ endpoint: routeOf('POST', path)!.endpoint, method: 'POST', path });
  assert.equal(of('/upstreams/g/v1beta/models/m:streamGenerateContent'), 'absent');
  assert.equal(of('/upstreams/g/v1beta/models/m:countTokens'), 'none');
  assert.equal(of('/upstreams/g/v1beta/models/m:batchGenerateContent'), 'deferred');
  assert.equal(of('/upstreams/v/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict'), 'absent');
  assert.equal(of('/upstreams/azure/openai/deployments/d/images/generations'), 'not_reported');
  assert.equal(of('/upstreams/azure/openai/v1/batches'), 'deferred');
  assert.equal(of('/upstreams/groq/openai/v1/audio/speech'), 'not_reported');
});
