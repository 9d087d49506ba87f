/** How many reads of an organization's answers are looked at in a turn while others' come, and that what waits arrives whole. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { it } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { CallTurns } from '../fairness/call-turns.ts';
import { AnswerTurns, answerTurns, readWaits, waitingBytesMax } from './answer-turns.ts';
import { createSocketDestination } from './socket-destination.ts';
import { listen } from './test-support/raw-peer.ts';
import { selfSigned } from './test-support/self-signed.ts';

const [many, few] = ['org_many', 'org_few'] as OrganizationId[] as [OrganizationId, OrganizationId];
const patient = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };

it('a read waits where its organization had its share, while there is room for what waits', () => {
  assert.equal(readWaits(true, { bytes: 10, waitingBytes: 0 }), false);
  assert.equal(readWaits(false, { bytes: 10, waitingBytes: waitingBytesMax - 10 }), true);
  assert.equal(readWaits(false, { bytes: 10, waitingBytes: waitingBytesMax - 9 }), false);
});

it('those that wait are looked at in their order, a few in each turn, and their bytes are counted until then', () => {
  const ends: (() => void)[] = [];
  const turns = new AnswerTurns(new CallTurns({ atTurnsEnd: (task) => ends.push(task), after: () => {} }, 2));
  const looked: number[] = [];
  assert.deepEqual([turns.waits(few, 1, () => {}), turns.waits(many, 1, () => {}), turns.waits(many, 1, () => {})], [false, false, false]);
  for (let at = 0; at < 5; at += 1) assert.equal(turns.waits(many, 100, () => void looked.push(at)), true);
  assert.deepEqual([turns.waits(few, 1, () => {}), turns.waiting, turns.waitingBytes], [false, 5, 500]);
  const seen: unknown[] = [];
  for (; ends.length > 0; seen.push([looked.length, turns.waitingBytes])) for (const end of ends.splice(0)) end();
  assert.deepEqual([looked, seen.slice(0, 3)], [[0, 1, 2, 3, 4], [[2, 300], [4, 100], [5, 0]]]);
});

/** Keeps every request's connection until it is told to answer all of them at once. */
async function holdingProvider(): Promise<{ origin: string; sockets: Socket[]; close: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => socket.on('error', () => {}).on('data', () => void sockets.push(socket))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, sockets, close: () => { for (const socket of sockets) socket.destroy(); server.close(); } };
}

it('a hundred answers at once arrive whole, and no turn looks at more than a few of them', async (t) => {
  const provider = await holdingProvider();
  t.after(provider.close);
  const destination = createSocketDestination({ origin: provider.origin, timeouts: patient, guard: null });
  const perTurn: number[] = [0];
  let goesOn = true;
  const nextTurn = (): void => {
    perTurn.push(0);
    if (goesOn) setImmediate(nextTurn);
  };
  const count = (): void => { perTurn[perTurn.length - 1]! += 1; };
  const asked = Array.from({ length: 100 }, (_, at) => listen(destination, { target: `/${at}`, organization: many }, count));
  const other = listen(destination, { target: '/other', organization: few });
  // Two that call in alternation count as calling at the same time.
  for (const organization of [few, many, few]) assert.equal(answerTurns.waits(organization, 1, () => {}), false);
  while (provider.sockets.length < 101) await new Promise((resume) => { setTimeout(resume, 5); });
  nextTurn();
  const body = 'x'.repeat(20_000);
  for (const [at, socket] of provider.sockets.entries()) {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 20003\r\n\r\n${String(at).padStart(3, '0')}${body}`);
  }
  const answers = await Promise.all([...asked, other].map(({ heard }) => heard));
  goesOn = false;
  assert.ok(answers.every(({ ending, status, body: { length } }) => ending === 'end' && status === 200 && length === 20_003));
  assert.equal(new Set(answers.map((answer) => answer.body.subarray(0, 3).toString())).size, 101);
  // A turn may pass between two of ours, and an answer may come in two reads.
  assert.ok(Math.max(...perTurn) <= 16, `${Math.max(...perTurn)} in a turn`);
  assert.deepEqual([answerTurns.waiting, answerTurns.waitingBytes], [0, 0]);
  await destination.close();
});

it('an answer that was read before its connection broke is told all the same', async (t) => {
  const provider = await holdingProvider();
  t.after(provider.close);
  const destination = createSocketDestination({ origin: provider.origin, timeouts: patient, guard: null });
  const asked = Array.from({ length: 60 }, (_, at) => listen(destination, { target: `/${at}`, organization: many }));
  const other = listen(destination, { organization: few });
  while (provider.sockets.length < 61) await new Promise((resume) => { setTimeout(resume, 5); });
  for (const socket of provider.sockets) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', () => socket.resetAndDestroy());
  const answers = await Promise.all([...asked, other].map(({ heard }) => heard));
  // The system may throw away what nobody had read when a reset comes, so not all of them need be whole; none is told half of it.
  assert.ok(answers.every(({ ending, body }) => (ending === 'end' ? body.toString() === 'ok' : ending === 'reset' || ending === 'connect')));
  assert.deepEqual([answerTurns.waiting, answerTurns.waitingBytes], [0, 0]);
  await destination.close();
});

/** Sixty calls of one organization and one of another, to a provider that answers all at once and ends its TLS connections. */
async function endedOverTls(answer: string): Promise<readonly string[]> {
  const identity = selfSigned('localhost');
  const sockets: Socket[] = [];
  const server = createTlsServer({ ...identity }, (socket) => socket.on('error', () => {}).once('data', () => void sockets.push(socket)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const destination = createSocketDestination({ origin, timeouts: patient, guard: null, tls: { ca: identity.cert } });
  const asked = [...Array.from({ length: 60 }, () => many), few].map((organization) => listen(destination, { organization }));
  const until = async (done: () => boolean): Promise<void> => { while (!done()) await new Promise((resume) => { setTimeout(resume, 5); }); };
  await until(() => sockets.length === 61);
  for (const organization of [few, many, few]) assert.equal(answerTurns.waits(organization, 1, () => {}), false);
  for (const socket of sockets) socket.end(answer);
  const answers = await Promise.all(asked.map(({ heard }) => heard));
  await destination.close();
  server.close();
  // Those that were looked at early still have their turn.
  await until(() => answerTurns.waiting === 0);
  assert.equal(answerTurns.waitingBytes, 0);
  return [...new Set(answers.map(({ ending, status, body }) => `${ending} ${status} ${body.length}`))];
}

const body = 'x'.repeat(9_000);
const ends = 'HTTP/1.1 200 OK\r\nConnection: close\r\n';
for (const [framing, answer] of [
  ['with a length', `${ends}Content-Length: 9000\r\n\r\n${body}`],
  ['in chunks', `${ends}Transfer-Encoding: chunked\r\n\r\n2328\r\n${body}\r\n0\r\n\r\n`],
  ['until the connection ends', `${ends}\r\n${body}`],
] as const) {
  it(`an answer ${framing} arrives whole where TLS says its end while it waits`, async () => {
    assert.deepEqual(await endedOverTls(answer), ['end 200 9000']);
  });
}
