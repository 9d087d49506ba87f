/** Both clients over TLS: verified always, by the requested name; the session resumed; HTTP/1.1 only. Reliability U11. */
import assert from 'node:assert/strict';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Destination } from './destination.ts';
import { createSocketDestination } from './socket-destination.ts';
import type { Client } from './test-support/played-answer.ts';
import { ask, listen } from './test-support/raw-peer.ts';
import { selfSigned } from './test-support/self-signed.ts';
import { createUndiciDestination } from './undici-destination.ts';

const clients: Readonly<Record<string, Client>> = {
  'the client of our own': createSocketDestination, 'undici, the reference': createUndiciDestination,
};
const patient = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
const identity = selfSigned('localhost');
const large = 4 * 1024 * 1024;

interface Seen {
  readonly servername: string | false | undefined;
  readonly protocol: string | false | null;
  readonly resumed: boolean;
  head: string;
}

const seen: Seen[] = [];
let server: Server;
let port = 0;
before(async () => {
  server = createServer({ ...identity, ALPNProtocols: ['h2', 'http/1.1'] }, (socket: TLSSocket) => {
    const one: Seen = { servername: socket.servername ?? false, protocol: socket.alpnProtocol, resumed: socket.isSessionReused(), head: '' };
    seen.push(one);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      one.head += chunk.toString('latin1');
      if (!one.head.endsWith('\r\n\r\n')) return;
      const isLarge = one.head.startsWith('GET /large');
      one.head = '';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${isLarge ? large : 2}\r\n\r\n`);
      socket.write(isLarge ? Buffer.alloc(large, 'x') : 'ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
after(() => server.close());

function over(client: Client, host: string, ca?: string): Destination {
  seen.length = 0;
  return client({ origin: `https://${host}:${port}`, timeouts: patient, guard: null, tls: { ca } });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

Object.entries(clients).forEach(([name, client]) => describe(name, () => {
  it('asks for the name, speaks HTTP/1.1 although HTTP/2 is offered, and uses the connection again', async () => {
    const destination = over(client, 'localhost', identity.cert);
    for (let call = 0; call < 3; call += 1) {
      assert.deepEqual([(await ask(destination)).status], [200]);
      await turn();
    }
    assert.deepEqual(seen.map(({ servername, protocol }) => [servername, protocol]), [['localhost', 'http/1.1']]);
    await destination.close();
  });

  it('resumes its session on a later connection', async () => {
    const destination = over(client, 'localhost', identity.cert);
    await ask(destination);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    assert.deepEqual((await Promise.all([ask(destination), ask(destination)])).map(({ ending }) => ending), ['end', 'end']);
    assert.deepEqual(seen.map(({ resumed }) => resumed), [false, true]);
    await destination.close();
  });

  it('accepts no certificate of an unknown issuer or another name, and sends no request byte, whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      for (const [host, ca] of [['localhost', undefined], ['127.0.0.1', identity.cert]] as const) {
        const destination = over(client, host, ca);
        assert.equal((await ask(destination)).ending, 'connect', host);
        assert.ok(seen.every(({ head }) => head === ''));
        await destination.close();
      }
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('is a fault connect if its own settings are invalid, and nothing is thrown', async () => {
    const destination = over(client, 'localhost', 5 as unknown as string);
    assert.equal((await ask(destination)).ending, 'connect');
    await destination.close();
  });

  it('reads a large answer whole, paused and resumed', async () => {
    const destination = over(client, 'localhost', identity.cert);
    let pauses = 0;
    const listening = listen(destination, { target: '/large' }, () => {
      if (pauses++ % 20 !== 0) return;
      listening.exchange.pause();
      setImmediate(() => listening.exchange.resume());
    });
    const heard = await listening.heard;
    assert.deepEqual([heard.ending, heard.body.length], ['end', large]);
    await destination.close();
  });

  it('is a fault connect if the handshake does not end in time', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const origin = `https://localhost:${(silent.address() as AddressInfo).port}`;
    const destination = client({ origin, timeouts: { ...patient, connectMs: 60 }, guard: null });
    assert.equal((await ask(destination)).ending, 'connect');
    await destination.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
}));
