/** Which headers of a request can be read by name, and which only from the raw list. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { RequestClass } from './slim-request.ts';

async function received(t: { after(end: () => void): void }, head: string): Promise<IncomingMessage> {
  const server = createServer({ IncomingMessage: RequestClass, requireHostHeader: false });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  t.after(() => {
    caller.destroy();
    server.close();
  });
  caller.write(head);
  const [request] = await once(server, 'request') as [IncomingMessage];
  return request;
}

test('fields read by name are found in any case and joined as Node joins them; others are only in the raw list', async (t) => {
  const lines = ['GET /a HTTP/1.1', 'HOST: h', 'Connection: a', 'X-Any: 1', 'connection: b', 'Upgrade: WebSocket', 'Accept: c'];
  const request = await received(t, `${lines.join('\r\n')}\r\n\r\n`);
  assert.deepEqual({ ...request.headers }, { host: 'h', connection: 'a, b', upgrade: 'WebSocket' });
  assert.deepEqual(request.rawHeaders,
    ['HOST', 'h', 'Connection', 'a', 'X-Any', '1', 'connection', 'b', 'Upgrade', 'WebSocket', 'Accept', 'c']);
});
