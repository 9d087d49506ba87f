/** A provider that answers every handshake, by default with 101, and hands the test its end of the connection. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { peerOn, type Peer } from './peer.ts';

export interface PeerProvider {
  readonly url: string;
  /** The next connection, once its handshake was answered. */
  accepted(): Promise<Peer>;
  /** Handshakes that were answered so far. */
  readonly handshakes: number;
  close(): Promise<void>;
}

export interface PeerProviderOptions {
  /** Further lines of the answer's head. */
  readonly headers?: readonly string[];
  /** The whole answer, in place of a 101. */
  readonly answer?: string | null;
  /** Sent in one piece with the answer. */
  readonly first?: Buffer;
}

export async function startPeerProvider({ headers = [], answer = null, first = Buffer.alloc(0) }: PeerProviderOptions = {}): Promise<PeerProvider> {
  const ready: Peer[] = [];
  const waiting: ((peer: Peer) => void)[] = [];
  const sockets = new Set<Socket>();
  let handshakes = 0;
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    void greet(socket);
  });
  async function greet(socket: Socket): Promise<void> {
    let peer: Peer;
    try {
      peer = await peerOn(socket);
    } catch {
      socket.destroy();
      return;
    }
    handshakes += 1;
    const key = /^sec-websocket-key: *(.*)\r$/im.exec(peer.head)?.[1] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`, ...headers];
    socket.write(Buffer.concat([Buffer.from(answer ?? `${lines.join('\r\n')}\r\n\r\n`, 'latin1'), first]));
    const next = waiting.shift();
    if (next === undefined) ready.push(peer);
    else next(peer);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted: () => {
      const peer = ready.shift();
      return peer !== undefined ? Promise.resolve(peer) : new Promise((resolve) => waiting.push(resolve));
    },
    get handshakes() { return handshakes; },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
