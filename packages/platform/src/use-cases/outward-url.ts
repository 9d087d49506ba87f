/**
 * A URL that someone gives us to call (an upstream, a webhook) → why it may not be called, in a sentence, or null. The rules are those of the
 * address guard, which checks again at each dial where a name leads. Rule 19.
 */
import { isIP } from 'node:net';
import { createAddressGuard, ordinaryPortMin, reachOf } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';

/** What the operator allows. */
export interface OutwardRules {
  /** CIDRs of `SVC_UPSTREAM_ALLOW`. */
  readonly allow: readonly string[];
}

const noHostName = 'The host is not a host name: its parts have 1 to 63 letters, digits and hyphens, 253 characters in all.';

/** A name that can be looked up: parts between dots, none of them empty or too long; one dot may end it. */
function isHostName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name.length <= 253 && name.split('.').every((part) => /^[a-z0-9_-]{1,63}$/.test(part));
}

/** A name may lead into the operator's list, if there is one; a literal address must lie in it, or be public. */
export function whyNotCalled(url: URL, { allow }: OutwardRules): string | null {
  const reach = reachOf(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 && !isHostName(host)) return noHostName;
  const refused = isIP(host) === 0
    ? allow.length === 0 && (reach === 'listed' || /(?:^|\.)localhost\.?$/i.test(host))
    : createAddressGuard({ allow: parseAddressRanges(allow) }).refuseLiteral(host, reach) !== null;
  if (!refused) return null;
  if (url.protocol === 'http:') return 'The URL must begin with https://. Plain http is for addresses inside SVC_UPSTREAM_ALLOW.';
  if (reach === 'listed') return `The port must be 443 or from ${ordinaryPortMin} to 65535. Others are for addresses inside SVC_UPSTREAM_ALLOW.`;
  return 'The host must be public. An address or name inside your own network is for SVC_UPSTREAM_ALLOW.';
}
