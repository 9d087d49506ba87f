/** Whose request the platform begins next. Decision 278. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnsEnd } from 'node:timers/promises';
import { test } from 'node:test';
import { trustedProxies } from './client-address.ts';
import { createAskers } from './askers.ts';
import { withRequestTurns, waitingMax } from './request-turns.ts';

/** A platform that notes which requests it begins, and which it refuses. */
function noting() {
  const [begun, refused]: [string[], string[]] = [[], []];
  const names = new Map<ServerResponse, string>();
  const listener = withRequestTurns({
    askers: createAskers(), trusted: trustedProxies(['127.0.0.1']), refuse: (response) => refused.push(names.get(response)!),
  }, (_request, response) => begun.push(names.get(response)!));
  return {
    begun, refused,
    ask(from: string, name: string): { destroyed: boolean } {
      const response = { destroyed: false } as ServerResponse;
      names.set(response, name);
      listener({ headers: { 'x-forwarded-for': from }, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage, response);
      return response;
    },
    async settled(): Promise<void> {
      for (let turns = 0; turns < 2 * waitingMax + 10; turns += 1) await turnsEnd();
    },
  };
}

test('behind a hundred requests of one asker, that of another is begun among the first', async () => {
  const { begun, refused, ask, settled } = noting();
  for (let at = 0; at < 100; at += 1) ask('192.0.2.1', `many ${at}`);
  ask('192.0.2.2', 'few');
  await settled();
  assert.ok(begun.indexOf('few') < 3, begun.slice(0, 10).join(' '));
  assert.deepEqual(begun.filter((name) => name !== 'few'), Array.from({ length: 100 }, (_, at) => `many ${at}`), 'each in its order');
  assert.deepEqual(refused, []);
});

test('a turn begins one request: what arrives meanwhile is heard before the next', async () => {
  const { begun, ask, settled } = noting();
  for (let at = 0; at < 10; at += 1) ask('192.0.2.1', `many ${at}`);
  for (let turns = 0; begun.length < 3; turns += 1) {
    const before = begun.length;
    await turnsEnd();
    assert.ok(begun.length - before <= 1, begun.join(' '));
  }
  ask('192.0.2.2', 'few');
  await settled();
  assert.ok(begun.indexOf('few') < 6, begun.join(' '));
});

test('an asker with too many waiting is refused more; others are not', async () => {
  const { begun, refused, ask, settled } = noting();
  for (let at = 0; at < waitingMax + 2; at += 1) ask('192.0.2.1', `many ${at}`);
  ask('192.0.2.2', 'few');
  assert.deepEqual(refused, [`many ${waitingMax}`, `many ${waitingMax + 1}`]);
  await settled();
  assert.equal(begun.length, waitingMax + 1);
  ask('192.0.2.1', 'later');
  await settled();
  assert.equal(begun.at(-1), 'later', 'what was begun does not count any more');
});

test('a request whose sender left while it waited is not begun', async () => {
  const { begun, ask, settled } = noting();
  ask('192.0.2.1', 'one').destroyed = true;
  ask('192.0.2.1', 'two');
  await settled();
  assert.deepEqual(begun, ['two']);
});
