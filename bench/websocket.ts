/**
 * `node bench/websocket.ts [--quick]`: what a turn of the Responses API costs over WebSocket (a create, 20 events, an end), in processor time of
 * the product, of haproxy, and of the product for the same turn as a stream over HTTP. Connections are opened once and answer one turn after
 * the other. Each subject is started fresh and asked alone. If a turn fails, the benchmark fails.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { processorMs } from './processor-time.ts';
import { startSubjects, type Subject } from './subjects.ts';

const quick = process.argv.includes('--quick');
const [connections, warmTurns, turns] = quick ? [8, 500, 2_000] : [32, 4_000, 20_000];
const model = 'gpt-5.2-2025-12-11';
const mask = Buffer.from([1, 2, 3, 4]);
const request = JSON.stringify({ type: 'response.create', model, input: 'Name a river.' });
const ask = frameOf(request, { mask });
const usage = { input_tokens: 11, output_tokens: 20, total_tokens: 31 };

/** The events of one turn. */
function eventsOf(number: number): string[] {
  const response = { id: `resp_${number}`, object: 'response', status: 'in_progress', model, output: [] };
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'word ' };
  return [
    { type: 'response.created', response }, ...Array.from({ length: 20 }, (_, at) => ({ ...delta, sequence_number: at })),
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ].map((event) => JSON.stringify(event));
}

const end = Buffer.from('response.completed', 'latin1');

/** A provider that answers both ways. */
async function startProvider(): Promise<{ readonly url: string; close(): void }> {
  let number = 0;
  const server = createServer((message, answer) => {
    message.resume().on('end', () => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(number += 1)) answer.write(`data: ${event}\n\n`);
      answer.end();
    });
  });
  server.on('upgrade', (_message: IncomingMessage, socket: Socket) => {
    socket.setNoDelay(true).on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n'
      + 'sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n');
    socket.on('data', () => { for (const event of eventsOf(number += 1)) socket.write(frameOf(event)); });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.closeAllConnections() };
}

/** A connection on which one turn follows the other: what begins it, what asks, and how the end of a turn is known. */
async function converse({ url, key }: Subject, way: 'websocket' | 'http', count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const common = `host: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n`;
  const handshake = 'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const begin = `GET /v1/responses HTTP/1.1\r\n${common}${handshake}\r\n`;
  const post = `POST /v1/responses HTTP/1.1\r\n${common}content-type: application/json\r\ncontent-length: ${request.length}\r\n\r\n${request}`;
  const turnEnd = way === 'websocket' ? end : Buffer.from('0\r\n\r\n', 'latin1');
  let left = count;
  const next = (): void => void socket.write(way === 'websocket' ? ask : post);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOpen = way === 'http';
  let tail = Buffer.alloc(0);
  socket.on('error', reject).on('close', () => left > 0 ? reject(new Error('A connection ended early.')) : resolve());
  socket.on('data', (chunk: Buffer) => {
    const bytes = Buffer.concat([tail, chunk]);
    tail = bytes.subarray(-30);
    if (!isOpen) {
      if (!bytes.includes(' 101 ')) return reject(new Error(bytes.toString('latin1', 0, 200)));
      isOpen = true;
      return next();
    }
    if (!bytes.includes(turnEnd)) return;
    tail = Buffer.alloc(0);
    left -= 1;
    if (left > 0) next();
    else socket.destroy();
  });
  if (isOpen) next();
  else socket.write(begin);
  return promise;
}

async function measure(subject: Subject, way: 'websocket' | 'http'): Promise<void> {
  const round = (count: number): Promise<unknown> =>
    Promise.all(Array.from({ length: connections }, () => converse(subject, way, count / connections)));
  await round(warmTurns);
  const [beforeMs, sinceMs] = [processorMs(subject.pid!) ?? 0, performance.now()];
  await round(turns);
  const [usedMs, wallMs] = [(processorMs(subject.pid!) ?? 0) - beforeMs, performance.now() - sinceMs];
  const [costUs, rate] = [usedMs / turns * 1_000, turns / wallMs * 1_000];
  console.log(`${subject.name}, ${way}: ${costUs.toFixed(0)} µs of processor time a turn, ${rate.toFixed(0)} turns a second`);
}

const provider = await startProvider();
const subjects = await startSubjects(provider.url);
try {
  for (const subject of subjects.filter(({ name }) => name === 'metergate' || name === 'haproxy')) {
    await measure(subject, 'websocket');
    await measure(subject, 'http');
  }
} finally {
  for (const subject of subjects) await subject.stop();
  provider.close();
}
process.exit();
