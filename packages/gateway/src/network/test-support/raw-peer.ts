/**
 * For tests: a peer on a real socket whose every byte the test writes, and an observer that keeps everything it receives.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Destination, Exchange, ExchangeFault, OutboundRequest } from '../destination.ts';

export interface RawPeer {
  readonly origin: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: number;
  /** All bytes received, by connection. */
  readonly received: Buffer[];
  /** Resolves once every connection accepted so far is closed. */
  closed(): Promise<void>;
  close(): Promise<void>;
}

/** Called at each request head that is whole, with the count of heads seen on that connection. */
export type OnHead = (socket: Socket, heads: number, head: string) => void;

export async function startRawPeer(onHead: OnHead, onConnection: (socket: Socket) => void = () => {}): Promise<RawPeer> {
  const received: Buffer[] = [];
  const open = new Set<Socket>();
  const closing: Promise<void>[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const index = connections++;
    received[index] = Buffer.alloc(0);
    open.add(socket);
    closing.push(new Promise((resolve) => socket.on('close', () => { open.delete(socket); resolve(); })));
    let heads = 0;
    let read = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received[index] = Buffer.concat([received[index]!, chunk]);
      for (let end; (end = received[index].indexOf('\r\n\r\n', read)) >= 0; read = end + 4) {
        onHead(socket, ++heads, received[index].toString('latin1', read, end + 4));
      }
    });
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get connections() { return connections; },
    received,
    closed: async () => { await Promise.all(closing); },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The result of one exchange. */
export interface ReceivedAnswer {
  status: number | null;
  reason: string;
  headers: string[];
  body: Buffer;
  /** `end`, or the kind of fault. */
  ending: 'end' | ExchangeFault['kind'];
  cause: Error | null;
}

export interface Listening {
  readonly exchange: Exchange;
  readonly heard: Promise<ReceivedAnswer>;
  /** Resolves at the head. */
  readonly head: Promise<void>;
  /** Body bytes so far. */
  readonly bodyBytes: () => number;
}

const plainGet: OutboundRequest = { method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: 'key-1' };

/** Sends and keeps what comes back. Fails the promise if anything is reported out of order or after the end. */
export function listen(destination: Destination, request: Partial<OutboundRequest> = {},
  onData: (chunk: Buffer) => void = () => {}): Listening {
  const heard: ReceivedAnswer = { status: null, reason: '', headers: [], body: Buffer.alloc(0), ending: 'end', cause: null };
  const whole = Promise.withResolvers<ReceivedAnswer>();
  const atHead = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let over = false;
  let bytes = 0;
  const finish = (): void => {
    if (over) throw new Error('said twice that it is over');
    over = true;
    heard.body = Buffer.concat(chunks);
    whole.resolve(heard);
  };
  const exchange = destination.send({ ...plainGet, ...request }, {
    head(status, reason, headers) {
      if (over || heard.status !== null) whole.reject(new Error('head out of order'));
      Object.assign(heard, { status, reason, headers });
      atHead.resolve();
    },
    data(chunk) {
      if (over || heard.status === null) whole.reject(new Error('data out of order'));
      chunks.push(chunk);
      bytes += chunk.length;
      onData(chunk);
    },
    end: finish,
    failed(fault) {
      heard.ending = fault.kind;
      heard.cause = fault.cause;
      finish();
    },
  });
  return { exchange, heard: whole.promise, head: atHead.promise, bodyBytes: () => bytes };
}

export function ask(destination: Destination, request: Partial<OutboundRequest> = {}): Promise<ReceivedAnswer> {
  return listen(destination, request).heard;
}
