/** A slow relay in front of a database keeps the order of bytes, as any TCP connection does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startDatabaseRelay } from './database-relay.ts';

const words = 5_000;

test('delayed bytes arrive in the order in which they were sent, also while the delay changes', async (context) => {
  const sent = Array.from({ length: words }, (_, word) => ` ${word};`);
  const { length } = sent.join('');
  let heard = '';
  const all = Promise.withResolvers<void>();
  const server = createServer((socket) => socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
    if (heard.length === length) all.resolve();
  }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const relay = await startDatabaseRelay(`postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/db`);
  const near = connect(Number(new URL(relay.url).port), '127.0.0.1').setNoDelay(true);
  await once(near, 'connect');
  context.after(async () => {
    near.destroy();
    await relay.close();
    server.close();
  });
  for (const [at, word] of sent.entries()) {
    if (at % 500 === 0) relay.slowTo([20, 3, 0, 7][(at / 500) % 4]!);
    near.write(word);
    await turn();
  }
  await all.promise;
  assert.equal(heard, sent.join(''));
});
