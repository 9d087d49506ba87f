/** Whose request the platform begins next. Decision 278. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnsEnd } from 'node:timers/promises';
import { after, before, mock, test } from 'node:test';
import { trustedProxies } from './client-address.ts';
import { asOrganization, createAskers } from './askers.ts';
import { withRequestTurns, waitingMax } from './request-turns.ts';

/** The processor time of this thread, microseconds: it passes only where a test works. The real one goes on in ticks, which fall into any turn. */
let usedUs = 0;
before(() => { mock.method(process, 'threadCpuUsage', () => ({ user: usedUs, system: 0 })); });
after(() => mock.restoreAll());

/** A platform that notes which requests it begins, and which it refuses. */
function noting() {
  const [begun, refused]: [string[], string[]] = [[], []];
  const names = new Map<ServerResponse, string>();
  const askers = createAskers('http://platform.test');
  const listener = withRequestTurns({
    askers, trusted: trustedProxies(['127.0.0.1']), refuse: (response) => refused.push(names.get(response)!),
  }, (_request, response) => {
    const name = names.get(response)!;
    begun.push(name);
    if (name.startsWith('long')) usedUs += 5_000;
  });
  return {
    askers, begun, refused,
    ask(from: string, name: string, authorization?: string): { destroyed: boolean } {
      const response = { destroyed: false } as ServerResponse;
      names.set(response, name);
      const headers = { 'x-forwarded-for': from, ...(authorization === undefined ? {} : { authorization }) };
      listener({ headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage, response);
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

test('a turn begins one request, and takes in what has arrived before it begins the next', async () => {
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

/** Three strangers always wait, each from an address of its own, until `second` is begun or so many were begun before it. Gives that number. */
async function strangersBefore(second: string, { begun, ask }: ReturnType<typeof noting>, most: number): Promise<number> {
  let strangers = 0;
  const stranger = (): void => {
    strangers += 1;
    ask(`198.51.${Math.floor(strangers / 256)}.${strangers % 256}`, 'stranger');
  };
  for (let at = 0; at < 3; at += 1) stranger();
  while (!begun.includes(second) && begun.length < most) {
    const before = begun.length;
    await turnsEnd();
    if (begun.length > before) stranger();
  }
  return begun.filter((name) => name === 'stranger').length;
}

test('strangers from addresses without end are one asker: an organization that asked before waits for few of them', async () => {
  const asked = noting();
  const authorization = 'Bearer svc_mgmt_1';
  asked.askers.learn({ authorization }, asOrganization('org_one'));
  asked.ask('192.0.2.1', 'long', authorization);
  asked.ask('192.0.2.1', 'second', authorization);
  const before = await strangersBefore('second', asked, 1_000);
  assert.ok(asked.begun.includes('second'), `${before} were begun before it`);
});

test('strangers from addresses without end do not keep back another stranger who asked before', async () => {
  const asked = noting();
  asked.ask('192.0.2.1', 'long');
  asked.ask('192.0.2.1', 'second');
  const before = await strangersBefore('second', asked, 2_000);
  assert.ok(asked.begun.includes('second'), `${before} were begun before it`);
});
