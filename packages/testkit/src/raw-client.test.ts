/** The caller on a raw socket: what it reports of a server that gives no answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { rawCall } from './raw-client.ts';

test('a server that ends its side without an answer ends the wait for one, though the other side is still open', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).once('data', () => socket.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await assert.rejects(rawCall(url, { target: '/' }), /the connection ended without an answer/);
  } finally {
    server.close();
  }
});
