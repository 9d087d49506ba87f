/** Whether an asker is known to have left: on real connections. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { leavingOf } from './asker-leaves.ts';

/** A server that tells of each request's asker, and answers when it is let. */
async function server(t: TestContext) {
  const [asked, answering] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
  const app = new Hono().get('/', async (context) => {
    asked.resolve(leavingOf(context));
    await answering.promise;
    return context.text('answered');
  });
  const listening = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
  t.after(() => listening.close());
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, asked: asked.promise, answer: answering.resolve };
}

test('who waits is waited for, and one whose connection ends has left', async (t) => {
  const { port, asked, answer } = await server(t);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const left = await asked;
  assert.equal(left.aborted, false);
  const leaves = once(left, 'abort');
  socket.destroy();
  await leaves;
  answer();
});

test('all requests that wait on a connection have lost their asker when it ends, also those behind another', async (t) => {
  const asked: AbortSignal[] = [];
  const all = Promise.withResolvers<void>();
  const app = new Hono().get('/', (context) => {
    if (asked.push(leavingOf(context)) === 12) all.resolve();
    return new Promise<Response>(() => {});
  });
  const listening = createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
  t.after(() => listening.close());
  await once(listening, 'listening');
  const socket = connect((listening.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(12));
  await all.promise;
  const left = Promise.all(asked.map((each) => once(each, 'abort')));
  socket.destroy();
  await left;
});

test('an answer that is sent ends the wait as well', async (t) => {
  const { url, asked, answer } = await server(t);
  const answered = fetch(url);
  const left = await asked;
  const over = once(left, 'abort');
  answer();
  assert.equal(await (await answered).text(), 'answered');
  await over;
});

test('a request without a connection has an asker who stays', async () => {
  const app = new Hono().get('/', (context) => context.text(String(leavingOf(context).aborted)));
  assert.equal(await (await app.request('/')).text(), 'false');
});
