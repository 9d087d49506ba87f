/** Every pattern of the specification, and paths outside all of them, as a table. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { wireNames, wires } from '../wire/wire.ts';
import { routeOf } from './route.ts';

const cases: [method: string, target: string, wire: string, endpoint: string, asked: string, held: boolean][] = [
  ['POST', '/v1/chat/completions', 'openai', 'chat.completions', '/v1/chat/completions', true],
  ['POST', '/v1/chat/completions?x=1', 'openai', 'chat.completions', '/v1/chat/completions?x=1', true],
  ['GET', '/v1/chat/completions', 'openai', 'chat.completions', '/v1/chat/completions', false],
  ['POST', '/v1/chat/completions/', 'openai', 'chat.completions', '/v1/chat/completions/', true],
  ['POST', '/v1/chat/completion%73', 'openai', 'chat.completions', '/v1/chat/completion%73', true],
  ['POST', '/v1/chat%2Fcompletions', 'openai', 'chat.completions', '/v1/chat%2Fcompletions', true],
  ['POST', '/v1//chat///completions?x=1', 'openai', 'chat.completions', '/v1//chat///completions?x=1', true],
  ['POST', '/v1/%2563hat/completions', 'openai', 'chat.completions', '/v1/%2563hat/completions', true],
  ['POST', '/v1/chat;v=1/completions;jsessionid=2', 'openai', 'chat.completions', '/v1/chat;v=1/completions;jsessionid=2', true],
  ['POST', '/v1/chat%5ccompletions', 'openai', 'chat.completions', '/v1/chat%5ccompletions', true],
  ['POST', '/v1/Chat/Completions%20', 'openai', 'chat.completions', '/v1/Chat/Completions%20', true],
  ['POST', '/v1/completion%253f/', 'openai', 'other', '/v1/completion%253f/', false],
  ['GET', '/v1//chat/completions', 'openai', 'chat.completions', '/v1//chat/completions', false],
  ['POST', '/v1/%6dessages', 'anthropic', 'messages', '/v1/%6dessages', false],
  ['POST', '/v1//messages/?beta=true', 'anthropic', 'messages', '/v1//messages/?beta=true', false],
  ['POST', '/v1/messages%2fcount_tokens', 'anthropic', 'other', '/v1/messages%2fcount_tokens', false],
  ['POST', '/alt/v1//messages/', 'anthropic', 'messages', '/v1//messages/', false],
  ['POST', '/upstream/v1/chat%2fcompletions/', 'upstream', 'chat.completions', '/v1/chat%2fcompletions/', false],
  ['GET', '/v1/files/%25', 'openai', 'other', '/v1/files/%25', false],
  ['GET', '/v1/files/100%', 'openai', 'other', '/v1/files/100%', false],
  ['GET', '/v1/files/...', 'openai', 'other', '/v1/files/...', false],
  ['GET', '/v1/files/.well-known', 'openai', 'other', '/v1/files/.well-known', false],
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
  // A dot segment in any coat.
  '/upstream/v1/..%2fadmin', '/upstream/v1/%2e%2e%2fadmin', '/upstream/v1/..%5cadmin', '/upstream/v1/..;/admin', '/upstream/v1/..;a=b/admin',
  '/upstream/v1/..%00/admin', '/upstream/v1/%00../admin', '/upstream/v1/.%2e', '/upstream/v1/a%2f..', '/upstream/v1/a%2f.%2fb',
  '/upstream/v1/%252e%252e/admin', '/upstream/v1/%25252525252e%2e/admin', '/upstream/v1/..%252fadmin', '/upstream/v1/..%255cadmin',
  '/upstream/v1/%c0%ae%c0%ae/admin', '/upstream/v1/%C0%AE./admin', '/upstream/v1/..%c0%afadmin', '/upstream/v1/%u002e%u002e/admin',
  '/upstream/v1/%ef%bc%8e%EF%BC%8E/admin', '/upstream/v1/..%ef%bc%8fadmin', '/upstream/v1/%e2%80%a4%e2%80%a4/admin', '/upstream/v1/%uFF0e%uff0e/a',
  '/upstream/v1/..%3b/admin', '/upstream/v1/..%3f', '/upstream/v1/..%23/admin', '/upstream/v1/..%20/admin', '/upstream/v1/%09../admin',
  '/upstream/v1/%%32%65%%32%65/admin', '/v1/%2e%2e%2f%2e%2e%2fadmin', '/alt/v1/..%2f', '/alt/v1/messages/..%2f..', '/v1/messages/%2e%2e;x/y',
  '/v1/a%00b', '/v1/a%0d%0ab', '/v1/a%7f',
  // Coats upon coats.
  `/v1/${'%'.repeat(7)}${'3'.repeat(6)}2e./x`,
];

for (const target of outside) {
  test(`404: ${JSON.stringify(target)} is outside every pattern`, () => {
    assert.equal(routeOf('GET', target), null);
  });
}

test('TRACE is outside every pattern, for a destination would show the credential it was sent', () => {
  for (const target of ['/v1/models', '/upstream/v1/x', '/alt/v1/messages']) assert.equal(routeOf('TRACE', target), null);
});

/** A path as a different web server reads it: with all of its own steps, and none of ours. */
function asServed(path: string): string {
  let text = path;
  for (let before = ''; before !== text;) {
    before = text;
    text = text.split(/(%[0-9A-Fa-f]{2})/).map((part) => (/^%..$/.test(part) ? Buffer.from(part.slice(1), 'hex').toString('latin1') : part)).join('');
  }
  return posix.normalize(`${text.split('\\').join('/').replace(/;[^/]*/g, '')}/`).slice(0, -1).toLowerCase();
}

/** A small generator of numbers in [0, 1) from the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes a path differently, in a way that some server normalizes. */
function spelledOtherwise(path: string, chance: () => number): string {
  const head = /^(?:\/alt|\/upstream)?\/v1\//.exec(path)![0];
  const among = (choices: readonly string[]): string => choices[Math.floor(chance() * choices.length)]!;
  const encoded = (character: string): string => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `%${among(['', '', '25', '2525'])}${chance() < 0.5 ? hex : hex.toUpperCase()}`;
  };
  const rest = Array.from(path.slice(head.length)).map((character) => {
    if (character === '/') return among(['/', '//', '%2f', '%2F/', '/%2f', ';a=1/', '%5c', '%252f', '///']);
    if (chance() < 0.2) return encoded(character);
    return chance() < 0.1 ? character.toUpperCase() : character;
  });
  return `${head}${among(['', '', '/', '%2f'])}${rest.join('')}${among(['', '/', '//', ';x', '%2f', '%3Bx=y'])}`;
}

test('every wire is reached: each of its endpoints has a path that leads there', () => {
  const reached = new Set(['', '/alt', '/upstream'].flatMap((family) => wireNames.flatMap((wire) => [...wires[wire].endpoints.keys()].map((path) => {
    const route = routeOf('POST', `${family}${path}`);
    return route === null ? '' : `${route.wire} ${route.endpoint}`;
  }))));
  const wanted = wireNames.flatMap((wire) => [...wires[wire].endpoints.values()].map((endpoint) => `${wire} ${endpoint}`));
  assert.deepEqual(wanted.filter((each) => !reached.has(each)), []);
});

test('rule 6a: no spelling of a metered path has another endpoint, family or rule than the plain one: 2,000 of them', () => {
  const chance = randomFrom(20_261_122);
  const metered = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/messages', '/alt/v1/messages',
    '/upstream/v1/chat/completions', '/upstream/v1/completions', '/upstream/v1/embeddings', '/upstream/v1/responses'];
  for (let round = 0; round < 2_000; round += 1) {
    const plain = metered[round % metered.length]!;
    const path = spelledOtherwise(plain, chance);
    assert.equal(asServed(path), plain, path);
    const [expected, route] = [routeOf('POST', plain)!, routeOf('POST', `${path}?a=${round}`)];
    assert.ok(route, path);
    assert.deepEqual([route.wire, route.endpoint, route.bodyHeld], [expected.wire, expected.endpoint, expected.bodyHeld], path);
    assert.equal(route.path, path);
    assert.equal(route.target, `${path.replace(/^\/(?:alt|upstream)/, '')}?a=${round}`, 'what is forwarded keeps its bytes');
  }
});
