/** A listener that closes takes every connection that has come, and closes in a short turn that found none. Decision 0106. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { closeListeners } from './closing-listener.ts';

async function listening(t: TestContext) {
  const taken: Socket[] = [];
  const server = createServer((socket) => void taken.push(socket.resume()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => taken.forEach((socket) => socket.destroy()));
  const { port } = server.address() as AddressInfo;
  const dial = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' });
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { server, taken, dial };
}

test('connections that wait are taken before it closes, however long a turn takes, and none is reset', async (t) => {
  const { server, taken, dial } = await listening(t);
  const [closed, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const dialling = [dial(), dial(), dial()];
  let nowMs = 0;
  closeListeners([server], { closed: closed.resolve, ended: ended.resolve }, () => nowMs += 1_000);
  await closed.promise;
  assert.equal(server.listening, false);
  const clients = await Promise.all(dialling);
  for (const client of clients) client.resume().end();
  await Promise.all(clients.map((client) => once(client, 'close')));
  await ended.promise;
  assert.equal(taken.length, 3);
});

test('it closes in the first short turn that found no connection', async (t) => {
  const { server } = await listening(t);
  const turnsMs = [0, 1, 0.3, 0.2];
  let [nowMs, looks] = [0, 0];
  await new Promise<void>((resolve) => {
    closeListeners([server], { closed: () => {}, ended: resolve }, () => nowMs += turnsMs[looks++]!);
  });
  assert.equal(looks, 4);
});
