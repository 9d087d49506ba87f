/**
 * The load and the provider of a benchmark, together in a separate process: a mock provider and a load generator on raw sockets, both
 * as cheap as possible, so that the benchmark measures the subject between them. Talks to bench/run.ts over the process channel.
 * Call i reports i prompt tokens, up to ten thousand and then from one again, so that no limit of tokens is reached. The subject's
 * records are compared with the mock's log.
 */
import { createServer, connect, type Socket } from 'node:net';

/** Whom to call, and with what. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** Further header lines, each ended by CR LF. */
  readonly headers: string;
}

/** One order from bench/run.ts. */
export type LoadOrder =
  | Target & { readonly order: 'closed'; readonly connections: number; readonly durationMs: number; readonly events: number }
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

/** The mock's whole log: how many calls it answered, and with how many prompt tokens in all. */
export interface MockLog {
  readonly calls: number;
  readonly promptTokens: number;
}

const answerBytes = 1_400;
const requestBytes = 1_024;
let serial = 0;
const log = { calls: 0, promptTokens: 0 };

startMock();

process.on('message', (order: LoadOrder) => {
  if (order.order === 'log') process.send?.({ log });
  else if (order.order === 'runs') void callRuns(order).then((result) => process.send?.({ result }));
  else if (order.order === 'keys') void callKeys(order).then((result) => process.send?.({ result }));
  else if (order.order === 'closed') void closedLoop(order).then((result) => process.send?.({ result }));
  else void openLoop(order).then((result) => process.send?.({ result }));
});
process.on('disconnect', () => process.exit(0));

function startMock(): void {
  const server = createServer({ noDelay: true }, (socket) => {
    let pending = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      pending += text;
      for (;;) {
        const head = pending.indexOf('\r\n\r\n');
        if (head === -1) return;
        const length = Number(/content-length: *(\d+)/i.exec(pending.slice(0, head))?.[1] ?? 0);
        if (pending.length < head + 4 + length) return;
        const events = Number(/^\S+ \S*[?&]events=(\d+)/.exec(pending)?.[1] ?? 0);
        pending = pending.slice(head + 4 + length);
        answer(socket, events);
      }
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send?.({ mock: `http://127.0.0.1:${address.port}` });
  });
}

function answer(socket: Socket, events: number): void {
  serial = (serial % 10_000) + 1;
  log.calls += 1;
  log.promptTokens += serial;
  const usage = `"usage":{"prompt_tokens":${serial},"completion_tokens":20,"total_tokens":${serial + 20}}`;
  if (events > 0) {
    stream(socket, events, usage);
    return;
  }
  const start = '{"id":"chatcmpl-bench","object":"chat.completion","created":1760000000,"model":"gpt-4o-mini","choices":[{"index":0,"message":'
    + '{"role":"assistant","content":"';
  const end = `"},"finish_reason":"stop"}],${usage}}`;
  const body = start + 'x'.repeat(answerBytes - start.length - end.length) + end;
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-request-id: req_bench\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`, 'latin1');
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Each event is one write in an event-loop turn of its own, like a provider's tokens, without pauses. */
function stream(socket: Socket, events: number, usage: string): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
  const head = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,"model":"gpt-4o-mini","choices":[';
  const delta = chunk(`data: ${head}{"index":0,"delta":{"content":" word"},"finish_reason":null}]}\n\n`);
  let left = events;
  const next = (): void => {
    if (left > 0) {
      left -= 1;
      socket.write(delta);
      setImmediate(next);
    } else {
      socket.write(`${chunk(`data: ${head}],${usage}}\n\n`)}${chunk('data: [DONE]\n\n')}0\r\n\r\n`);
    }
  };
  next();
}

function requestText({ url, key, headers }: Target, events: number): string {
  const streaming = events > 0 ? '"stream":true,"stream_options":{"include_usage":true},' : '';
  const start = `{"model":"gpt-4o-mini",${streaming}"messages":[{"role":"user","content":"`;
  const body = `${start}${'y'.repeat(requestBytes - start.length - 4)}"}]}`;
  const target = `/v1/chat/completions${events > 0 ? `?events=${events}` : ''}`;
  const own = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nx-svc-tags: bench,team-a\r\nUser-Agent: bench\r\n${headers}`;
  return `POST ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${own}Content-Length: ${body.length}\r\n\r\n${body}`;
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
async function closedLoop(order: Extract<LoadOrder, { order: 'closed' }>): Promise<LoadResult> {
  const text = requestText(order, order.events);
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
      caller.socket.write(text, 'latin1');
    };
    caller.socket.write(text, 'latin1');
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
