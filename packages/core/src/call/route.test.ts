/** Every pattern of the specification, and what lies outside all of them, as a table. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { routeOf, reportsUsage } from './route.ts';

const cases: [method: string, target: string, wire: string, endpoint: string, asked: string, held: boolean][] = [
  ['POST', '/v1/chat/completions', 'openai', 'chat.completions', '/v1/chat/completions', true],
  ['POST', '/v1/chat/completions?x=1', 'openai', 'chat.completions', '/v1/chat/completions?x=1', true],
  ['GET', '/v1/chat/completions', 'openai', 'chat.completions', '/v1/chat/completions', false],
  ['POST', '/v1/chat/completions/', 'openai', 'other', '/v1/chat/completions/', false],
  ['POST', '/v1/completions', 'openai', 'completions', '/v1/completions', false],
  ['POST', '/v1/embeddings', 'openai', 'embeddings', '/v1/embeddings', false],
  ['POST', '/v1/responses', 'openai', 'responses', '/v1/responses', false],
  ['POST', '/v1/responses/compact', 'openai', 'other', '/v1/responses/compact', false],
  ['GET', '/v1/models', 'openai', 'models', '/v1/models', false],
  ['DELETE', '/v1/files/file-1', 'openai', 'other', '/v1/files/file-1', false],
  ['POST', '/v1/messages', 'anthropic', 'messages', '/v1/messages', false],
  ['POST', '/v1/messages?beta=true', 'anthropic', 'messages', '/v1/messages?beta=true', false],
  ['POST', '/v1/messages/count_tokens', 'anthropic', 'other', '/v1/messages/count_tokens', false],
  ['POST', '/v1/messagesX', 'openai', 'other', '/v1/messagesX', false],
  ['POST', '/alt/v1/messages', 'anthropic', 'messages', '/v1/messages', false],
  ['POST', '/alt/v1/messages?beta=true', 'anthropic', 'messages', '/v1/messages?beta=true', false],
  ['GET', '/alt/v1/models', 'anthropic', 'models', '/v1/models', false],
  ['POST', '/upstream/v1/chat/completions', 'upstream', 'chat.completions', '/v1/chat/completions', false],
  ['GET', '/upstream/v1', 'upstream', 'other', '/v1', false],
  ['GET', '/upstream/v1/', 'upstream', 'other', '/v1/', false],
  ['PROPFIND', '/upstream/v1/a/b?c=%2e%2e', 'upstream', 'other', '/v1/a/b?c=%2e%2e', false],
  ['GET', '/v1/a%2fb//c', 'openai', 'other', '/v1/a%2fb//c', false],
];

for (const [method, target, wire, endpoint, asked, held] of cases) {
  test(`Endpoints: ${method} ${target} goes to ${wire} as ${endpoint}`, () => {
    const route = routeOf(method, target);
    assert.ok(route);
    assert.deepEqual(
      [route.wire, route.endpoint, route.target, route.bodyHeld, route.path],
      [wire, endpoint, asked, held, target.split('?')[0]],
    );
  });
}

const outside = [
  '/', '/v1', '/v2/x', '/alt/v1', '/alt/v2/x', '/upstream', '/upstream/v2', '/upstream/v1x', '/platform/v1/limits', '*',
  '/v1/../platform', '/v1/%2e%2e/x', '/v1/%2E./x', '/v1/.', '/v1/./models', '/upstream/v1/..', '/upstream/v1/%2e%2e/admin',
  '//evil/v1/x', '/v1/a#b', '/v1/a\\b', '/v1/a\x00b', '/v1/a b', '/v1/a?b#c', '/v1/a\x7f', '',
];

for (const target of outside) {
  test(`404: ${JSON.stringify(target)} is outside every pattern`, () => {
    assert.equal(routeOf('GET', target), null);
  });
}

test('design 4: only a POST to an operation that reports usage is read', () => {
  assert.equal(reportsUsage('responses', 'POST'), true);
  assert.equal(reportsUsage('responses', 'GET'), false);
  assert.equal(reportsUsage('other', 'POST'), false);
  assert.equal(reportsUsage('models', 'GET'), false);
});
