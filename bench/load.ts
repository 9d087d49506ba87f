/**
 * The load and the provider of a benchmark, together in a separate process: a mock provider (`mock-provider.ts`) and a load generator on raw
 * sockets, both as cheap as possible, so that the benchmark measures the subject between them. Talks to bench/run.ts over the process channel.
 * The subject's records are compared with the mock's log.
 */
import { connect, type Socket } from 'node:net';
import { bodyOf, targetOfApi, type Api, type Style } from './bodies.ts';
import { log, queryOf, startMock, type AnswerShape } from './mock-provider.ts';

/** Whom to call, and with what. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** Further header lines, each ended by CR LF. */
  readonly headers: string;
}

/** A call as agents make it, and how it is answered. */
export interface CallShape {
  readonly api: Api;
  readonly style: Style;
  /** Of the request's body, about. */
  readonly bytes: number;
  /** `slow`: of a declared length, in pieces of a tenth, a few milliseconds apart. */
  readonly comes: 'at once' | 'in chunks' | 'slow';
  readonly answer: AnswerShape;
}

/** One order from bench/run.ts. */
export type LoadOrder =
  | Target & { readonly order: 'closed'; readonly connections: number; readonly durationMs: number; readonly events: number }
  /** As `closed`, with calls of that shape. */
  | Target & { readonly order: 'shaped'; readonly connections: number; readonly durationMs: number; readonly shape: CallShape }
  | Target & { readonly order: 'open'; readonly perSecond: number; readonly durationMs: number }
  /** One call in each of that many runs, which `headers` do not name: `from` is the number of the first. */
  | Target & { readonly order: 'runs'; readonly from: number; readonly count: number }
  /** One call with each of these keys. */
  | Omit<Target, 'key'> & { readonly order: 'keys'; readonly keys: readonly string[] }
  | { readonly order: 'log' };

/** The result of an order. Latencies in microseconds. */
export interface LoadResult {
  readonly calls: number;
  readonly failures: number;
  readonly elapsedMs: number;
  readonly p50: number;
  readonly p99: number;
}

const requestBytes = 1_024;
const slowPieces = 10;
const slowPauseMs = 5;

startMock((mock) => process.send?.({ mock }));

process.on('message', (order: LoadOrder) => {
  if (order.order === 'log') process.send?.({ log });
  else if (order.order === 'runs') void callRuns(order).then((result) => process.send?.({ result }));
  else if (order.order === 'keys') void callKeys(order).then((result) => process.send?.({ result }));
  else if (order.order === 'closed' || order.order === 'shaped') void closedLoop(order).then((result) => process.send?.({ result }));
  else void openLoop(order).then((result) => process.send?.({ result }));
});
process.on('disconnect', () => process.exit(0));

function requestText({ url, key, headers }: Target, events: number): string {
  const streaming = events > 0 ? '"stream":true,"stream_options":{"include_usage":true},' : '';
  const start = `{"model":"gpt-4o-mini",${streaming}"messages":[{"role":"user","content":"`;
  const body = `${start}${'y'.repeat(requestBytes - start.length - 4)}"}]}`;
  const target = `/v1/chat/completions${events > 0 ? `?events=${events}` : ''}`;
  const own = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nx-svc-tags: bench,team-a\r\nUser-Agent: bench\r\n${headers}`;
  return `POST ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${own}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** The request in the pieces that it is written in. */
function shapedRequest({ url, key, headers, shape }: Extract<LoadOrder, { order: 'shaped' }>): Buffer[] {
  const { api, style, bytes, comes, answer } = shape;
  const body = bodyOf(api, style, bytes, (answer.events ?? 0) > 0);
  const own = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nx-svc-tags: bench,team-a\r\nUser-Agent: bench\r\n${headers}`;
  const framing = comes === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = Buffer.from(`POST ${targetOfApi[api]}${queryOf(answer)} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${own}${framing}\r\n\r\n`, 'latin1');
  if (comes === 'in chunks') return [Buffer.concat([head, ...cut(body, 16_384).flatMap((piece) => chunked(piece)), Buffer.from('0\r\n\r\n')])];
  if (comes === 'slow') return [head, ...cut(body, Math.ceil(body.length / slowPieces))];
  return [Buffer.concat([head, body])];
}

function chunked(piece: Buffer): Buffer[] {
  return [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')];
}

function cut(body: Buffer, bytes: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / bytes) }, (_, at) => body.subarray(at * bytes, (at + 1) * bytes));
}

/** One keep-alive connection; `done` is called at each whole answer, with whether it was a 200. */
class Caller {
  readonly socket: Socket;
  done: (good: boolean) => void = () => {};
  #pending = '';
  #good = false;
  #remaining = -1;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => this.#read(text));
    this.socket.on('error', () => this.done(false));
  }

  /** Writes a request, its pieces some time apart. */
  send(pieces: readonly Buffer[], at = 0): void {
    this.socket.write(pieces[at]!);
    if (at + 1 < pieces.length) setTimeout(() => this.send(pieces, at + 1), slowPauseMs);
  }

  #read(text: string): void {
    this.#pending += text;
    if (this.#remaining === -1) {
      const head = this.#pending.indexOf('\r\n\r\n');
      if (head === -1) return;
      const start = this.#pending.slice(0, head);
      this.#good = start.startsWith('HTTP/1.1 200');
      const length = /content-length: *(\d+)/i.exec(start)?.[1];
      this.#remaining = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
      this.#pending = this.#pending.slice(head + 4);
    }
    if (this.#remaining === Number.POSITIVE_INFINITY) {
      if (this.#pending.endsWith('0\r\n\r\n')) this.#finish();
      else this.#pending = this.#pending.slice(-8);
    } else if (this.#pending.length >= this.#remaining) {
      this.#finish();
    }
  }

  #finish(): void {
    this.#pending = '';
    this.#remaining = -1;
    this.done(this.#good);
  }
}

/** Calls as fast as the connections can make them, one after the other on each. */
async function closedLoop(order: Extract<LoadOrder, { order: 'closed' | 'shaped' }>): Promise<LoadResult> {
  const request = order.order === 'shaped' ? shapedRequest(order) : [Buffer.from(requestText(order, order.events), 'latin1')];
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const loops = Array.from({ length: order.connections }, () => new Promise<void>((resolve) => {
    const caller = new Caller(order.url);
    let sentAt = performance.now();
    caller.done = (good) => {
      latencies.push((performance.now() - sentAt) * 1000);
      if (!good) failures += 1;
      if (performance.now() - startedAt >= order.durationMs || caller.socket.destroyed) {
        caller.socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      caller.send(request);
    };
    caller.send(request);
  }));
  await Promise.all(loops);
  return summary(latencies, failures, performance.now() - startedAt);
}

/** One call of each run. */
function callRuns(order: Extract<LoadOrder, { order: 'runs' }>): Promise<LoadResult> {
  return callEach(order.url, order.count, (index) => {
    const headers = `${order.headers}x-svc-run-id: bench-${order.from + index + 1}\r\nx-svc-run-budget: 1000\r\n`;
    return requestText({ ...order, headers }, 0);
  });
}

function callKeys(order: Extract<LoadOrder, { order: 'keys' }>): Promise<LoadResult> {
  return callEach(order.url, order.keys.length, (index) => requestText({ ...order, key: order.keys[index]! }, 0));
}

/** That many different calls, each made once, on a few connections. */
async function callEach(url: string, count: number, textOf: (index: number) => string): Promise<LoadResult> {
  const startedAt = performance.now();
  let failures = 0;
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, () => new Promise<void>((resolve) => {
    const caller = new Caller(url);
    const call = (): void => {
      if (next === count || caller.socket.destroyed) {
        caller.socket.destroy();
        resolve();
        return;
      }
      caller.socket.write(textOf(next), 'latin1');
      next += 1;
    };
    caller.done = (good) => {
      if (!good) failures += 1;
      call();
    };
    call();
  })));
  return { ...summary([0], failures, performance.now() - startedAt), calls: count };
}

/** Calls at a fixed rate, each timed from when it was due, not from when it was sent. */
async function openLoop(order: Extract<LoadOrder, { order: 'open' }>): Promise<LoadResult> {
  const text = requestText(order, 0);
  const latencies: number[] = [];
  let failures = 0;
  const idle: Caller[] = Array.from({ length: 64 }, () => new Caller(order.url));
  const all = [...idle];
  const total = Math.floor((order.perSecond * order.durationMs) / 1000);
  const startedAt = performance.now();
  let due = 0;
  await new Promise<void>((resolve) => {
    const pump = (): void => {
      while (due < total && performance.now() - startedAt >= (due * 1000) / order.perSecond) {
        const caller = idle.pop();
        if (caller === undefined) break;
        const dueAt = startedAt + (due * 1000) / order.perSecond;
        due += 1;
        caller.done = (good) => {
          latencies.push((performance.now() - dueAt) * 1000);
          if (!good) failures += 1;
          idle.push(caller);
          if (latencies.length === total) resolve();
        };
        caller.socket.write(text, 'latin1');
      }
      if (due < total) setImmediate(pump);
    };
    pump();
  });
  for (const caller of all) caller.socket.destroy();
  return summary(latencies, failures, performance.now() - startedAt);
}

function summary(latencies: number[], failures: number, elapsedMs: number): LoadResult {
  const sorted = latencies.sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { calls: sorted.length, failures, elapsedMs, p50: at(0.5), p99: at(0.99) };
}
