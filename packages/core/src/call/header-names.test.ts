/** Names are found in any case, and nothing else is, however alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderNames } from './header-names.ts';

test('a name is found in any case; one of the same length or beginning, and none at all, are not', () => {
  const names = new HeaderNames(['te', 'connection', 'keep-alive', 'proxy-authentication-info']);
  for (const name of ['te', 'TE', 'Connection', 'KEEP-ALIVE', 'keep-alive', 'Proxy-Authentication-Info']) assert.ok(names.has(name), name);
  for (const name of ['', 't', 'ta', 'user-agent', 'connections', 'connectio', 'x'.repeat(25), 'x'.repeat(10_000)]) assert.ok(!names.has(name), name);
});
