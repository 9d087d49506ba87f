/**
 * A caller on a raw socket: sends exactly the bytes it is given and keeps exactly the bytes it gets.
 * For what HTTP libraries hide: header case and order, chunk boundaries, half-closes, aborts, readers that stop reading.
 * If a connection ends early, its answer is reported as cut; one that never answers is bounded by the deadline of the call.
 */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { abortSocket } from './abort-socket.ts';
import { patienceMs } from './eventually.ts';
import { MessageParser, type HeaderPair, type HttpMessage } from './http-message.ts';

/** One answer as it came. */
export interface RawAnswer extends HttpMessage {
  readonly status: number;
  readonly reason: string;
}

/** One request to send; `host` and, with a body, `content-length` are added if `headers` lack them. */
export interface RawCall {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly HeaderPair[];
  readonly body?: Uint8Array | string;
  /** Sends the body chunked, in these pieces, instead of `body`. */
  readonly chunks?: readonly Uint8Array[];
}

/** A connection to one server. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is over: `fin` in order, `rst` by reset. */
  readonly ended: Promise<'fin' | 'rst'>;
  /** All answers so far, 1xx included. */
  readonly answers: RawAnswer[] = [];
  /** Body bytes received so far, without chunk framing. */
  bytesReceived = 0;
  readonly #parser: MessageParser;
  readonly #authority: string;
  #waiters: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void }[] = [];
  #unclaimed: RawAnswer[] = [];
  #byteWaiters: { from: number; resolve: () => void }[] = [];
  #headWaiters: (() => void)[] = [];
  /** The server has ended its side. */
  #saidEnd = false;
  #over = false;

  private constructor(socket: Socket, authority: string, keepBodies: boolean) {
    this.socket = socket;
    this.#authority = authority;
    this.#parser = new MessageParser('responses', {
      onHead: () => { for (const waiter of this.#headWaiters.splice(0)) waiter(); },
      onBody: (bytes) => this.#count(bytes.length),
      onMessage: (message) => this.#told(message),
    }, { keepBodies });
    const { promise, resolve } = Promise.withResolvers<'fin' | 'rst'>();
    this.ended = promise;
    let how: 'fin' | 'rst' = 'fin';
    socket.on('data', (chunk: Buffer) => this.#parser.push(chunk));
    socket.on('end', () => { this.#parser.end(false); this.#rejectWaiting(); });
    socket.on('error', () => { how = 'rst'; });
    socket.on('close', () => {
      this.#parser.end(how === 'rst');
      this.#rejectWaiting();
      this.#over = true;
      resolve(how);
    });
  }

  /** Connects to `url` (scheme, host, port). `keepBodies: false` counts body bytes without keeping them. */
  static async open(url: string, options: { keepBodies?: boolean } = {}): Promise<RawConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket, host, options.keepBodies ?? true);
  }

  /** Sends these bytes as they are. */
  send(bytes: Uint8Array | string): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Sends and waits until the kernel has taken it: blocks while the server does not read. */
  sendAll(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Sends a request and waits for its final answer. */
  async call(call: RawCall): Promise<RawAnswer> {
    if (call.method === 'HEAD') this.#parser.bodyless = true;
    const answer = this.nextAnswer();
    this.send(requestBytes(call, this.#authority));
    return answer;
  }

  /** The next final answer (1xx are only kept in `answers`), received or to come. Rejects if the connection ends without one. */
  async nextAnswer(): Promise<RawAnswer> {
    const ready = this.#unclaimed.shift();
    if (ready !== undefined) return ready;
    if (this.#saidEnd) throw new Error('testkit: the connection ended without an answer');
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    this.#waiters.push({ resolve, reject });
    return within(promise, 'an answer');
  }

  /** Resolves when the next response head is there. */
  nextHead(): Promise<void> {
    return within(new Promise<void>((resolve) => { this.#headWaiters.push(resolve); }), 'a response head');
  }

  /** Resolves when at least this many body bytes came. */
  received(bytes: number): Promise<void> {
    if (this.bytesReceived >= bytes) return Promise.resolve();
    return within(new Promise<void>((resolve) => { this.#byteWaiters.push({ from: bytes, resolve }); }), `${bytes} bytes`);
  }

  /** Stops reading: the kernel's buffers fill, and the server sees backpressure. */
  stopReading(): void {
    this.socket.pause();
  }

  /** Reads again. */
  readOn(): void {
    this.socket.resume();
  }

  /** Says that nothing more will be sent; reading continues. */
  halfClose(): void {
    this.socket.end();
  }

  /** Resets the connection at once. */
  abort(): void {
    abortSocket(this.socket);
  }

  /** Ends the connection and waits until it is over. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.socket.destroy();
    await this.ended;
  }

  #count(bytes: number): void {
    this.bytesReceived += bytes;
    this.#byteWaiters = this.#byteWaiters.filter((waiter) => {
      if (this.bytesReceived < waiter.from) return true;
      waiter.resolve();
      return false;
    });
  }

  #told(message: HttpMessage): void {
    const [, status = '0', ...reason] = message.startLine.split(' ');
    const answer: RawAnswer = { ...message, status: Number(status), reason: reason.join(' ') };
    this.answers.push(answer);
    if (answer.status < 200) return;
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#unclaimed.push(answer);
    else waiter.resolve(answer);
  }

  /** Rejects everything still awaited: a server that ended its side may leave ours open for ever. */
  #rejectWaiting(): void {
    this.#saidEnd = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('testkit: the connection ended without an answer'));
  }
}

/** One call on a new connection. */
export async function rawCall(url: string, call: RawCall): Promise<RawAnswer> {
  const connection = await RawConnection.open(url);
  try {
    return await connection.call(call);
  } finally {
    await connection.close();
  }
}

/** The bytes of a request, with nothing added except what framing needs. */
export function requestBytes(call: RawCall, authority: string): Buffer {
  const headers = [...(call.headers ?? [])];
  const has = (name: string): boolean => headers.some(([each]) => each.toLowerCase() === name);
  const body = call.body === undefined ? null : Buffer.from(call.body as Uint8Array);
  if (!has('host')) headers.unshift(['Host', authority]);
  if (call.chunks !== undefined && !has('transfer-encoding')) headers.push(['Transfer-Encoding', 'chunked']);
  if (body !== null && !has('content-length')) headers.push(['Content-Length', String(body.length)]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = Buffer.from(`${call.method ?? 'POST'} ${call.target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
  const chunked = (call.chunks ?? []).flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  const tail = call.chunks === undefined ? [] : [Buffer.from('0\r\n\r\n')];
  return Buffer.concat([head, ...(body === null ? [] : [body]), ...chunked, ...tail]);
}

/** Bounds a wait, so that a silent server fails the test with a message instead of hanging it. */
async function within<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`testkit: ${what} did not come within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
