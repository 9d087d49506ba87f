/**
 * The guard in front of declared upstreams, on real connections with a canary listener: whatever is declared, resolved or
 * flipped, nothing but an admitted address is ever dialled. Reliability U1 to U5, D6; rule 19.
 */
import assert from 'node:assert/strict';
import { lookup, type LookupAddress } from 'node:dns';
import { after, before, describe, it, mock } from 'node:test';
import { createAddressGuard, reachOf, type ResolveAll } from '@metergate/store/network/address-guard.ts';
import type { DestinationTimeouts, ExchangeFault } from './destination.ts';
import { verifyAddressGuard } from './guard-self-test.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { ask, startRawPeer, type RawPeer } from './test-support/raw-peer.ts';
import { refusedAddresses, refusedTexts } from '@metergate/store/network/test-support/refused-hosts.ts';
import { createDestination } from './create-destination.ts';

const timeouts: DestinationTimeouts = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
const publicAddress = '93.184.215.14';
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const neverResolve: ResolveAll = (hostname) => assert.fail(`${hostname} was resolved`);

const tlsHandshake = 0x16;

let canary: RawPeer;
before(async () => { 
  canary = await startRawPeer((socket) => socket.write(ok), (socket) => {
    socket.once('data', (bytes: Buffer) => { if (bytes[0] === tlsHandshake) socket.destroy(); });
  });
});
after(() => canary.close());

function answer(...addresses: string[]): ResolveAll {
  return (_hostname, _options, done) => setImmediate(() => done(null, addresses.map(located)));
}

function located(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}

interface Call {
  readonly scheme?: 'http' | 'https';
  readonly allow?: string[];
  readonly resolveAll?: ResolveAll;
}

/** One call to the canary's port under this host; gives the ending, and the status if there is one. */
async function call(host: string, { scheme = 'https', allow = [],
  resolveAll = neverResolve }: Call = {}): Promise<ExchangeFault['kind'] | number> {
  const guard = createAddressGuard({ allow: parseAddressRanges(allow), resolveAll });
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const destination = createDestination({ origin: `${scheme}://${bracketed}:${canary.port}`, timeouts, guard });
  const heard = await ask(destination);
  await destination.close();
  return heard.ending === 'end' ? heard.status! : heard.ending;
}

describe('a declared upstream that is not public', () => {
  it('is refused as a literal, before anything is resolved or dialled: the whole table, in every spelling a URL takes', async () => {
    for (const host of [...refusedAddresses.filter((address) => !address.includes('%')), ...refusedTexts]) {
      if (!URL.canParse(`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:1`) || /[@/#\\]/.test(host)) continue;
      assert.equal(await call(host), 'not_public', host);
    }
    assert.equal(canary.connections, 0);
  });

  it('is refused by the guard itself in every raw spelling, whatever a URL parser makes of it', () => {
    const guard = createAddressGuard({ allow: [], resolveAll: neverResolve });
    for (const text of [...refusedAddresses, ...refusedTexts]) {
      assert.equal(guard.refuseLiteral(text, 'public')?.code, 'not_public', JSON.stringify(text));
      assert.ok(!guard.admits(text, 'public'), JSON.stringify(text));
    }
    for (const text of ['example.com', 'EXAMPLE.com.', 'bücher.example', 'localhost', '1.1.1.1', '0x08.8.8.8', '[2606:4700:4700::1111]',
      'a-b.c_d.example']) {
      assert.equal(guard.refuseLiteral(text, 'public'), null, text);
    }
  });

  it('is refused as a name that resolves to any address of the table, alone or among public ones', async () => {
    for (const address of refusedAddresses) {
      assert.equal(await call('upstream.example', { resolveAll: answer(address) }), 'not_public', address);
    }
    for (const answers of [[publicAddress, '127.0.0.1'], ['127.0.0.1', publicAddress], [publicAddress, '2606:4700::1', '::1'],
      [...Array.from({ length: 500 }, () => publicAddress), '10.0.0.1']]) {
      assert.equal(await call('upstream.example', { resolveAll: answer(...answers) }), 'not_public', answers.join());
    }
    assert.equal(canary.connections, 0);
  });

  it('is refused by the names of this machine, through the system resolver', async () => {
    const guard = createAddressGuard({ allow: [], resolveAll: lookup as ResolveAll });
    for (const host of ['localhost', 'localhost.', 'LOCALHOST']) {
      const destination = createDestination({ origin: `https://${host}:${canary.port}`, timeouts, guard });
      assert.equal((await ask(destination)).ending, 'not_public', host);
      await destination.close();
    }
    assert.equal(canary.connections, 0);
  });

  it('is not_public if the name does not resolve: an error, no address, a throw, an invalid address (D6)', async () => {
    const fault = Object.assign(new Error('x'), { code: 'ESERVFAIL' });
    const answers: ResolveAll[] = [
      (_h, _o, done) => done(fault, []), (_h, _o, done) => setImmediate(done, fault, []), answer(), answer('not an address'), answer(''),
      () => { throw fault; }, (_h, _o, done) => done(null, undefined as unknown as LookupAddress[]),
    ];
    for (const resolveAll of answers) assert.equal(await call('upstream.example', { resolveAll }), 'not_public');
  });

  it('is not_public if the name does not resolve in time, and a later answer dials nothing (D6)', async () => {
    const asked = Promise.withResolvers<(addresses: LookupAddress[]) => void>();
    const guard = createAddressGuard({
      allow: parseAddressRanges(['127.0.0.1']), resolveMs: 20,
      resolveAll: (_h, _o, done) => asked.resolve((addresses) => done(null, addresses)),
    });
    const destination = createDestination({ origin: `http://upstream.example:${canary.port}`, timeouts, guard });
    assert.equal((await ask(destination)).ending, 'not_public');
    (await asked.promise)([located('127.0.0.1')]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(canary.connections, 0);
    await destination.close();
  });

  it('is refused when the answer flips from allowed to private between calls: 1,000 flips, no hit (U2)', async () => {
    const allowedPeer = await startRawPeer((socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'));
    let asked = 0;
    // The peer listens only on 127.0.0.1, the only address opened; every other answer is another loopback address.
    const guard = createAddressGuard({
      allow: parseAddressRanges(['127.0.0.1']),
      resolveAll: (_h, _o, done) => setImmediate(done, null, [located(asked++ % 2 === 0 ? '127.0.0.1' : '127.0.0.2')]),
    });
    const destination = createDestination({ origin: `http://rebind.example:${allowedPeer.port}`, timeouts, guard });
    const seen: Record<string, number> = {};
    for (let round = 0; round < 1_000; round++) {
      const { ending } = await ask(destination);
      seen[ending] = (seen[ending] ?? 0) + 1;
    }
    assert.deepEqual([seen, asked, allowedPeer.connections], [{ end: 500, not_public: 500 }, 1_000, 500]);
    await destination.close();
    await allowedPeer.close();
  });

  it('is asked once for a connection: the address judged is the address dialled', async () => {
    let asked = 0;
    const resolveAll: ResolveAll = (_h, _o, done) => { asked++; done(null, [located('127.0.0.1')]); };
    const before = canary.connections;
    assert.equal(await call('upstream.example', { scheme: 'http', allow: ['127.0.0.0/8'], resolveAll }), 200);
    assert.deepEqual([asked, canary.connections - before], [1, 1]);
    assert.match(canary.received.at(-1)!.toString(), /^GET \/ HTTP\/1\.1\r\nhost: upstream\.example:/);
  });
});

describe('what the allow list opens', () => {
  it('is dialled under http and https; http to a public address is not, nor an address beside the list', async () => {
    const before = canary.connections;
    assert.equal(await call('127.0.0.1', { scheme: 'http', allow: ['127.0.0.1/32'] }), 200);
    assert.equal(await call('0x7f.1', { scheme: 'http', allow: ['127.0.0.1/32'] }), 200);
    assert.equal(canary.connections - before, 2);
    assert.equal(await call('127.0.0.1', { allow: ['127.0.0.1/32'] }), 'connect', 'no TLS there, but dialled');
    assert.equal(canary.connections - before, 3);
    assert.equal(await call(publicAddress, { scheme: 'http', allow: ['127.0.0.1/32'] }), 'not_public');
    assert.equal(await call('upstream.example', { scheme: 'http', resolveAll: answer(publicAddress) }), 'not_public');
    assert.equal(await call('127.0.0.2', { scheme: 'http', allow: ['127.0.0.1/32'] }), 'not_public');
    assert.equal(canary.connections - before, 3);
  });

  it('is all that a name on a port of other services may lead to', async () => {
    for (const port of [25, 80, 1023]) {
      const guard = createAddressGuard({ allow: parseAddressRanges(['127.0.0.1']), resolveAll: answer(publicAddress) });
      const destination = createDestination({ origin: `https://upstream.example:${port}`, timeouts, guard });
      assert.equal((await ask(destination)).ending, 'not_public', String(port));
      await destination.close();
      assert.ok(guard.admits('127.0.0.1', reachOf(new URL(`https://upstream.example:${port}`))));
    }
  });

  it('is connect, not not_public, if an admitted address cannot be dialled', async () => {
    const closed = await startRawPeer(() => {});
    await closed.close();
    const guard = createAddressGuard({ allow: parseAddressRanges(['127.0.0.1']), resolveAll: answer('127.0.0.1') });
    const destination = createDestination({ origin: `http://upstream.example:${closed.port}`, timeouts, guard });
    assert.equal((await ask(destination)).ending, 'connect');
    await destination.close();
  });

  it('goes past an address that refuses to another admitted one of the same answer', async () => {
    const guard = { allow: ['127.0.0.0/8'], resolveAll: answer('127.9.9.9', '127.0.0.1'), scheme: 'http' as const };
    const before = canary.connections;
    assert.equal(await call('upstream.example', guard), 200);
    assert.equal(canary.connections - before, 1);
  });
});

it('The boot check passes on this runtime, and a fault never shows the addresses found', async () => {
  await verifyAddressGuard();
  const guard = createAddressGuard({ allow: [], resolveAll: answer('10.11.12.13') });
  const fault = await new Promise<Error | null>((resolve) => guard.lookupFor('public')('intern.example', { all: true }, resolve));
  assert.match(fault!.message, /intern\.example/);
  assert.doesNotMatch(fault!.message, /10\.11/);
});

it('A socket that ends up at a refused address is closed before a byte is sent, should the first two locks fail', async () => {
  const honest = createAddressGuard({ allow: parseAddressRanges(['127.0.0.1']), resolveAll: answer('127.0.0.1') });
  const blind = { ...honest, admits: mock.fn((_address: string | undefined) => false) };
  const before = canary.connections;
  const destination = createDestination({ origin: `http://upstream.example:${canary.port}`, timeouts, guard: blind });
  assert.equal((await ask(destination)).ending, 'not_public');
  assert.deepEqual(blind.admits.mock.calls[0]!.arguments[0], '127.0.0.1');
  await canary.closed();
  assert.ok(canary.received.slice(before).every((bytes) => bytes.length === 0));
  await destination.close();
});
