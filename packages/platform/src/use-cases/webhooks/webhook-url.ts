/**
 * The URL that someone gives for a webhook → its normalized form, or a sentence that says why it is refused. Literal addresses and the scheme
 * are checked here. The address guard checks at each delivery which address a name leads to, since that can change.
 */
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { isIP } from 'node:net';
import type { UpstreamUrlRules } from '../upstream-url.ts';

const urlLengthMax = 2_048;
/** Below it live services that must not be talked to: mail, shells, databases of the machine. */
const ordinaryPortMin = 1_024;

/**
 * The URL in its normal form, or the sentence that says why notices cannot be sent there. What its host resolves to is judged when a notice is
 * sent.
 */
export function parseWebhookUrl(text: string, { allow }: UpstreamUrlRules): { readonly url: string } | { readonly refusal: string } {
  const url = /^https?:\/\/[^/\\]/i.test(text) && !/[\s\\]/.test(text) && text.length <= urlLengthMax ? URL.parse(text) : null;
  if (url === null) return { refusal: 'The URL must begin with https://, name a host, and have no spaces, such as https://example.com/hooks.' };
  if (url.username !== '' || url.password !== '') return { refusal: 'The URL must not carry a user name or password.' };
  if (text.includes('#')) return { refusal: 'The URL must not have a fragment.' };
  const port = url.port === '' ? null : Number(url.port);
  if (port !== null && port !== 443 && port < ordinaryPortMin) return { refusal: `The port must be 443 or from ${ordinaryPortMin} to 65535.` };
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const isLiteral = isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (scheme === 'http' && !isLiteral && allow.length === 0) {
    return { refusal: 'The URL must begin with https://. Plain http is for addresses inside SVC_UPSTREAM_ALLOW.' };
  }
  const guard = createAddressGuard({ allow: parseAddressRanges(allow) });
  if ((url.hostname === 'localhost' && allow.length === 0) || guard.refuseLiteral(url.hostname, scheme) !== null) {
    return { refusal: 'The URL must name a public address. Private ones are for what SVC_UPSTREAM_ALLOW opens.' };
  }
  return { url: url.href };
}
