/**
 * Which addresses a declared upstream may use: the special-purpose registries, row by row. Rule 19.
 */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { it } from 'node:test';
import { isInRanges, isPublicAddress, parseAddressRanges } from './public-address.ts';
import { refusedAddresses } from './test-support/refused-hosts.ts';

it('No special-purpose address is public, first, last and middle of each block', () => {
  for (const address of refusedAddresses) assert.equal(isPublicAddress(address), false, address);
});

it('Addresses next to the special blocks, and well-known public ones, are public', () => {
  const open = [
    '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255',
    '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0',
    '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0',
    '223.255.255.255',
    '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:80b::200e', '2001:200::1', '2001:db7:ffff::1', '2001:db9::1',
    '2003::1', '3ffe:ffff::1',
    '2000::1', '::ffff:8.8.8.8', '::ffff:808:808',
  ];
  for (const address of open) assert.equal(isPublicAddress(address), true, address);
});

it('Text that a resolver or a socket would not write is not public, in any spelling of a public address', () => {
  for (const text of ['', ' ', '8.8.8', '8', '010.8.8.8', '0x8.8.8.8', '8.8.8.8 ', '8.8.8.8.', '[2606:4700::1]', '2606:4700::1%eth0',
    '134744072', 'example.com', '8.8.8.8/32']) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

it('SVC_UPSTREAM_ALLOW opens the blocks it names and no address more, IPv4 inside IPv6 included', () => {
  const allowed = parseAddressRanges(['10.1.0.0/16', ' fd00::/8', '127.0.0.1', '', '::ffff:192.168.7.0/120']);
  for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd00:ec2::254', 'fdff::1', '127.0.0.1', '192.168.7.9']) {
    assert.equal(isInRanges(address, allowed), true, address);
  }
  for (const address of ['10.0.255.255', '10.2.0.0', 'fc00::1', '127.0.0.2', '::1', '192.168.8.1', '::ffff:10.2.0.1', 'fd00::1%eth0',
    'localhost', '10.1', '']) {
    assert.equal(isInRanges(address, allowed), false, address);
  }
  assert.equal(isInRanges('10.0.0.1', []), false);
});

it('One address has one verdict, however it is written, and it is that of its 128 bits', () => {
  const space = (prefix: string, bits: number): [bigint, bigint] => [bitsOf(prefix) >> BigInt(128 - bits), BigInt(128 - bits)];
  const special = [space('2001::', 23), space('2001:db8::', 32), space('2002::', 16), space('3fff::', 20)];
  const allowed = parseAddressRanges(['10.0.0.0/8', '::7f00:0/104', 'fd00::/8']);
  for (let round = 0; round < 3_000; round += 1) {
    const bits = bitsOf(someAddress(round));
    const mapped = bits >> 32n === 0xffffn;
    const inside = ([network, rest]: [bigint, bigint]): boolean => bits >> rest === network;
    const expected = mapped ? isPublicAddress(dotted(bits)) : bits >> 125n === 1n && !special.some(inside);
    const listed = mapped ? (bits >> 24n & 0xffn) === 10n : bits >> 24n === 127n || bits >> 120n === 0xfdn;
    for (const text of spellings(bits)) {
      assert.equal(isPublicAddress(text), expected, text);
      assert.equal(isInRanges(text, allowed), listed, text);
    }
  }
});

/** Bits of an address in eight groups, `::` allowed. */
function bitsOf(text: string): bigint {
  const [front = '', back = ''] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const zeros = Array.from({ length: 8 - groups(front).length - groups(back).length }, () => '0');
  return [...groups(front), ...(text.includes('::') ? zeros : []), ...groups(back)].reduce((sum, group) => sum << 16n | BigInt(`0x${group}`), 0n);
}

/** An address with a head that means something and a tail that repeats with the round. */
function someAddress(round: number): string {
  const heads = ['0:0:0:0:0:0', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0', '64:ff9b:1:0:0:0', '2002:0:0:0:0:0', '2001:0:0:0:0:0',
    '2001:10:0:0:0:0', '2606:4700:0:0:0:0', 'fd00:0:0:0:0:0', 'fe80:0:0:0:0:0', '100:0:0:1:0:0', '0:0:0:0:0:1', '3fff:fff:0:0:0:1'];
  const tails = ['808:808', '7f00:1', 'a00:1', 'a9fe:a9fe', '0:1', '0:0', 'ffff:ffff'];
  const tail = tails[round % tails.length] ?? '';
  return `${heads[round % heads.length]}:${round < 1_000 ? tail : `${(round * 40_503 % 65_536).toString(16)}:${(round * 31 % 65_536).toString(16)}`}`;
}

function dotted(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String(bits >> shift & 0xffn)).join('.');
}

/** The same address as other programs write it. */
function spellings(bits: bigint): string[] {
  const groups = Array.from({ length: 8 }, (_, at) => (bits >> BigInt(112 - 16 * at) & 0xffffn).toString(16));
  const full = groups.join(':');
  const withTail = `${groups.slice(0, 6).join(':')}:${dotted(bits)}`;
  const squeezed = (text: string): string[] => (/(?:^|:)0(?::0)+(?=:|$)/.test(text) ? [text.replace(/(?:^|:)0(?::0)+(?::|$)/, '::')] : []);
  const all = [full, full.toUpperCase(), groups.map((group) => group.padStart(4, '0')).join(':'), withTail, ...squeezed(full), ...squeezed(withTail)];
  return all.filter((text) => isIP(text) === 6);
}

it('An entry of SVC_UPSTREAM_ALLOW that is not a CIDR block is refused by name', () => {
  for (const entry of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10/8', '10.0.0.0/8/8', 'fd00::/129', 'intranet', '0x0a.0.0.0/8',
    '10.0.0.0/1e1', '*', 'fe80::1%eth0/64']) {
    assert.throws(() => parseAddressRanges([entry]), (fault: Error) => fault instanceof RangeError
      && fault.message.includes(`"${entry}"`), entry);
  }
});
