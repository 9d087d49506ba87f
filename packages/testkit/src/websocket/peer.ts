/** One end of a WebSocket connection in tests: sends any bytes, keeps all that comes, and waits for what it is to be. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { framesOf, type ReadFrame } from './wire.ts';

/** What tests look at in an event. */
export interface PeerEvent {
  readonly type: string;
  readonly status?: number;
  readonly stream_id?: string;
  readonly error?: { readonly code: string; readonly type: string; readonly message: string; readonly param: null };
  readonly response?: { readonly id: string };
}

export class Peer {
  readonly socket: Socket;
  /** The other end's head, before its frames. */
  readonly head: string;
  isEnded = false;
  /** Grows by doubling: many tests look at it with every piece that comes. */
  #bytes: Buffer;
  #length: number;
  #parsed: ReadFrame[] = [];
  #parsedBytes = 0;
  #wake: () => void = () => {};

  constructor(socket: Socket, head: string, first: Buffer) {
    this.socket = socket;
    this.head = head;
    this.#bytes = first;
    this.#length = first.length;
    socket.on('data', (chunk: Buffer) => {
      this.#keep(chunk);
      this.#wake();
    });
    const ended = (): void => {
      this.isEnded = true;
      this.#wake();
    };
    socket.on('end', ended).on('close', ended).on('error', () => {});
  }

  /** All bytes that came behind the head. */
  get received(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #keep(chunk: Buffer): void {
    if (this.#length + chunk.length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(2 * (this.#length + chunk.length));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length += chunk.length;
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** Every whole frame that has come. */
  get frames(): readonly ReadFrame[] {
    const { frames, taken } = framesOf(this.received.subarray(this.#parsedBytes));
    this.#parsed.push(...frames);
    this.#parsedBytes += taken;
    return this.#parsed;
  }

  /** The messages of one frame each, read as JSON. */
  get events(): readonly PeerEvent[] {
    const texts = this.frames.filter(({ opcode, isCompressed }) => opcode === 1 && !isCompressed);
    return texts.map(({ payload }) => JSON.parse(payload.toString()) as PeerEvent);
  }

  /** The close that came; null if none has. */
  get closed(): { readonly code: number; readonly reason: string } | null {
    const frame = this.frames.find(({ opcode }) => opcode === 8);
    if (frame === undefined) return null;
    return { code: frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(), reason: frame.payload.subarray(2).toString() };
  }

  /** Resolves once `is` holds; rejects if the connection has ended and it does not. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      if (this.isEnded) throw new Error(`The connection ended before. It brought: ${this.received.toString('latin1').slice(0, 400)}`);
      await new Promise<void>((resolve) => { this.#wake = resolve; });
    }
  }

  async ended(): Promise<void> {
    while (!this.isEnded) await new Promise<void>((resolve) => { this.#wake = resolve; });
  }
}

/** Reads up to the end of a head; what came behind it comes as `first`. */
async function readHead(socket: Socket): Promise<{ readonly head: string; readonly first: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end !== -1) return { head: bytes.subarray(0, end + 4).toString('latin1'), first: bytes.subarray(end + 4) };
    const chunk = await new Promise<Buffer>((resolve, reject) => {
      socket.once('data', resolve).once('end', () => reject(new Error(`It ended within its head: ${bytes.toString('latin1')}`)));
      socket.once('error', reject);
    });
    socket.pause();
    bytes = Buffer.concat([bytes, chunk]);
  }
}

/** A peer on a socket whose other end says its head first. */
export async function peerOn(socket: Socket): Promise<Peer> {
  const { head, first } = await readHead(socket);
  socket.removeAllListeners('end').removeAllListeners('error');
  const peer = new Peer(socket, head, first);
  socket.resume();
  return peer;
}

export interface CallerOptions {
  readonly key?: string;
  readonly path?: string;
  /** Further lines of the head. */
  readonly headers?: readonly string[];
  /** Sent in one piece with the head. */
  readonly first?: Buffer;
}

/** Asks for a WebSocket at `origin`; resolves with the answer's head, whatever it says. */
export async function openCaller(
  origin: string, { key, path = '/v1/responses', headers = [], first = Buffer.alloc(0) }: CallerOptions = {},
): Promise<Peer> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = [
    `GET ${path} HTTP/1.1`, `host: ${hostname}:${port}`, 'connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', ...(key === undefined ? [] : [`authorization: Bearer ${key}`]), ...headers,
  ];
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), first]));
  return peerOn(socket);
}
