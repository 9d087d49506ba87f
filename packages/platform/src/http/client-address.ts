/**
 * The client's address: the connection's, or the one that trusted proxies in front forward. Rule 16. `X-Forwarded-For` is read from
 * its end: the first address that is not a trusted proxy's is the client's. Anybody could have written the entries before it.
 */
import { BlockList, isIP } from 'node:net';

export interface TrustedProxies {
  has(address: string): boolean;
}

/** @throws RangeError naming the entry that is neither a CIDR nor an address. */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits, ...more] = range.split('/');
    const family = isIP(address);
    const length = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits);
    const fits = family !== 0 && more.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits)) && length <= (family === 4 ? 32 : 128);
    if (!fits) throw new RangeError(`${/^[\x21-\x7e]{1,60}$/.test(range) ? range : 'an entry'} is not an address range such as 10.0.0.0/8.`);
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6') };
}

/** `forwarded`: the header's value, several lines as one list; null: there is none. */
export function clientAddress(connection: string, forwarded: string | null, trusted: TrustedProxies): string {
  let address = plain(connection);
  if (forwarded === null) return address;
  for (const entry of forwarded.split(',').map((each) => plain(each.trim())).toReversed()) {
    if (!trusted.has(address)) return address;
    // A trusted proxy wrote something that is not an address (`unknown`): the proxy's own is the last known one.
    if (isIP(entry) === 0) return address;
    address = entry;
  }
  return address;
}

/** Without a port, and an IPv4 address in IPv4 form. */
function plain(address: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare;
}

/**
 * Whom an address is counted as: itself, or of IPv6 its network of 64 bits, of which one machine usually has all addresses. `address`: as
 * `clientAddress` gives it. Decision 235.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('%', 1)[0]!.split('::');
  const [ahead, behind] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  // An IPv4 address at the end stands for two groups.
  const groups = [...ahead!, ...behind!].reduce((count, group) => count + (group.includes('.') ? 2 : 1), 0);
  const all = address.includes('::') ? [...ahead!, ...Array.from({ length: 8 - groups }, () => '0'), ...behind!] : ahead!;
  return `${all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
