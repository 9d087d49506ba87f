/** A connection is reset where the runtime can, and closed where its reset would leave it open for ever. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { resetSocket } from './reset-socket.ts';

/** A connection of which this side can be reset. */
async function connected(t: TestContext): Promise<{ readonly socket: Socket; readonly peer: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  t.after(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection');
  const peer = connect({ port: (server.address() as { port: number }).port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  const [socket] = (await accepted) as [Socket];
  t.after(() => [socket, peer].forEach((end) => end.destroy()));
  return { socket, peer };
}

test('the other end sees a reset', async (t) => {
  const { socket, peer } = await connected(t);
  const failed = once(peer, 'error');
  peer.resume();
  resetSocket(socket);
  assert.equal(((await failed)[0] as NodeJS.ErrnoException).code, 'ECONNRESET');
});

test('a connection that is just being ended is closed, and leaves no descriptor behind', async (t) => {
  const { socket, peer } = await connected(t);
  peer.resume();
  const faults: unknown[] = [];
  socket.on('error', (error) => faults.push(error));
  socket.end('the last words');
  const closed = once(socket, 'close');
  resetSocket(socket);
  await closed;
  assert.deepEqual(faults, []);
});
