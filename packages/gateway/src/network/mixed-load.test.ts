/**
 * Many exchanges at once with everything that may happen to them: answers in pieces and in every framing, pauses, leaving callers, bodies that
 * break, connections that end or are reset, a second answer behind the first. None gets a byte of another, each ends once, and nothing stays open.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { it } from 'node:test';
import type { Destination, OutboundRequest } from './destination.ts';
import { createSocketDestination } from './socket-destination.ts';
import { startRawPeer } from './test-support/raw-peer.ts';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';

const exchanges = 1_500;
const atOnce = 32;
const kinds = ['length', 'length', 'chunks', 'until the end', 'then the end', 'reset', 'a second answer'] as const;
const patient = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };

/** Numbers below `bound` that look like chance, the same in every run. */
function chance(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const answerTo = (n: number): string => `<${n}>`.repeat(1 + (n * 37) % 600);

function framed(kind: (typeof kinds)[number], body: string): string {
  if (kind === 'chunks') return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return `HTTP/1.1 200 OK\r\n${kind === 'until the end' ? '' : `Content-Length: ${body.length}\r\n`}\r\n${body}`;
}

async function answer(socket: Socket, n: number, next: (bound: number) => number): Promise<void> {
  const kind = kinds[n % kinds.length]!;
  const bytes = framed(kind, answerTo(n));
  for (let at = 0; at < bytes.length && !socket.destroyed;) {
    const size = 1 + next(900);
    // With the last bytes, in one segment: what a kernel holds back until it hears of the next request is an answer to that, for all anyone knows.
    const behind = kind === 'a second answer' && at + size >= bytes.length ? 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nINJECTED' : '';
    socket.write(bytes.slice(at, at + size) + behind);
    at += size;
    if (kind === 'reset' && next(3) === 0) return void resetSocket(socket);
    if (next(3) === 0) await turn();
  }
  if (kind === 'until the end' || kind === 'then the end') socket.end();
}

/** Bytes without the end of a head in them; some bodies break before they are whole. */
function bodyOf(next: (bound: number) => number): Partial<OutboundRequest> {
  const choice = next(10);
  if (choice < 4) return {};
  if (choice < 7) return { method: 'POST', body: Buffer.alloc(1 + next(30_000), 'z') };
  if (choice < 9) {
    const parts = Array.from({ length: 1 + next(4) }, () => Buffer.alloc(1 + next(9_000), 'z'));
    return { method: 'POST', body: Readable.from(parts), contentLength: choice === 7 ? null : parts.reduce((sum, part) => sum + part.length, 0) };
  }
  const broken = new PassThrough();
  broken.write('z');
  setImmediate(() => broken.destroy());
  return { method: 'POST', body: broken, contentLength: 9 };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Sends one exchange, with pauses and cuts; gives what it received, and every end that was reported to it. */
async function exchange(destination: Destination, n: number, next: (bound: number) => number): Promise<{ text: string; endings: string[] }> {
  const heard = { text: '', endings: [] as string[] };
  const over = Promise.withResolvers<void>();
  const end = (ending: string): void => {
    heard.endings.push(ending);
    over.resolve();
  };
  const request = { method: 'GET', headers: [], body: null, contentLength: null, keyId: 'key-1', ...bodyOf(next), target: `/${n}` };
  const under = destination.send(request, {
    head: () => { if (next(40) === 0) under.abort(); },
    data(chunk) {
      heard.text += chunk.toString('latin1');
      if (next(20) === 0) under.pause();
      if (next(2) === 0) under.resume();
      else setImmediate(() => under.resume());
      if (next(80) === 0) under.abort();
    },
    end: () => end('end'),
    failed: ({ kind }) => end(kind),
  });
  if (next(40) === 0) setImmediate(() => under.abort());
  await over.promise;
  await turn();
  return heard;
}

it('no exchange receives a byte of another, whatever happens around it', async () => {
  const next = chance(1);
  const peer = await startRawPeer((socket, _n, head) => {
    // The last chunk of a body ends like a head.
    const asked = /\/(\d+) HTTP/.exec(head)?.[1];
    if (asked !== undefined) void answer(socket, Number(asked), next);
  });
  const destination = createSocketDestination({ origin: peer.origin, timeouts: patient, guard: null });
  const endings = new Map<string, number>();
  let sent = 0;
  const line = async (): Promise<void> => {
    while (sent < exchanges) {
      const n = sent++;
      const { text, endings: [ending = '', ...more] } = await exchange(destination, n, next);
      assert.deepEqual(more, [], 'it ends once');
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
      if (ending === 'end') assert.equal(text, answerTo(n));
      else assert.ok(answerTo(n).startsWith(text), `${n}: ${text.slice(0, 40)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  assert.ok(endings.get('end')! > exchanges / 2, JSON.stringify([...endings]));
  assert.deepEqual([...endings.keys()].filter((kind) => !['end', 'aborted', 'reset'].includes(kind)), []);
  assert.ok(peer.connections < exchanges, 'connections are used again');
  await destination.close();
  await peer.closed();
  await peer.close();
});
