/**
 * The provider of a benchmark, as cheap as possible: it counts the bytes of a request without looking at them and answers what the target's query
 * asks for. Call i reports i prompt tokens, up to ten thousand and then from one again, so that no limit of tokens is reached.
 */
import { createServer, type Socket } from 'node:net';
import type { Api } from './bodies.ts';

/** The mock's whole log: how many calls it answered, and with how many prompt tokens in all. */
export interface MockLog {
  calls: number;
  promptTokens: number;
}

/** Query of a target: `events` of a stream, so many `each` write (1), or an answer of `bytes`. */
export interface AnswerShape {
  readonly events?: number;
  readonly each?: number;
  readonly bytes?: number;
}

export function queryOf({ events = 0, each = 1, bytes = answerBytes }: AnswerShape): string {
  return events > 0 ? `?events=${events}&each=${each}` : bytes === answerBytes ? '' : `?bytes=${bytes}`;
}

const answerBytes = 1_400;
let serial = 0;
export const log: MockLog = { calls: 0, promptTokens: 0 };

/** Listens; says where. */
export function startMock(listening: (url: string) => void): void {
  const server = createServer({ noDelay: true }, (socket) => {
    const requests = new Requests((target) => answer(socket, target));
    socket.on('data', (bytes: Buffer) => requests.push(bytes));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) listening(`http://127.0.0.1:${address.port}`);
  });
}

/** The requests of one connection: their targets, each once its body has come. */
class Requests {
  readonly #whole: (target: string) => void;
  #head = '';
  #target = '';
  /** Bytes of a body that are still to come; −1: in chunks, until their end; null: a head is read. */
  #due: number | null = null;
  #tail = '';

  constructor(whole: (target: string) => void) {
    this.#whole = whole;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) rest = this.#due === null ? this.#readHead(rest) : this.#readBody(rest);
  }

  #readHead(bytes: Buffer): Buffer {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1', 0, Math.min(bytes.length, 16_384));
    const end = this.#head.indexOf('\r\n\r\n');
    if (end === -1) return bytes.subarray(bytes.length);
    const head = this.#head.slice(0, end + 2);
    this.#head = '';
    this.#target = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
    this.#due = /\r\ntransfer-encoding:/i.test(head) ? -1 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#due === 0) this.#ended();
    return bytes.subarray(end + 4 - before);
  }

  #readBody(bytes: Buffer): Buffer {
    if (this.#due === -1) {
      this.#tail = (this.#tail + bytes.toString('latin1', Math.max(0, bytes.length - 7))).slice(-7);
      if (this.#tail === '\r\n0\r\n\r\n') this.#ended();
      return bytes.subarray(bytes.length);
    }
    const taken = Math.min(bytes.length, this.#due!);
    this.#due! -= taken;
    if (this.#due === 0) this.#ended();
    return bytes.subarray(taken);
  }

  #ended(): void {
    this.#due = null;
    this.#tail = '';
    this.#whole(this.#target);
  }
}

function answer(socket: Socket, target: string): void {
  serial = (serial % 10_000) + 1;
  log.calls += 1;
  log.promptTokens += serial;
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  const asked = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise);
  const wire = target.startsWith('/v1/messages') ? answers.messages : target.startsWith('/v1/responses') ? answers.responses : answers.chat;
  if (target.includes('?') && asked('events', 0) > 0) return stream(socket, wire, { events: asked('events', 1), each: asked('each', 1) });
  const body = wire.json(target.includes('?') ? asked('bytes', answerBytes) : answerBytes);
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-request-id: req_bench\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`, 'latin1');
}

/** How one API answers. Events are whole, with their empty lines. */
interface WireAnswers {
  json(bytes: number): string;
  readonly first: string;
  readonly event: string;
  last(): string;
}

const tokens = (input: string, output: string): string => `"usage":{"${input}":${serial},"${output}":20,"total_tokens":${serial + 20}}`;
const filled = (bytes: number, start: string, end: string): string => start + 'x'.repeat(Math.max(0, bytes - start.length - end.length)) + end;
const chatHead = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,"model":"gpt-4o-mini","choices":[';
const named = (type: string, rest: string): string => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`;

const answers: Readonly<Record<Api, WireAnswers>> = {
  chat: {
    json: (bytes) => filled(bytes,
      '{"id":"chatcmpl-bench","object":"chat.completion","created":1760000000,"model":"gpt-4o-mini","choices":[{"index":0,'
      + '"message":{"role":"assistant","content":"', `"},"finish_reason":"stop"}],${tokens('prompt_tokens', 'completion_tokens')}}`),
    first: '',
    event: `data: ${chatHead}{"index":0,"delta":{"content":" word"},"finish_reason":null}]}\n\n`,
    last: () => `data: ${chatHead}],${tokens('prompt_tokens', 'completion_tokens')}}\n\ndata: [DONE]\n\n`,
  },
  messages: {
    json: (bytes) => filled(bytes,
      '{"id":"msg_bench","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"',
      `"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":${serial},"output_tokens":20}}`),
    get first() {
      return named('message_start', ',"message":{"id":"msg_bench","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],'
        + `"stop_reason":null,"usage":{"input_tokens":${serial},"output_tokens":1}}`);
    },
    event: named('content_block_delta', ',"index":0,"delta":{"type":"text_delta","text":" word"}'),
    last: () => named('message_delta', ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":20}')
      + named('message_stop', ''),
  },
  responses: {
    json: (bytes) => filled(bytes,
      '{"id":"resp_bench","object":"response","status":"completed","model":"gpt-5-codex","output":[{"type":"message","role":'
      + '"assistant","content":[{"type":"output_text","text":"', `"}]}],${tokens('input_tokens', 'output_tokens')}}`),
    first: named('response.created', ',"sequence_number":0,"response":{"id":"resp_bench","object":"response","status":"in_progress"}'),
    event: named('response.output_text.delta', ',"sequence_number":7,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word"'),
    last: () => named('response.completed', ',"sequence_number":9,"response":{"id":"resp_bench","object":"response","status":"completed",'
      + `"model":"gpt-5-codex","output":[],${tokens('input_tokens', 'output_tokens')}}`),
  },
};

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Each write is in a separate turn of the event loop, like a provider's tokens, without pauses. */
function stream(socket: Socket, wire: WireAnswers, { events, each }: { readonly events: number; readonly each: number }): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
  if (wire.first !== '') socket.write(chunk(wire.first));
  const last = `${chunk(wire.last())}0\r\n\r\n`;
  const deltas = chunk(wire.event).repeat(each);
  let left = events;
  const next = (): void => {
    if (socket.destroyed) return;
    if (left <= 0) return void socket.write(last);
    left -= each;
    if (socket.write(deltas)) setImmediate(next);
    else socket.once('drain', next);
  };
  next();
}
