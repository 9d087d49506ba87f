/**
 * Headers as the flat list they arrived in: name, value, name, value; order, case and duplicates kept (rules: Forwarding).
 * Every edit the gateway makes to a header list is in this file; nothing else is touched.
 */
import { header } from '../id.ts';
import type { CredentialHeader } from '../wire/wire.ts';
import { HeaderNames } from './header-names.ts';
import { holdsServiceKey } from './key-form.ts';
import { withoutKeys } from './key-subprotocols.ts';

/** Flat list of names and values, latin1: one character a byte. */
export type HeaderPairs = readonly string[];

/** Fields that concern one connection only (RFC 9110 7.6.1 and its predecessors). */
const hopByHopNames = [
  'connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade',
  'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info',
] as const;
const hopByHop = new HeaderNames(hopByHopNames);

/** What the gateway sends for itself towards the destination: framing, and the expectation it has answered. */
const ownRequestNames = ['host', 'content-length', 'expect'] as const;
const notForwarded = new HeaderNames([...hopByHopNames, ...ownRequestNames]);
/** A browser presents its key in it. */
const subprotocolField = 'sec-websocket-protocol';
const serviceKeyFields = new HeaderNames(['authorization', 'x-api-key']);

/** A field that belongs to a credential: its caller's is taken out, and it is sent where it has a value. `name` is lower case. */
export interface CredentialField {
  readonly name: string;
  readonly value: string | null;
}

/** Whether a field gives way to the destination's credential. */
type TakenOut = (name: string, value: string) => boolean;

/** First value of a field, or null. `name` is lower case. */
export function firstValue(pairs: HeaderPairs, name: string): string | null {
  for (let at = 0; at < pairs.length; at += 2) {
    if (sameName(pairs[at]!, name)) return pairs[at + 1]!;
  }
  return null;
}

/** All values of a field in order. `name` is lower case. */
export function allValues(pairs: HeaderPairs, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    if (sameName(pairs[at]!, name)) values.push(pairs[at + 1]!);
  }
  return values;
}

/**
 * What goes to the destination: the caller's list without hop-by-hop fields, all spellings of the service key and the
 * listed `x-svc-` fields; the destination's credential stands where the caller's first stood, else at the end.
 */
export function outboundRequestHeaders(pairs: HeaderPairs, credential: CredentialHeader | null, takenOut: TakenOut | null = null): string[] {
  const named = namedByConnection(pairs);
  const out: string[] = [];
  let credentialDue = credential;
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!;
    if (takenOut === null ? serviceKeyFields.has(name) : takenOut(name, pairs[at + 1]!)) {
      if (credentialDue !== null) out.push(credentialDue.name, credentialDue.value);
      credentialDue = null;
      continue;
    }
    if (name.length === subprotocolField.length && sameName(name, subprotocolField)) {
      const kept = withoutKeys(pairs[at + 1]!);
      if (kept !== '') out.push(name, kept);
      continue;
    }
    if (notForwarded.has(name) || isListedServiceHeader(name) || named?.has(name.toLowerCase())) continue;
    out.push(name, pairs[at + 1]!);
  }
  if (credentialDue !== null) out.push(credentialDue.name, credentialDue.value);
  return out;
}

/**
 * What goes to a named upstream: as above, but of the fields in which clients put their keys only those are taken out that hold a service key,
 * and those that the destination's credential replaces. What else a caller shows it there is between the two.
 */
export function upstreamRequestHeaders(
  pairs: HeaderPairs, credential: CredentialHeader | null, beside: readonly CredentialField[] = noFields,
): string[] {
  const out = outboundRequestHeaders(pairs, credential, (name, value) =>
    holdsServiceKey(name, value) || (credential !== null && sameName(name, credential.name)) || beside.some((field) => sameName(name, field.name)));
  for (const { name, value } of beside) if (value !== null) out.push(name, value);
  return out;
}

const noFields: readonly CredentialField[] = [];

/** What the caller receives: the provider's list without hop-by-hop fields and without the provider's `x-svc-` fields. */
export function inboundResponseHeaders(pairs: HeaderPairs): string[] {
  const named = namedByConnection(pairs);
  const out: string[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!;
    if (hopByHop.has(name) || hasBrandPrefix(name)) continue;
    if (named?.has(name.toLowerCase()) && !sameName(name, 'content-length')) continue;
    out.push(name, pairs[at + 1]!);
  }
  return out;
}

/** `x-svc-tags`, `x-svc-project` and every `x-svc-run-*`: exactly what the specification removes. */
function isListedServiceHeader(name: string): boolean {
  if (!hasBrandPrefix(name)) return false;
  const lowerName = name.toLowerCase();
  return lowerName === header.tags || lowerName === header.project || lowerName.startsWith(header.runPrefix);
}

const lowerCaseX = 0x78;

function hasBrandPrefix(name: string): boolean {
  return (name.charCodeAt(0) | 0x20) === lowerCaseX && name.toLowerCase().startsWith(header.brandPrefix);
}

/** Fields that a `Connection` header declares hop-by-hop; null (the common case) for none beyond the standard ones. */
function namedByConnection(pairs: HeaderPairs): Set<string> | null {
  let named: Set<string> | null = null;
  for (let at = 0; at < pairs.length; at += 2) {
    if (!sameName(pairs[at]!, 'connection')) continue;
    for (const part of pairs[at + 1]!.split(',')) {
      const name = part.trim().toLowerCase();
      if (name !== '' && name !== 'close' && name !== 'keep-alive') (named ??= new Set()).add(name);
    }
  }
  return named;
}

function sameName(name: string, lowerName: string): boolean {
  return name.length === lowerName.length && name.toLowerCase() === lowerName;
}
