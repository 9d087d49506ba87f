/**
 * A provider on a local port that speaks every wire. The scenario is in the name of the requested model, in words separated by dots:
 * `m.tools`, `m.status-429`, `m.drop`, `m.gzip`. It counts its requests, so that a test can compare events with calls.
 */
import http from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import * as wires from './wires.ts';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Wire } from './wires.ts';

const openaiHeaders = {
  'x-request-id': 'req_first', 'x-ratelimit-limit-requests': '500', 'x-ratelimit-remaining-requests': '499',
  'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': 'plenty',
};
const anthropicHeaders = {
  'request-id': 'req_second', 'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-requests-remaining': '49',
  'anthropic-ratelimit-tokens-limit': '40000', 'anthropic-ratelimit-tokens-remaining': '39000',
};

const routes: readonly (readonly [RegExp, Wire, Record<string, string>])[] = [
  [/\/(chat|fim|agents)\/completions$/, wires.chat, openaiHeaders],
  [/\/completions$/, wires.completions, openaiHeaders],
  [/\/responses(\/compact)?$/, wires.responses, openaiHeaders],
  [/\/embeddings$/, wires.embeddings, openaiHeaders],
  [/\/messages$/, wires.messages, anthropicHeaders],
  [/:(streamGenerateContent|generateContent|batchEmbedContents|embedContent|predict)$/, wires.google, {}],
];

/** The running provider. */
export interface FakeProvider {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Requests of calls that can carry usage, so far. */
  calls(): number;
  close(): Promise<void>;
}

/** Starts the provider on a free port. */
export async function startFakeProvider(): Promise<FakeProvider> {
  let calls = 0;
  const met = new Set<string>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (request.url === '/asked') return void response.end(String(calls));
      calls += answer(request, response, { body: text === '' ? {} : JSON.parse(text) as Record<string, unknown>, met }) ? 1 : 0;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

interface Asked {
  readonly body: Record<string, unknown>;
  /** Models whose first request was refused. */
  readonly met: Set<string>;
}

function answer(request: IncomingMessage, response: ServerResponse, { body, met }: Asked): boolean {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const route = routes.find(([pattern]) => request.method === 'POST' && pattern.test(path));
  if (!route) {
    answerOther(path, response);
    return false;
  }
  const [, wire, headers] = route;
  const model = String(body['model'] ?? body['agent_id'] ?? /models\/([^:]+):/.exec(path)?.[1] ?? '');
  const words = model.split('.');
  const mistral = String(request.headers['user-agent']).includes('mistral');
  const has = (word: string): boolean => words.includes(word) || (word === 'mistral' && mistral);
  const status = Number(words.find((word) => word.startsWith('status-'))?.slice(7) ?? 200);
  if (has('drop')) {
    request.socket.destroy();
  } else if (status !== 200 && !(has('once') && met.has(model))) {
    met.add(model);
    response.writeHead(status, { ...headers, 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify({ error: { message: 'CANARY-refusal', type: 'some_error', code: status } }));
  } else if (!has('hang')) {
    met.delete(model);
    const made = wire(model, has, body);
    if (body['stream'] === true || path.includes('streamGenerate')) sendEvents(response, { made, has, headers, path });
    else sendJson(response, { made, has, headers });
  }
  return true;
}

interface Sending {
  readonly made: Answer;
  readonly has: (word: string) => boolean;
  readonly headers: Record<string, string>;
  readonly path?: string;
}

/** `m.odd` names a coding that nobody knows. */
function codingOf(has: (word: string) => boolean): Record<string, string> {
  return has('gzip') ? { 'content-encoding': 'gzip' } : has('odd') ? { 'content-encoding': 'odd' } : {};
}

function sendJson(response: ServerResponse, { made, has, headers }: Sending): void {
  const plain = has('nojson') ? '{"id": CANARY-oops' : JSON.stringify(made.json, null, 1);
  const text = has('gzip') ? gzipSync(plain) : has('odd') ? Buffer.from(plain).map((byte) => byte ^ 0xff) : Buffer.from(plain);
  response.writeHead(200, { ...headers, ...codingOf(has), 'content-type': 'application/json',
    ...(has('bare') ? {} : { 'content-length': String(text.length) }) });
  if (!has('cut') && !has('stall')) {
    response.end(text);
    return;
  }
  response.write(text.subarray(0, 20));
  if (has('cut')) setImmediate(() => response.destroy());
}

function sendEvents(response: ServerResponse, { made, has, headers, path = '' }: Sending): void {
  response.writeHead(200, { ...headers, ...codingOf(has), 'content-type': 'text/event-stream' });
  const out = has('gzip') ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : response;
  if (out !== response) out.pipe(response);
  const named = path.endsWith('/messages') || path.endsWith('/responses');
  const texts = made.events.map((event) => {
    const { type } = event as { type?: string };
    return `${named ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
  });
  if (has('cut') || has('stall')) texts.length = Math.min(2, texts.length);
  const oops = { type: 'error', error: { type: 'overloaded_error', message: 'CANARY-oops' } };
  if (has('oops')) texts.splice(2, texts.length, `event: error\ndata: ${JSON.stringify(oops)}\n\n`);
  if (path.endsWith('completions') && !has('cut') && !has('stall')) texts.push('data: [DONE]\n\n');
  const next = (): void => {
    const text = texts.shift();
    if (text !== undefined) out.write(text, () => setImmediate(next));
    else if (has('cut')) response.destroy();
    else if (!has('stall')) out.end();
  };
  next();
}

function answerOther(path: string, response: ServerResponse): void {
  const json = (value: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (path.endsWith('/results')) {
    response.writeHead(200, { 'content-type': 'application/x-jsonl' });
    response.end(wires.batchResults());
  } else if (path.includes('/batches')) {
    json({ id: 'batch_1', type: 'message_batch', processing_status: 'ended',
      results_url: `http://${response.req.headers.host}/v1/messages/batches/batch_1/results` });
  } else if (path.endsWith('count_tokens') || path.endsWith('input_tokens')) {
    json({ input_tokens: 14, object: 'response.input_tokens' });
  } else if (path.endsWith('countTokens')) {
    json({ totalTokens: 14 });
  } else {
    json({ object: 'list', data: [{ id: 'm', object: 'model' }], models: [], results: [], has_more: false });
  }
}
