/**
 * Boot check: proves on the real client that the address guard is in the path. A library that drops a hook, or a runtime
 * that dials differently, must stop the start, not open the private network. Reliability: the guard's three locks.
 */
import { createServer, type AddressInfo } from 'node:net';
import { createAddressGuard, type ResolveAll } from '@metergate/store/network/address-guard.ts';
import type { ExchangeFault } from './destination.ts';
import { createDestination } from './create-destination.ts';

const timeouts = { connectMs: 2_000, headMs: 2_000, idleBodyMs: 2_000 };

/** Every name leads to this machine. */
const everythingIsHere: ResolveAll = (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);

/** Dials a temporary listener by literal and by name. Throws if one of them was not refused, or anything arrived. */
export async function verifyAddressGuard(): Promise<void> {
  let arrived = 0;
  const canary = createServer((socket) => {
    arrived++;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => canary.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = canary.address() as AddressInfo;
  try {
    for (const host of ['127.0.0.1', 'guard-self-test.invalid']) {
      const kind = await dial(`https://${host}:${port}`);
      if (kind !== 'not_public' || arrived > 0) {
        throw new Error(`The address guard did not refuse ${host} (${kind}). Declared upstreams are not safe on this runtime.`);
      }
    }
  } finally {
    await new Promise((resolve) => canary.close(resolve));
  }
}

async function dial(origin: string): Promise<ExchangeFault['kind'] | 'answered'> {
  const destination = createDestination({ origin, timeouts, guard: createAddressGuard({ allow: [], resolveAll: everythingIsHere }) });
  const kind = await new Promise<ExchangeFault['kind'] | 'answered'>((resolve) => {
    destination.send({ method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: '' }, {
      head: () => resolve('answered'), data() {}, end() {}, failed: (fault) => resolve(fault.kind),
    });
  });
  await destination.close();
  return kind;
}
