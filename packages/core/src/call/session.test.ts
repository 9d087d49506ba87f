/** Which session a call is of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionHeaders, sessionCharactersMax, sessionHeadersDefault, sessionHeadersFault } from './session.ts';

const usual = new SessionHeaders(sessionHeadersDefault);

test('the first of the listed headers counts, in any case and order, and an empty one does not count', () => {
  assert.equal(usual.of(['Host', 'h', 'X-Claude-Code-Session-Id', ' s-1 ']), 's-1');
  assert.equal(usual.of(['thread-id', 't-1', 'Session-Id', 's-2']), 's-2');
  assert.equal(usual.of(['session-id', '', 'thread-id', 't-1']), 't-1');
  assert.equal(usual.of(['session-id', 'one', 'session-id', 'other']), 'one');
  assert.equal(usual.of(['x-other', 's']), null);
  assert.equal(new SessionHeaders([]).of(['session-id', 's']), null);
  assert.equal(new SessionHeaders(['x-mine']).of(['X-Mine', 'm', 'session-id', 's']), 'm');
});

test('a session is read as UTF-8 and bounded by its characters; a longer one is dropped whole', () => {
  const bytes = (text: string): string => Buffer.from(text).toString('latin1');
  assert.equal(usual.of(['session-id', bytes('größe 🤖')]), 'größe 🤖');
  const longest = '🤖'.repeat(sessionCharactersMax);
  assert.equal(usual.of(['session-id', bytes(longest)]), longest);
  assert.equal(usual.of(['session-id', bytes(`${longest}a`)]), null);
});

test('names that are not valid, and headers of credentials or framing, cannot be listed', () => {
  assert.equal(sessionHeadersFault(sessionHeadersDefault), null);
  assert.match(sessionHeadersFault(['a b'])!, /names of headers/);
  assert.match(sessionHeadersFault([''])!, /names of headers/);
  for (const name of ['authorization', 'x-api-key', 'cookie']) assert.match(sessionHeadersFault([name])!, /credential/);
  for (const name of ['content-length', 'transfer-encoding']) assert.match(sessionHeadersFault([name])!, /where a body ends/);
});
