/** Whose address counts behind proxies: forwarded ones as far as trusted proxies wrote them, and no further. Rule 16. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress, networkOf, trustedProxies } from './client-address.ts';

const trusted = trustedProxies(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);

test('only a trusted proxy is believed, and only about who connected to it', () => {
  const rows: readonly (readonly [connection: string, forwarded: string | null, expected: string])[] = [
    ['203.0.113.5', null, '203.0.113.5'],
    ['203.0.113.5', '1.1.1.1', '203.0.113.5'],
    ['10.1.2.3', '198.51.100.9', '198.51.100.9'],
    ['::ffff:10.1.2.3', '198.51.100.9', '198.51.100.9'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.9', '198.51.100.9'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.9, 10.9.9.9', '198.51.100.9'],
    ['192.0.2.7', '[2001:db8::5]:4711, 10.0.0.1', '2001:db8::5'],
    ['10.1.2.3', '198.51.100.9:55555', '198.51.100.9'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['', '1.1.1.1', ''],
  ];
  for (const [connection, forwarded, expected] of rows) {
    assert.equal(clientAddress(connection, forwarded, trusted), expected, `${connection} ${forwarded}`);
  }
});

test('an invalid range is refused by name', () => {
  const wrong = ['10.0.0.0/33', 'proxy', '10.0.0.0/8/8', '/8', '10.0.0.0/x', '::/129'];
  for (const range of wrong) assert.throws(() => trustedProxies([range]), RangeError);
});

test('an address of IPv6 counts as its network of 64 bits, however it is written', () => {
  for (const [address, network] of [
    ['203.0.113.5', '203.0.113.5'], ['', ''], ['unknown', 'unknown'], ['2001:db8::1', '2001:db8:0:0::/64'], ['::1', '0:0:0:0::/64'],
    ['2001:DB8:0:00a7:1:2:3:4', '2001:db8:0:a7::/64'], ['2001:db8:0:a7::', '2001:db8:0:a7::/64'], ['2001:db8::a7:ffff:0:0:1', '2001:db8:0:a7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'], ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'], ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ] as const) assert.equal(networkOf(address), network, address);
});
