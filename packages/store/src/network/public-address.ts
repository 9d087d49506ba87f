/**
 * Address text → may a declared upstream or a webhook live there? An allow-list: IPv4 outside every special-purpose block, IPv6 only
 * inside the global unicast space and outside its special blocks. What cannot be parsed is not public. Rule 19.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** One block of addresses: network and prefix length. */
export type AddressRange = readonly [network: Address, prefixBits: number];

/** The last 32 bits of an IPv6 address as IPv4 is written. The library takes `::8.8.8.8` for `::ffff:8.8.8.8`, which it is not. */
const dottedTail = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** IPv4 blocks that are not reachable from everywhere, or that reach something other than one host. */
const specialIpv4 = parsedOnce([
  '0.0.0.0/8', //       this network
  '10.0.0.0/8', //      private
  '100.64.0.0/10', //   shared by carriers
  '127.0.0.0/8', //     loopback
  '169.254.0.0/16', //  link local, instance metadata
  '172.16.0.0/12', //   private
  '192.0.0.0/24', //    protocol assignments
  '192.0.2.0/24', //    documentation
  '192.88.99.0/24', //  6to4 relays, withdrawn
  '192.168.0.0/16', //  private
  '198.18.0.0/15', //   benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', //  documentation
  '224.0.0.0/4', //     multicast
  '240.0.0.0/4', //     reserved, limited broadcast
]);

/** The only IPv6 space that is handed out for global unicast. */
const globalIpv6 = parsedOnce(['2000::/3']);

/** Blocks inside it that are special, or that carry an IPv4 address someone else chose. */
const specialIpv6 = parsedOnce([
  '2001::/23', //     protocol assignments: Teredo, benchmarks, ORCHID, drone ids
  '2001:db8::/32', // documentation
  '2002::/16', //     6to4
  '3fff::/20', //     documentation
]);

/**
 * True when `address` (strict notation, as a resolver or a socket gives it) is public. IPv4 inside `::ffff:0:0/96` is
 * judged as IPv4; a zone makes an address local, so it is refused.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseStrict(address);
  if (parsed === null) return false;
  if (parsed.kind() === 'ipv4') return !within(parsed, specialIpv4());
  return within(parsed, globalIpv6()) && !within(parsed, specialIpv6());
}

/** True when `address` (strict notation) lies in one of `allowed`. */
export function isInRanges(address: string, allowed: readonly AddressRange[]): boolean {
  const parsed = parseStrict(address);
  return parsed !== null && within(parsed, allowed);
}

/**
 * The value of `SVC_UPSTREAM_ALLOW`, split at commas: CIDR blocks, or single addresses. Throws a RangeError whose message
 * names the entry that is neither.
 */
export function parseAddressRanges(entries: readonly string[]): AddressRange[] {
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '').map(parseRange);
}

function parseRange(entry: string): AddressRange {
  const slash = entry.indexOf('/');
  const network = parseAddress(slash < 0 ? entry : entry.slice(0, slash));
  if (network === null) throw notARange(entry);
  const widest = network.kind() === 'ipv4' ? 32 : 128;
  const bitsText = slash < 0 ? String(widest) : entry.slice(slash + 1);
  const bits = Number(bitsText);
  if (!/^\d{1,3}$/.test(bitsText) || bits > widest) throw notARange(entry);
  return unwrapRange(network, bits);
}

/** Addresses are judged unwrapped, so a block of mapped addresses must be too. */
function unwrapRange(network: Address, bits: number): AddressRange {
  const unwrapped = unwrap(network);
  return unwrapped === network || bits < 96 ? [network, bits] : [unwrapped, bits - 96];
}

function notARange(entry: string): RangeError {
  return new RangeError(`"${entry}" is not an address block. Write it as 10.0.0.0/8 or fd00::/8.`);
}

/** Parsed for the first address that is judged. Node compiles what tells addresses apart then, which takes a thread several milliseconds. */
function parsedOnce(entries: readonly string[]): () => readonly AddressRange[] {
  let parsed: readonly AddressRange[] | null = null;
  return () => parsed ??= entries.map(parseRange);
}

function within(address: Address, blocks: readonly AddressRange[]): boolean {
  return blocks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function parseStrict(text: string): Address | null {
  const parsed = parseAddress(text);
  return parsed === null ? null : unwrap(parsed);
}

/** `isIP` first: the library also reads octal, hexadecimal and short forms, which no resolver and no socket writes. */
function parseAddress(text: string): Address | null {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return null;
  return ipaddr.parse(version === 4 ? text : text.replace(dottedTail, inGroups));
}

function inGroups(_tail: string, ...bytes: string[]): string {
  const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function unwrap(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
