/**
 * The simulated provider of `metergate start --sandbox`: speaks both providers' wires on 127.0.0.1, so that a newcomer can try the
 * product without a provider key. It calls nobody, keeps nothing, and says in every text that it is simulated.
 * What it cannot read it answers as a provider would: 400 for a body that is no JSON object, 404 for a path it does not know.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import {
  chatCompletion, completion, embeddings, message, response, type SandboxAnswer, type SandboxRequest,
} from './sandbox-answers.ts';

/** Largest request body the sandbox takes, bytes; above it 413, as a provider would. */
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
  const server = createServer((request, answer) => {
    serve(request, answer, ++serial).catch(() => { answer.destroy(); });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

interface Operation {
  readonly wire: 'openai' | 'anthropic';
  readonly defaultModel: string;
  readonly answer: (request: SandboxRequest) => SandboxAnswer;
}

const operations: ReadonlyMap<string, Operation> = new Map([
  ['/v1/chat/completions', { wire: 'openai', defaultModel: 'gpt-4o-mini', answer: chatCompletion }],
  ['/v1/completions', { wire: 'openai', defaultModel: 'gpt-3.5-turbo-instruct', answer: completion }],
  ['/v1/embeddings', { wire: 'openai', defaultModel: 'text-embedding-3-small', answer: embeddings }],
  ['/v1/responses', { wire: 'openai', defaultModel: 'gpt-4o-mini', answer: response }],
  ['/v1/messages', { wire: 'anthropic', defaultModel: 'claude-haiku-4-5', answer: message }],
] satisfies [string, Operation][]);

const models = {
  object: 'list',
  data: ['gpt-4o-mini', 'gpt-4o', 'text-embedding-3-small', 'claude-haiku-4-5']
    .map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'metergate-sandbox' })),
};

async function serve(request: IncomingMessage, answer: ServerResponse, serial: number): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  answer.setHeader('x-request-id', `sandbox-${serial}`);
  if (request.method === 'GET' && path === '/v1/models') {
    request.resume();
    return sendJson(answer, 200, models);
  }
  const operation = request.method === 'POST' ? operations.get(path) : undefined;
  const wire = operation?.wire ?? (path.startsWith('/v1/messages') ? 'anthropic' : 'openai');
  if (operation === undefined) {
    request.resume();
    return sendError(answer, wire, { status: 404, message: "Metergate's sandbox does not simulate this path." });
  }
  const body = await readBody(request);
  if (body === null) return sendError(answer, wire, { status: 413, message: "The request is larger than Metergate's sandbox takes." });
  const asked = readRequest(body, operation.defaultModel, serial);
  if (asked === null) return sendError(answer, wire, { status: 400, message: 'The request body is not a JSON object.' });
  return sendAnswer(answer, operation.answer(asked));
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

function readRequest(body: Buffer, defaultModel: string, serial: number): SandboxRequest | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const { model, stream, stream_options: options, input } = parsed as Record<string, unknown>;
  return {
    model: typeof model === 'string' ? model : defaultModel,
    streamed: stream === true,
    includeUsage: typeof options === 'object' && options !== null && (options as Record<string, unknown>)['include_usage'] === true,
    bodyBytes: body.length,
    inputs: Array.isArray(input) ? Math.min(input.length, 2048) : 1,
    serial,
  };
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

function sendJson(answer: ServerResponse, status: number, document: unknown): void {
  const body = Buffer.from(JSON.stringify(document));
  answer.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  answer.end(body);
}

function sendError(answer: ServerResponse, wire: 'openai' | 'anthropic', error: { status: number; message: string }): void {
  const type = error.status === 404 ? 'not_found_error' : 'invalid_request_error';
  const document = wire === 'anthropic'
    ? { type: 'error', error: { type, message: error.message } }
    : { error: { message: error.message, type: 'invalid_request_error', param: null, code: error.status === 404 ? 'unknown_url' : null } };
  sendJson(answer, error.status, document);
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
