/**
 * `node bench/first-byte.ts [--rounds 8]`: how long the first event of a stream takes while 100 streams are open, through each subject in
 * alternating rounds: p50 and p99 from the sending of a request. A stream is 200 events a millisecond apart, from a provider in this process; a
 * new one begins every 10 ms. Rounds before the measured ones are not counted, since V8 compiles a product for its first thousand calls.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { bodyOf } from './bodies.ts';
import { startSubjects, type Subject } from './subjects.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '8' } } });
const rounds = Number(values.rounds);
const warmRounds = 9;
const streams = 100;
const beginsEveryMs = 10;
const events = 200;
const eventEveryMs = 1;

const data = (rest: string): string => `data: {"id":"chatcmpl-b","object":"chat.completion.chunk","created":1,"model":"gpt-4o-mini",${rest}}\n\n`;
const event = chunk(data('"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]'));
const usage = data('"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}');
const ending = `${chunk(`${usage}data: [DONE]\n\n`)}0\r\n\r\n`;
const body = bodyOf('chat', 'agent', 2_000, true);

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** Answers each whole request with a stream. */
function answerOn(socket: Socket): void {
  let came = '';
  socket.on('error', () => {}).on('data', (bytes: Buffer) => {
    came += bytes.toString('latin1');
    const head = came.indexOf('\r\n\r\n');
    const end = head + 4 + Number(/content-length: *(\d+)/i.exec(came)?.[1] ?? 0);
    if (head === -1 || came.length < end) return;
    came = came.slice(end);
    stream(socket);
  });
}

function stream(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${event}`);
  let sent = 1;
  const timer = setInterval(() => {
    if (sent < events) socket.write(event);
    else {
      clearInterval(timer);
      socket.write(ending);
    }
    sent += 1;
  }, eventEveryMs);
}

/** Milliseconds until the first event. Resolves once the stream has ended. */
function firstEventMs({ url, key }: Subject): Promise<number> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const beganMs = performance.now();
  let [firstMs, tail] = [0, ''];
  socket.on('error', reject).on('close', () => reject(new Error('bench: a stream was cut'))).on('data', (bytes: Buffer) => {
    tail = (tail + bytes.toString('latin1')).slice(-400);
    if (firstMs === 0 && tail.includes('data: ')) firstMs = performance.now() - beganMs;
    if (!tail.endsWith('0\r\n\r\n')) return;
    resolve(firstMs);
    socket.destroy();
  });
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
    + `Content-Length: ${body.length}\r\n\r\n`);
  socket.write(body);
  return promise;
}

async function round(subject: Subject): Promise<number[]> {
  return Promise.all(Array.from({ length: streams }, async (_, at) => {
    await new Promise((begin) => { setTimeout(begin, at * beginsEveryMs); });
    return firstEventMs(subject);
  }));
}

const provider = createServer({ noDelay: true }, answerOn).listen(0, '127.0.0.1');
await once(provider, 'listening');
const address = provider.address();
if (address === null || typeof address === 'string') throw new Error('bench: the provider does not listen');
const subjects = await startSubjects(`http://127.0.0.1:${address.port}`);
const found = new Map(subjects.map(({ name }) => [name, [] as number[]]));
try {
  for (let at = 0; at < warmRounds + rounds; at += 1) {
    for (const subject of at % 2 === 0 ? subjects : subjects.toReversed()) {
      const firstMs = await round(subject);
      if (at >= warmRounds) found.get(subject.name)!.push(...firstMs);
    }
  }
  for (const [name, all] of found) {
    const sorted = all.toSorted((one, other) => one - other);
    const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
    console.log(`${name.padEnd(18)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length} streams`);
  }
} finally {
  for (const subject of subjects) await subject.stop();
  provider.close();
}
process.exit();
