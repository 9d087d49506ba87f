/** A start finds out that an address is taken before it writes anything, and nobody who connects in that moment is reset (decision 0106). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { unusedPort } from '@metergate/testkit/unused-port.ts';
import type { Config, ListenAddress } from '../config/config.ts';
import { StartFault } from '../config/start-fault.ts';
import { assertAddressesFree } from './free-port.ts';

async function listen(host: string) {
  const server = createServer((socket) => socket.destroy()).listen(0, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const start = (gateway: ListenAddress, ops: ListenAddress = { host: '127.0.0.1', port: 0 }): Promise<void> =>
  assertAddressesFree({ gateway, ops } as Config, ['gateway', 'ops']);

const faultOf = async (starting: Promise<void>): Promise<string> => {
  const fault = await starting.then(() => null, (error: unknown) => error);
  assert.ok(fault instanceof StartFault, String(fault));
  return fault.message;
};

test('a port that somebody listens on is named, whichever of the two listens on all addresses', async (t) => {
  const one = '127.0.0.1';
  for (const [theirs, ours] of [[one, one], [one, '0.0.0.0'], ['0.0.0.0', one], [one, 'localhost']] as const) {
    const { server, port } = await listen(theirs);
    t.after(() => server.close());
    assert.equal(await faultOf(start({ host: ours, port })),
      `Port ${port} on ${ours} is in use. Stop what uses it, or set SVC_GATEWAY_PORT to another one.`);
  }
});

test('an address that is not of this machine, and a name that is not valid, are named', async () => {
  assert.match(await faultOf(start({ host: '192.0.2.1', port: await unusedPort() })), /^192\.0\.2\.1:\d+ cannot be listened on \(EADDRNOTAVAIL\)\./);
  assert.match(await faultOf(start({ host: 'no such name.invalid', port: 0 })), /^no such name\.invalid:0 cannot be listened on \(\w+\)\./);
});

test('one port for two listeners is a mistake', async () => {
  const address = { host: '127.0.0.1', port: await unusedPort() };
  assert.equal(await faultOf(start(address, address)), `Port ${address.port} is set twice. Set SVC_OPS_PORT to another one.`);
});

test('whoever connects while a free port is looked at is refused, and never reset', async () => {
  const port = await unusedPort();
  const seen = new Set<unknown>();
  const over = new AbortController();
  const callers = Promise.all(Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) {
      const socket = connect({ host: '127.0.0.1', port });
      seen.add(await new Promise((resolve) => {
        socket.on('connect', () => resolve('connected'));
        socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      }));
      socket.destroy();
    }
  }));
  for (let look = 0; look < 200; look += 1) await start({ host: '127.0.0.1', port });
  over.abort();
  await callers;
  assert.deepEqual([...seen], ['ECONNREFUSED']);
});
