/**
 * Both ends of the conversations that `bench/websocket.ts` measures. A turn of the Responses API is a create, 20 events and an end, over
 * WebSocket or as a stream over HTTP. Of Realtime, each message of 8 KB of sound is answered with one.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { Subject } from './subjects.ts';

/**
 * How an answer's events come: all in one piece; each in a piece of its own, one right behind the other; or each in a later turn of the
 * provider's event loop, as from a provider that makes one after the other.
 */
export type Pieces = 'together' | 'at once' | 'apart';

/** What is measured. */
export interface Conversation {
  readonly of: 'turns' | 'sound';
  readonly way: 'websocket' | 'http';
  readonly pieces: Pieces;
}

export const eventsOfTurn = 22;
const model = 'gpt-5.2-2025-12-11';
const mask = Buffer.from([1, 2, 3, 4]);
const asked = JSON.stringify({ type: 'response.create', model, input: 'Name a river.' });
const sound = 'UklGRiQA'.repeat(1_024);
const spoken = frameOf(JSON.stringify({ type: 'input_audio_buffer.append', audio: sound }), { mask });
const of = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
const heard = frameOf(JSON.stringify({ type: 'response.output_audio.delta', event_id: 'event_1', ...of, delta: sound }));
const begun = frameOf(JSON.stringify({
  type: 'response.created', event_id: 'event_0',
  response: { object: 'realtime.response', id: 'resp_1', status: 'in_progress', output: [], usage: null },
}));

/** The events of one turn. */
function eventsOf(number: number): string[] {
  const response = { id: `resp_${number}`, object: 'response', status: 'in_progress', model, output: [] };
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'word ' };
  const usage = { input_tokens: 11, output_tokens: 20, total_tokens: 31 };
  return [
    { type: 'response.created', response }, ...Array.from({ length: eventsOfTurn - 2 }, (_, at) => ({ ...delta, sequence_number: at })),
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ].map((event) => JSON.stringify(event));
}

/** Writes the pieces of one answer, as they are to come. */
async function sendAll(pieces: Pieces, events: readonly string[], write: (event: string) => void): Promise<void> {
  for (const event of events) {
    write(event);
    if (pieces === 'apart') await new Promise(setImmediate);
    // What was written leaves before this goes on.
    else if (pieces === 'at once') await Promise.resolve();
  }
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n'
  + 'sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';

/** A provider of all of it. */
export interface BenchProvider {
  readonly url: string;
  /** How the answers come from now on. */
  pieces: Pieces;
  close(): void;
}

export async function startProvider(): Promise<BenchProvider> {
  let number = 0;
  const answer = (message: IncomingMessage, response: ServerResponse): void => void message.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void sendAll(provider.pieces, eventsOf(number += 1), (event) => void response.write(`data: ${event}\n\n`)).then(() => response.end());
  });
  const server = createServer(answer);
  server.on('upgrade', ({ url }: IncomingMessage, socket: Socket) => {
    socket.setNoDelay(true).on('error', () => {}).write(switching);
    if (url?.startsWith('/v1/realtime') === true) return hear(socket);
    socket.on('data', () => {
      if (provider.pieces === 'together') {
        socket.cork();
        process.nextTick(() => socket.uncork());
      }
      void sendAll(provider.pieces, eventsOf(number += 1), (event) => void socket.write(frameOf(event)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: BenchProvider = { url, pieces: 'together', close: () => server.closeAllConnections() };
  return provider;
}

/** Answers each message of sound with one. */
function hear(socket: Socket): void {
  let bytes = 0;
  socket.write(begun);
  socket.on('data', (chunk: Buffer) => {
    for (bytes += chunk.length; bytes >= spoken.length; bytes -= spoken.length) socket.write(heard);
  });
}

/** A connection on which one exchange follows the other, `count` of them. */
export async function converse({ url, key }: Subject, { of: what, way }: Conversation, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = count;
  socket.on('error', reject).on('close', () => left > 0 ? reject(new Error('A connection ended early.')) : resolve());
  const common = `host: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n`;
  const post = `POST /v1/responses HTTP/1.1\r\n${common}content-type: application/json\r\ncontent-length: ${asked.length}\r\n\r\n${asked}`;
  const ask = way === 'http' ? Buffer.from(post, 'latin1') : what === 'sound' ? spoken : frameOf(asked, { mask });
  const answered = (): void => {
    left -= 1;
    if (left > 0) socket.write(ask);
    else socket.destroy();
  };
  const end = way === 'http' ? endOf('0\r\n\r\n') : what === 'sound' ? afterBytes(heard.length) : endOf('response.completed');
  if (way === 'websocket') {
    const path = what === 'sound' ? '/v1/realtime?model=gpt-realtime' : '/v1/responses';
    const upgrade = 'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.write(`GET ${path} HTTP/1.1\r\n${common}${upgrade}\r\n`);
    const first = await bytesUntil(socket, (bytes) => bytes.includes('\r\n\r\n') && (what !== 'sound' || bytes.includes(begun)));
    if (!first.includes(' 101 ')) throw new Error(first.toString('latin1', 0, 200));
  }
  socket.on('data', (chunk: Buffer) => { if (end(chunk)) answered(); });
  socket.write(ask);
  return promise;
}

async function bytesUntil(socket: Socket, is: (bytes: Buffer) => boolean): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  while (!is(bytes)) {
    const [chunk] = await once(socket, 'data') as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
  }
  return bytes;
}

/** Whether this text has come, in whatever pieces. */
function endOf(text: string): (chunk: Buffer) => boolean {
  const sought = Buffer.from(text, 'latin1');
  let tail = Buffer.alloc(0);
  return (chunk) => {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    const isThere = bytes.includes(sought);
    tail = isThere ? Buffer.alloc(0) : Buffer.from(bytes.subarray(-sought.length + 1));
    return isThere;
  };
}

function afterBytes(count: number): (chunk: Buffer) => boolean {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes < count) return false;
    bytes -= count;
    return true;
  };
}
