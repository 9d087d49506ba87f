/** What doctor says about a port: a slow server is not taken for another program; one that answers differently is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { examinePorts } from './ports.ts';
import type { Config } from '../config/config.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

async function listening(answer: string | null): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (answer !== null) socket.end(answer);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a port that gives no answer in time is a warning that names both who it may be; one that answers otherwise is taken', async () => {
  const at = (port: number) => ({ host: '127.0.0.1', port });
  const [silent, foreign, own] = [
    await listening(null), await listening('220 mail.example ESMTP\r\n'), await listening('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  ];
  const found = await examinePorts({ gateway: at(foreign), platform: at(silent), ops: at(own) } as Config);
  assert.deepEqual(found.map(({ state }) => state), ['fail', 'warn', 'ok']);
  assert.match(found[0]!.message, /taken by something else/);
  assert.match(found[1]!.message, /no answer within 2 seconds: metergate itself if it is busy, or another program/);
  assert.doesNotMatch(found[1]!.message, /something else/);
});

test('a program that switches protocols unasked, or begins an answer and does not end it, holds doctor up no longer than its deadline', async () => {
  const at = (port: number) => ({ host: '127.0.0.1', port });
  const [switching, halting] = [
    await listening('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    await listening('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
  ];
  const found = await examinePorts({ gateway: at(switching), platform: at(halting), ops: at(0) } as Config);
  assert.deepEqual(found.map(({ state }) => state), ['fail', 'fail', 'ok']);
});
