/**
 * The URL that someone declares as their upstream → its normalized form, or a sentence that says why it is refused. Design 3, row 19. Syntax
 * and scheme are checked here. The gateway checks at each dial which address the host name leads to, since that can change.
 */
import { BlockList, isIP } from 'node:net';

const urlLengthMax = 2048;
/** Below it live services that a forwarded call must not be able to talk to: mail, shells, databases of the machine. */
const ordinaryPortMin = 1024;

/** What the operator allows. */
export interface UpstreamUrlRules {
  /** CIDRs of `SVC_UPSTREAM_ALLOW`; plain http is for addresses in it alone. */
  readonly allow: readonly string[];
}

/** Scheme, host, port and path in WHATWG form, without trailing slashes and one trailing `/v1`; or the sentence. */
export function parseUpstreamUrl(text: string, { allow }: UpstreamUrlRules): { readonly url: string } | { readonly refusal: string } {
  const trimmed = text.trim();
  const url = /^https?:\/\/[^/\\]/i.test(trimmed) && !/[\s\\]/.test(trimmed) && trimmed.length <= urlLengthMax ? URL.parse(trimmed) : null;
  if (url === null) {
    return invalid('The URL must begin with https://, name a host, and have no spaces, such as https://llm.example.com/base.');
  }
  if (url.username !== '' || url.password !== '') {
    return invalid('The URL must not carry a user name or password; give the credential on standard input.');
  }
  if (/[?#]/.test(trimmed)) return invalid('The URL must not have a query or a fragment.');
  if (url.protocol === 'http:' && !mayBePlain(url.hostname, allow)) {
    return invalid('The URL must begin with https://. Plain http is for addresses inside SVC_UPSTREAM_ALLOW.');
  }
  const port = url.port === '' ? null : Number(url.port);
  if (port !== null && port !== 443 && port < ordinaryPortMin) {
    return invalid(`The port must be 443 or from ${ordinaryPortMin} to 65535.`);
  }
  if (!mayBeNamed(url.hostname, allow)) {
    return invalid('The host must be public. An address or name inside your own network is for SVC_UPSTREAM_ALLOW.');
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return { url: url.origin + path };
}

/** Not what can never be public: addresses of this machine, of private networks and of its neighbours, written out, and `localhost`. */
function mayBeNamed(hostname: string, allow: readonly string[]): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const family = isIP(host);
  if (family === 0) return allow.length > 0 || !/(?:^|\.)localhost$/i.test(host);
  const kind = family === 4 ? 'ipv4' as const : 'ipv6' as const;
  if (allowedRanges(allow).check(host, kind)) return true;
  return family === 4 ? !neverPublic.check(host, kind) : /^[23]/.test(host) && !neverPublic.check(host, kind);
}

/** Refused already at declaration; the gateway checks every address again when it dials. */
const neverPublic = allowedRanges([
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15',
  '224.0.0.0/3', '2001::/32', '2001:db8::/32', '2002::/16', '3fff::/20',
]);

/** A literal must lie in the list; a name may lead into it, where there is one, and the gateway dials it nowhere else. */
function mayBePlain(hostname: string, allow: readonly string[]): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family === 0) return allow.length > 0;
  return allowedRanges(allow).check(host, family === 4 ? 'ipv4' : 'ipv6');
}

function allowedRanges(allow: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of allow) {
    const [network = '', bits] = entry.split('/');
    const family = isIP(network);
    if (family !== 0) ranges.addSubnet(network, Number(bits ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6');
  }
  return ranges;
}

function invalid(refusal: string): { readonly refusal: string } {
  return { refusal };
}
