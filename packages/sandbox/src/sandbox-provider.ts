/**
 * The simulated provider of `metergate start --sandbox`: speaks both providers' wires on 127.0.0.1, so that a newcomer can try the
 * product without a provider key. It calls nobody, keeps nothing but digests of prompts and, in memory, the newest files and work that is done
 * later, and says in every text that it is simulated.
 * It refuses what a provider would: 400 for a body that is not a JSON object, 404 for an unknown path. With the header `x-sandbox-status:
 * STATUS` (400 to 599) it answers with that error, so that a client's error handling can be tried.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { chatCompletion, completion } from './answers/chat-answers.ts';
import { embeddings } from './answers/embeddings-answer.ts';
import type { AnswerNow } from './later/later-batches.ts';
import { LaterWork, type LaterAnswer } from './later/later-work.ts';
import { message, tokenCount } from './answers/messages-answers.ts';
import { modelList } from './answers/models-answer.ts';
import { answerTextOf } from './answers/answer-text.ts';
import { createPromptCache, type PromptCache } from './prompt-cache.ts';
import { response } from './answers/responses-answer.ts';
import { serveSockets } from './sockets/responses-socket.ts';
import type { Asked, SandboxAnswer } from './sandbox-answer.ts';
import { readRequest, type Fields, type SandboxRequest } from './sandbox-request.ts';
import { toolCallOf } from './answers/tool-call.ts';
import { errorDocument, type SandboxError } from './errors.ts';
import type { SandboxWire } from './wire.ts';

/** Largest request body that the sandbox takes, bytes; above it, it answers 413, as a provider would. */
const bodyBytesMax = 64 * 1024 * 1024;

/** The running sandbox. */
export interface SandboxProvider {
  /** `http://127.0.0.1:PORT`: serves as both `SVC_OPENAI_URL` and `SVC_ANTHROPIC_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the sandbox on a free port of 127.0.0.1. */
export async function startSandboxProvider(): Promise<SandboxProvider> {
  let serial = 0;
  const cache = createPromptCache();
  const answerNow: AnswerNow = (path, body) => {
    const operation = operations.get(path);
    if (operation === undefined) return null;
    const asked = readRequest(Buffer.from(JSON.stringify({ ...body, stream: false })), operation.defaultModel, ++serial);
    const now = asked === null ? null : answerOf(operation, asked, cache);
    return now?.kind === 'json' ? now.document as Fields : null;
  };
  const later = new LaterWork(answerNow);
  const server = createServer((request, answer) => {
    serve(request, answer, { serial: ++serial, cache, later }).catch(() => { answer.destroy(); });
  });
  const endSockets = serveSockets(server, (body) => {
    const operation = operations.get('/v1/responses')!;
    const asked = readRequest(body, operation.defaultModel, ++serial);
    return asked === null ? null : answerOf(operation, asked, cache);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => {
    endSockets();
    return closeServer(server);
  } };
}

interface Operation {
  readonly wire: SandboxWire;
  readonly defaultModel: string;
  readonly answer: (asked: Asked) => SandboxAnswer;
}

const operations: ReadonlyMap<string, Operation> = new Map([
  ['/v1/chat/completions', { wire: 'openai', defaultModel: 'gpt-4o-mini', answer: chatCompletion }],
  ['/v1/completions', { wire: 'openai', defaultModel: 'gpt-3.5-turbo-instruct', answer: completion }],
  ['/v1/embeddings', { wire: 'openai', defaultModel: 'text-embedding-3-small', answer: embeddings }],
  ['/v1/responses', { wire: 'openai', defaultModel: 'gpt-4o-mini', answer: response }],
  ['/v1/messages', { wire: 'anthropic', defaultModel: 'claude-haiku-4-5', answer: message }],
  ['/v1/messages/count_tokens', { wire: 'anthropic', defaultModel: 'claude-haiku-4-5', answer: tokenCount }],
] satisfies [string, Operation][]);

interface Serving {
  readonly serial: number;
  readonly cache: PromptCache;
  readonly later: LaterWork;
}

async function serve(request: IncomingMessage, answer: ServerResponse, { serial, cache, later }: Serving): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const wire = wireOf(request, path);
  answer.setHeader('x-request-id', `sandbox-${serial}`);
  answer.setHeader('request-id', `sandbox-${serial}`);
  if (request.method === 'GET' && path === '/v1/models') {
    request.resume();
    return sendJson(answer, 200, modelList(wire));
  }
  const wished = wishedStatus(request);
  if (wished !== null) {
    request.resume();
    if (wished === 429 || wished === 503) answer.setHeader('retry-after', '1');
    return sendError(answer, wire, { status: wished, message: `Metergate's sandbox answers ${wished}, as x-sandbox-status asks.` });
  }
  const laterAnswer = await later.answer({
    method: request.method ?? '', path, serial, body: () => readBody(request), contentType: request.headers['content-type'] ?? '',
  });
  if (laterAnswer !== null) return sendLater(answer, wire, laterAnswer);
  const operation = request.method === 'POST' ? operations.get(path) : undefined;
  if (operation === undefined) {
    request.resume();
    return sendError(answer, wire, { status: 404, message: "Metergate's sandbox does not simulate this path." });
  }
  const body = await readBody(request);
  if (body === null) return sendError(answer, wire, { status: 413, message: "The request is larger than Metergate's sandbox takes." });
  const asked = readRequest(body, operation.defaultModel, serial);
  if (asked === null) return sendError(answer, wire, { status: 400, message: 'The request body is not a JSON object.' });
  const now = answerOf(operation, asked, cache);
  const inBackground = path === '/v1/responses' && asked.body['background'] === true && now.kind === 'json';
  return sendAnswer(answer, inBackground ? { kind: 'json', document: later.begin(now.document as Fields) } : now);
}

/** Who is asked. Both providers have paths of the same name. There the credential that the gateway sends tells: only Anthropic's is `x-api-key`. */
function wireOf(request: IncomingMessage, path: string): SandboxWire {
  return operations.get(path)?.wire ?? (path.startsWith('/v1/messages') || 'x-api-key' in request.headers ? 'anthropic' : 'openai');
}

function answerOf({ wire, answer }: Operation, request: SandboxRequest, cache: PromptCache): SandboxAnswer {
  const counted = answer === tokenCount ? { read: 0, written: 0 } : cache.look(wire, request);
  return answer({ request, text: answerTextOf(request), toolCall: toolCallOf(request), cache: counted });
}

/** The error that the request asks for; null if it asks for none. */
function wishedStatus(request: IncomingMessage): number | null {
  const wished = request.headers['x-sandbox-status'];
  return typeof wished === 'string' && /^[45]\d\d$/.test(wished) ? Number(wished) : null;
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bodyBytesMax) chunks.push(chunk);
  }
  return length <= bodyBytesMax ? Buffer.concat(chunks) : null;
}

async function sendAnswer(answer: ServerResponse, what: SandboxAnswer): Promise<void> {
  if (what.kind === 'json') return sendJson(answer, 200, what.document);
  answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const event of what.events) {
    const name = event.name === null ? '' : `event: ${event.name}\n`;
    if (!answer.write(`${name}data: ${JSON.stringify(event.data)}\n\n`)) await once(answer, 'drain');
  }
  answer.end(what.done ? 'data: [DONE]\n\n' : '');
}

function sendLater(answer: ServerResponse, wire: SandboxWire, what: LaterAnswer): void {
  if (what.kind === 'error') return sendError(answer, wire, what);
  if (what.kind === 'document') return sendJson(answer, 200, what.document);
  answer.writeHead(200, { 'content-type': 'application/x-jsonl', 'content-length': what.text.length });
  answer.end(what.text);
}

function sendError(answer: ServerResponse, wire: SandboxWire, error: SandboxError): void {
  sendJson(answer, error.status, errorDocument(wire, error));
}

function sendJson(answer: ServerResponse, status: number, document: unknown): void {
  const body = Buffer.from(JSON.stringify(document));
  answer.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  answer.end(body);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox is not listening');
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
