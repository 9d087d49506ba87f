/**
 * The host of a declared upstream or a webhook → an address that may be dialled, or a fault `not_public`. Three locks, because each one
 * alone has been passed: literals are judged before anything is resolved (a lookup hook never sees them), every address a
 * name resolves to is judged in the hook that the dial itself uses (so no second answer can differ), and the address of the
 * connected socket is judged again. If the lookup fails (no answer, a late one, an empty one), the address is refused.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { nameDeadlineMs } from './name-places.ts';
import { isInRanges, isPublicAddress, type AddressRange } from './public-address.ts';

/** Where a URL may lead: to public addresses too, or only to those that the operator's list opens. */
export type Reach = 'public' | 'listed';

/** Below it live services that a forwarded call or a notice must not be able to talk to: mail, shells, databases. */
export const ordinaryPortMin = 1_024;

/** Plain HTTP, and ports below 1024 other than 443, need the operator's list: whoever opens an address opens all its ports. */
export function reachOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): Reach {
  const ordinary = port === '' || port === '443' || Number(port) >= ordinaryPortMin;
  return protocol === 'https:' && ordinary ? 'public' : 'listed';
}

/** The guard refused the host, or the name did not resolve; nothing was dialled. The message names the host, never the addresses found. */
export class NotPublicFault extends Error {
  readonly code = 'not_public';
  constructor(hostname: string, why: string) {
    super(`The host "${hostname.slice(0, 255)}" ${why}.`);
    this.name = 'NotPublicFault';
  }
}

/** Resolves a name to all its addresses; the shape of `dns.lookup` with `all`. */
export type ResolveAll = (
  hostname: string, options: { all: true }, done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressGuard {
  /** Whether this address (strict notation) may be dialled: it is in the operator's allow list, or it is public and the reach is `public`. */
  admits(address: string | undefined, reach: Reach): boolean;
  /** Judges a host before anything is resolved: a fault for a refused literal in any spelling and for what is not a host name. */
  refuseLiteral(hostname: string, reach: Reach): NotPublicFault | null;
  /** The lookup hook that a dial of that reach must use: hands over addresses only when every one of them is admitted. */
  lookupFor(reach: Reach): LookupFunction;
}

/** The guard for what one organization chose: its names are resolved in that organization's share (`name-places.ts`). */
export type GuardOf = (organization: string) => AddressGuard;

interface AddressGuardOptions {
  /** What `SVC_UPSTREAM_ALLOW` opens. */
  readonly allow: readonly AddressRange[];
  /**
   * Without it no name resolves. Names that organizations chose must not be resolved on the process's own threads (decision 0101), so nothing
   * here does.
   */
  readonly resolveAll?: ResolveAll;
  /** How long a name may take to resolve, milliseconds. */
  readonly resolveMs?: number;
}

/** Judges hosts and addresses by the operator's allow list. Names are looked up again for every connection. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { allow, resolveAll = nothing, resolveMs = nameDeadlineMs } = options;
  const resolve = resolving(resolveAll);
  const admits = (address: string | undefined, reach: Reach): boolean =>
    address !== undefined && (isInRanges(address, allow) || (reach === 'public' && isPublicAddress(address)));
  return {
    admits,
    refuseLiteral(hostname, reach) {
      const host = normalHost(hostname);
      if (host === null) return new NotPublicFault(hostname, 'is not a host name');
      return isIP(host) === 0 || admits(host, reach) ? null : new NotPublicFault(hostname, 'is not a public address');
    },
    lookupFor: (reach) => (hostname, lookupOptions, done) => {
      boundedResolve({ hostname, resolve, resolveMs }, (addresses) => {
        const fault = judge(hostname, addresses, (address) => admits(address, reach));
        if (fault !== null) done(fault, []);
        else if (lookupOptions.all === true) done(null, addresses!);
        else done(null, addresses![0]!.address, addresses![0]!.family);
      });
    },
  };
}

/** One bad address refuses the whole answer: which of them is dialled must not be the resolver's choice. */
function judge(hostname: string, addresses: LookupAddress[] | null, admitted: (address: string) => boolean): NotPublicFault | null {
  if (addresses === null || addresses.length === 0) return new NotPublicFault(hostname, 'did not resolve');
  const all = addresses.every(({ address }) => admitted(address));
  return all ? null : new NotPublicFault(hostname, 'does not resolve to public addresses only');
}

/**
 * The one spelling of a host: lower case, no root dot, IPv4 in four decimal parts whatever base, width or script it was
 * written in, IPv6 without brackets. Null for what is not a host.
 */
function normalHost(hostname: string): string | null {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  if (isIP(bare) === 6) return bare;
  if (bare === '' || /[\s/?#@\\:%[\]]/.test(bare)) return null;
  const parsed = URL.parse(`http://${bare}/`)?.hostname.replace(/\.$/, '') ?? '';
  return parsed.length > 253 || parsed.split('.').includes('') ? null : parsed;
}

const nothing: ResolveAll = (_hostname, _options, done) => done(null, []);

type Resolve = (hostname: string, done: (addresses: LookupAddress[] | null) => void) => void;

function resolving(resolveAll: ResolveAll): Resolve {
  return (hostname, done) => {
    try {
      resolveAll(hostname, { all: true }, (fault, addresses) => done(fault === null && Array.isArray(addresses) ? addresses : null));
    } catch {
      done(null);
    }
  };
}

function boundedResolve(
  { hostname, resolve, resolveMs }: { hostname: string; resolve: Resolve; resolveMs: number },
  done: (addresses: LookupAddress[] | null) => void,
): void {
  let answered = false;
  const once = (addresses: LookupAddress[] | null): void => {
    if (answered) return;
    answered = true;
    clearTimeout(timer);
    done(addresses);
  };
  const timer = setTimeout(() => once(null), resolveMs);
  resolve(hostname, once);
}
