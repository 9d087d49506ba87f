/**
 * A provider that answers by script, on raw sockets: a real HTTP/1.1 server of either wire that keeps every request as it came and
 * sends exactly the bytes of the script, in the pieces, at the moments and with the ending it describes.
 * It has no timers: it waits for promises in the script (`gate`). A request it cannot read costs only that connection.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { abortSocket } from './abort-socket.ts';
import { compress, type Coding } from './coding.ts';
import { MessageParser, type HeaderPair, type HttpMessage } from './http-message.ts';

/** One request as the provider received it. */
export interface ReceivedRequest extends HttpMessage {
  readonly method: string;
  readonly target: string;
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
}

/** A body piece: bytes are written at once; a promise is waited for first. */
export type Piece = Uint8Array | string | Promise<unknown>;

/** One scripted answer. */
export interface ScriptedAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly reason?: string;
  /** As they are sent, without framing headers, which `framing` adds at the end of the list. */
  readonly headers?: readonly HeaderPair[];
  readonly body?: Uint8Array | string | readonly Piece[] | AsyncIterable<Uint8Array>;
  /** `length`: default for one body. `chunked`: default for pieces. `close`: the connection's end ends it. `none`: no framing header, no end. */
  readonly framing?: 'length' | 'chunked' | 'close' | 'none';
  /** Compresses the body and says so in `content-encoding`. */
  readonly coding?: Coding | null;
  /** Cuts the body (after compression) at these positions, one write each; `every`: at each byte. */
  readonly cuts?: readonly number[] | 'every';
  /** Ends the connection when this many body bytes are sent: `fin` in order, `rst` by reset. */
  readonly cutAt?: { readonly byte: number; readonly by: 'fin' | 'rst' };
  /** Closes the connection after the answer, saying so in `connection: close`. */
  readonly close?: boolean;
}

/** Exactly these bytes, then `keep` the connection, end it (`fin`) or reset it (`rst`). */
export interface RawScript {
  readonly raw: Uint8Array | readonly Piece[];
  readonly ending: 'keep' | 'fin' | 'rst';
}

/** What to do with a request. `silence`: never answer. */
export type Script = ScriptedAnswer | RawScript | 'silence';

/** The running provider. */
export interface ScriptedProvider {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Every request, whole or cut, in order of completion. */
  readonly requests: ReceivedRequest[];
  /** Connections accepted so far; a refused call must not raise it. */
  readonly connections: number;
  /** Connections open now. */
  readonly openConnections: number;
  /** Body bytes of answers that the kernel has taken so far: does not grow while the reader is slow. */
  readonly bytesWritten: number;
  /** Body bytes of requests read so far. */
  readonly bytesRead: number;
  /** The script for all requests from now on. */
  respond(script: Script | ((request: ReceivedRequest) => Script | Promise<Script>)): void;
  /** Answers once the head has arrived, before the body; the request is kept when its body has ended. */
  respondAtHead(script: Script | null): void;
  /** Keep request bodies in memory (default) or only count them. */
  keepBodies(keep: boolean): void;
  /** Stops reading from every connection, present and to come, until called with false. */
  stopReading(stop: boolean): void;
  /** Resolves with the next request that completes from now on. */
  nextRequest(): Promise<ReceivedRequest>;
  /** Resolves when a peer next ends one of the connections, by FIN or by reset. */
  nextClose(): Promise<void>;
  close(): Promise<void>;
}

/** A promise with its release: put `gate.opened` between two pieces and call `open()` when the test is ready. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** Starts a provider on a free port of 127.0.0.1. The default script answers 200 with `{}`. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const provider = new Provider();
  await provider.listen();
  return provider;
}

class Provider implements ScriptedProvider {
  readonly requests: ReceivedRequest[] = [];
  connections = 0;
  bytesWritten = 0;
  bytesRead = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #script: Script | ((request: ReceivedRequest) => Script | Promise<Script>) = { headers: [['content-type', 'application/json']], body: '{}' };
  #headScript: Script | null = null;
  #keepBodies = true;
  #stopped = false;
  #requestWaiters: ((request: ReceivedRequest) => void)[] = [];
  #closeWaiters: (() => void)[] = [];

  constructor() {
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#serve(socket));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('testkit: the scripted provider is closed');
    return address.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  respond(script: Script | ((request: ReceivedRequest) => Script | Promise<Script>)): void {
    this.#script = script;
    this.#headScript = null;
  }

  respondAtHead(script: Script | null): void {
    this.#headScript = script;
  }

  keepBodies(keep: boolean): void {
    this.#keepBodies = keep;
  }

  stopReading(stop: boolean): void {
    this.#stopped = stop;
    for (const socket of this.#sockets) {
      if (stop) socket.pause();
      else socket.resume();
    }
  }

  nextRequest(): Promise<ReceivedRequest> {
    return new Promise((resolve) => this.#requestWaiters.push(resolve));
  }

  nextClose(): Promise<void> {
    return new Promise((resolve) => this.#closeWaiters.push(resolve));
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    const connection = ++this.connections;
    this.#sockets.add(socket);
    if (this.#stopped) socket.pause();
    // Answers are sent in the order of their requests, also to a client that pipelines.
    let turn = Promise.resolve();
    const answer = (script: () => Script | Promise<Script>): void => {
      turn = turn.then(async () => this.#play(socket, await script())).catch(() => { socket.destroy(); });
    };
    const parser = new MessageParser('requests', {
      onHead: () => { if (this.#headScript !== null) { const script = this.#headScript; answer(() => script); } },
      onBody: (bytes) => { this.bytesRead += bytes.length; },
      onMessage: (message) => {
        const [method = '', target = ''] = message.startLine.split(' ');
        const request: ReceivedRequest = { ...message, method, target, connection };
        this.requests.push(request);
        for (const waiter of this.#requestWaiters.splice(0)) waiter(request);
        if (request.whole && this.#headScript === null) {
          const script = this.#script;
          answer(() => (typeof script === 'function' ? script(request) : script));
        }
      },
    }, { keepBodies: this.#keepBodies });
    socket.on('data', (chunk: Buffer) => { try { parser.push(chunk); } catch { socket.destroy(); } });
    socket.on('end', () => {
      parser.end(true);
      this.#tellClosed();
      void turn.then(() => socket.end());
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      parser.end(true);
      this.#sockets.delete(socket);
      this.#tellClosed();
    });
  }

  #tellClosed(): void {
    for (const waiter of this.#closeWaiters.splice(0)) waiter();
  }

  async #play(socket: Socket, script: Script): Promise<void> {
    if (script === 'silence') return;
    if ('raw' in script) {
      const pieces = script.raw instanceof Uint8Array ? [script.raw] : script.raw;
      for await (const bytes of inOrder(pieces)) await this.#write(socket, bytes);
      if (script.ending !== 'keep') end(socket, script.ending);
      return;
    }
    await this.#playAnswer(socket, script);
  }

  async #playAnswer(socket: Socket, script: ScriptedAnswer): Promise<void> {
    const { head, body, framing } = prepare(script);
    await send(socket, Buffer.from(head, 'latin1'));
    const cutAt = script.cutAt ?? null;
    let written = 0;
    for await (const piece of body) {
      const bytes = cutAt === null ? piece : piece.subarray(0, cutAt.byte - written);
      if (bytes.length > 0) {
        if (framing === 'chunked') await send(socket, Buffer.from(`${bytes.length.toString(16)}\r\n`));
        await this.#write(socket, bytes);
        if (framing === 'chunked') await send(socket, Buffer.from('\r\n'));
      }
      written += bytes.length;
      if (cutAt !== null && written >= cutAt.byte) return end(socket, cutAt.by);
    }
    if (cutAt !== null) return end(socket, cutAt.by);
    if (framing === 'chunked') await send(socket, Buffer.from('0\r\n\r\n'));
    if (framing === 'close' || script.close === true) end(socket, 'fin');
  }

  async #write(socket: Socket, bytes: Uint8Array): Promise<void> {
    // Large bodies are sent in slices, so that `bytesWritten` counts what the kernel took and not what was queued.
    for (let at = 0; at < bytes.length; at += 65_536) {
      const slice = bytes.subarray(at, at + 65_536);
      await send(socket, slice);
      this.bytesWritten += slice.length;
    }
  }
}

interface Prepared {
  readonly head: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly framing: 'length' | 'chunked' | 'close' | 'none';
}

function prepare(script: ScriptedAnswer): Prepared {
  const status = script.status ?? 200;
  const single = wholeBody(script);
  const framing = script.framing ?? (single === null ? 'chunked' : 'length');
  const headers = [...(script.headers ?? [])];
  if (script.coding) headers.push(['content-encoding', script.coding]);
  if (framing === 'length') headers.push(['content-length', String(single?.length ?? 0)]);
  if (framing === 'chunked') headers.push(['transfer-encoding', 'chunked']);
  if (framing === 'close' || script.close === true) headers.push(['connection', 'close']);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `HTTP/1.1 ${status} ${script.reason ?? 'OK'}\r\n${lines}\r\n`;
  if (single !== null) return { head, body: inOrder(sliced(single, script.cuts ?? [])), framing };
  return { head, body: inOrder(script.body as readonly Piece[] | AsyncIterable<Uint8Array>), framing };
}

/** The body if it is known at once; null if it comes in pieces. Compression needs it whole. */
function wholeBody(script: ScriptedAnswer): Uint8Array | null {
  const body = script.body ?? '';
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return null;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return script.coding ? compress(bytes, script.coding) : bytes;
}

function sliced(bytes: Uint8Array, cuts: readonly number[] | 'every'): Uint8Array[] {
  const positions = cuts === 'every' ? Array.from({ length: bytes.length }, (_, at) => at + 1) : [...cuts, bytes.length];
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const to of positions) {
    if (to > from) pieces.push(bytes.subarray(from, to));
    from = Math.max(from, to);
  }
  return pieces;
}

async function* inOrder(pieces: readonly Piece[] | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (!Array.isArray(pieces)) {
    yield* pieces as AsyncIterable<Uint8Array>;
    return;
  }
  for (const piece of pieces as readonly Piece[]) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else if (piece instanceof Uint8Array) yield piece;
    else await piece;
  }
}

/** Resolves when the kernel has taken the bytes: this makes slices arrive separately, and waits under backpressure. */
function send(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.destroyed) return Promise.reject(new Error('testkit: the peer is gone'));
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('testkit: the peer is gone'));
    socket.once('close', gone);
    socket.write(bytes, (error) => {
      socket.removeListener('close', gone);
      if (error) reject(error);
      else resolve();
    });
  });
}

function end(socket: Socket, by: 'fin' | 'rst'): void {
  if (by === 'rst') abortSocket(socket);
  else socket.end();
}
