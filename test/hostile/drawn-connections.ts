/**
 * Connections that no honest caller makes, drawn: one to four requests sent at once or in pieces, cut anywhere, and left in one of five ways.
 * Each request names in a header how the provider is to answer it.
 */
import { gzipSync } from 'node:zlib';
import type { ReceivedRequest, Script } from '@metergate/testkit/scripted-provider.ts';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { codings } from '@metergate/testkit/coding.ts';
import { fc } from '@metergate/testkit/drawn.ts';
import { RawConnection } from '@metergate/testkit/raw-client.ts';

/** Keys by what the node knows of them. */
export interface DrawnKeys {
  readonly known: string;
  /** Of the store, and perhaps not asked for yet. */
  readonly fresh: readonly string[];
}

const request = fc.record({
  key: fc.constantFrom('known', 'known', 'known', 'fresh', 'fresh', 'unknown', 'none'),
  target: fc.constantFrom('/v1/chat/completions', '/v1/chat/completions', '/v1/responses', '/v1/messages', '/upstream/v1/chat/completions',
    '/nowhere'),
  bodyBytes: fc.constantFrom(0, 2, 900, 5_000, 5_000, 70_000, 200_000),
  framing: fc.constantFrom('length', 'length', 'chunked', 'none'),
  extra: fc.constantFrom('', '', '', 'Expect: 100-continue', 'Expect: nothing', 'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nConnection: Upgrade', 'Connection: close', 'x-svc-run-id: r1',
    'x-svc-run-id: r2\r\nx-svc-run-budget: 1', 'Content-Encoding: gzip'),
  version: fc.constantFrom('1.1', '1.1', '1.1', '1.1', '1.0'),
  answer: fc.constantFrom('whole', 'whole', 'stream', ...codings, 'truncated', 'bomb', 'late', 'cut', 'reset', 'silence',
    'no-http', 'early', 'large'),
  number: fc.integer({ min: 0, max: 1_000_000 }),
});

/** One connection. */
export const drawnConnection = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 4 }),
  /** Where what is sent ends, in thousandths of the whole. */
  cutAt: fc.oneof(fc.constant(1_000), fc.integer({ min: 0, max: 1_000 })),
  pieces: fc.integer({ min: 1, max: 5 }),
  ending: fc.constantFrom('answers', 'answers', 'half-closed', 'reset', 'closed', 'unread'),
  patienceMs: fc.constantFrom(1, 5, 20, 100),
});

type DrawnConnection = typeof drawnConnection extends fc.Arbitrary<infer Value> ? Value : never;

/** Makes the connection, and resolves when its caller has left. */
export async function connectAsDrawn(url: string, drawn: DrawnConnection, keys: DrawnKeys): Promise<void> {
  const connection = await RawConnection.open(url, { keepBodies: false });
  const { socket } = connection;
  socket.on('error', () => {});
  if (drawn.ending === 'unread') connection.stopReading();
  const all = Buffer.concat(drawn.requests.map((one) => bytesOf(one, keys)));
  const sent = all.subarray(0, Math.ceil(all.length * drawn.cutAt / 1_000));
  const pieceBytes = Math.max(1, Math.ceil(sent.length / drawn.pieces));
  for (let at = 0; at < sent.length && socket.writable; at += pieceBytes) {
    connection.send(sent.subarray(at, at + pieceBytes));
    await turns(3);
  }
  if (drawn.ending === 'half-closed') connection.halfClose();
  if (drawn.ending !== 'closed' && drawn.ending !== 'reset') await within(connection, drawn.patienceMs, drawn.requests.length);
  if (drawn.ending === 'reset') connection.abort();
  await connection.close();
}

/** Until all answers have come, or the end, or the caller's patience is over. */
function within(connection: RawConnection, patienceMs: number, answers: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  const look = (): void => { if (connection.answers.filter(({ status }) => status >= 200).length >= answers) resolve(); };
  connection.socket.on('data', look).once('end', () => resolve()).once('close', () => resolve());
  return promise.finally(() => clearTimeout(timer));
}

function bytesOf(drawn: DrawnConnection['requests'][number], keys: DrawnKeys): Buffer {
  const { key, target, bodyBytes, framing, extra, version, answer, number } = drawn;
  const lines = [`POST ${target} HTTP/${version}`, 'Host: x', `x-answer: ${answer}`];
  const unknown = `svc_live_${number.toString(16).padStart(32, '0')}`;
  const credential = { known: keys.known, fresh: keys.fresh[number % keys.fresh.length], unknown };
  if (key in credential) lines.push(`Authorization: Bearer ${credential[key as keyof typeof credential]}`);
  if (extra !== '') lines.push(extra);
  const text = Buffer.from(`{"model":"m","stream":${number % 2 === 0},"pad":"${'x'.repeat(bodyBytes)}"}`.slice(0, Math.max(2, bodyBytes)));
  const body = bodyBytes === 0 ? Buffer.alloc(0) : text;
  if (framing === 'length') lines.push(`Content-Length: ${body.length}`);
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  if (framing !== 'chunked') return Buffer.concat([head, body]);
  const chunks: Buffer[] = [];
  const chunkBytes = 1 + number % 40_000;
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]);
}

const json = ['content-type', 'application/json'] as const;
const events = ['content-type', 'text/event-stream'] as const;
const usage = '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}';
const stream = ['data: {"choices":[]}\n\n', `data: ${usage}\n\n`, 'data: [DONE]\n\n'];
const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
const large = Buffer.from(usage.padEnd(3 * 1024 * 1024));

/** The provider's side: what the request asked for. */
export async function answerAsDrawn(asked: ReceivedRequest): Promise<Script> {
  const answer = headerValue(asked.headers, 'x-answer') ?? 'whole';
  const coding = codings.find((one) => one === answer);
  if (coding !== undefined) return { headers: [events], body: stream, coding };
  switch (answer) {
    case 'stream': return { headers: [events], body: [stream[0]!, turns(4), stream[1]!, turns(4), stream[2]!] };
    case 'truncated': return { headers: [json, ['content-encoding', 'gzip']], body: gzipSync(usage).subarray(0, 20) };
    case 'bomb': return { headers: [json, ['content-encoding', 'gzip']], body: bomb };
    case 'late': return turns(40).then(() => ({ headers: [json], body: usage }));
    case 'cut': return { headers: [events], body: stream, cutAt: { byte: 30, by: 'fin' } };
    case 'reset': return { headers: [events], body: stream, coding: 'gzip', cutAt: { byte: 15, by: 'rst' } };
    case 'silence': return 'silence';
    case 'no-http': return { raw: Buffer.from('HTTP/1.1 2x0\r\n\r\n'), ending: 'fin' };
    case 'early': return { raw: Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 No\r\ncontent-length: 2\r\n\r\n{}'), ending: 'rst' };
    case 'large': return { headers: [json], body: large };
    default: return { headers: [json], body: usage };
  }
}

/** So many turns of this process's event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}
