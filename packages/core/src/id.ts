/**
 * The identifiers and the one place where the brand's short form `svc` is spelled.
 * Identifiers are branded strings, so that an organization's id cannot be passed as a key's.
 * Minting takes the random bytes as an argument: this package draws none itself.
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `org_` and 20 base62 characters. */
export type OrganizationId = Branded<'OrganizationId'>;
/** `key_` and 20 base62 characters, of which the first eight are the time of its making: names a service key; it is not a secret. */
export type ServiceKeyId = Branded<'ServiceKeyId'>;
/** `req_` and 32 lower-case hexadecimal characters (spec: Request identifier). */
export type RequestId = Branded<'RequestId'>;
/** `cap_` and 20 base62 characters. */
export type CapId = Branded<'CapId'>;
/** `usr_` and 20 base62 characters: someone who signs in. */
export type PersonId = Branded<'PersonId'>;
/** One gateway process: `node_` and 20 base62 characters, new at each start. */
export type GatewayNodeId = Branded<'GatewayNodeId'>;

/** Prefixes of everything that is minted. A secret never shares its prefix with a handle. */
export const idPrefix = {
  organization: 'org_',
  serviceKey: 'key_',
  cap: 'cap_',
  grantKey: 'gky_',
  receiptKey: 'rky_',
  correction: 'cor_',
  alert: 'alt_',
  budget: 'bud_',
  webhook: 'whk_',
  notice: 'msg_',
  delivery: 'dlv_',
  platform: 'plt_',
  baseline: 'bsl_',
  person: 'usr_',
  invitation: 'inv_',
  managementToken: 'tok_',
  auditEvent: 'evt_',
  request: 'req_',
  node: 'node_',
  segment: 'seg_',
  view: 'viw_',
  machineSignIn: 'sgn_',
} as const;

/** Prefix of the secret itself (spec: Authentication 1). */
export const serviceKeyPrefix = 'svc_live_';
/** Prefix of a management token (rule 16). */
export const managementTokenPrefix = 'svc_mgmt_';

/** Names of the service's own headers, lower case (spec: Common request elements). */
export const header = {
  requestId: 'x-svc-request-id',
  tags: 'x-svc-tags',
  project: 'x-svc-project',
  runPrefix: 'x-svc-run-',
  runId: 'x-svc-run-id',
  budgetScope: 'x-svc-budget-scope',
  budgetWindow: 'x-svc-budget-window',
  runBudgetEffective: 'x-svc-run-budget-effective',
  runClampReason: 'x-svc-run-clamp-reason',
  brandPrefix: 'x-svc-',
} as const;

const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Base62 text of `length` characters from uniform random bytes. Bytes of 248 and above are skipped, so that every
 * character is equally likely; give half as many bytes again as characters wanted.
 * @throws RangeError when the bytes run out first.
 */
function base62(randomBytes: Uint8Array, length: number): string {
  let text = '';
  for (const byte of randomBytes) {
    if (byte >= 248) continue;
    text += base62Alphabet[byte % 62];
    if (text.length === length) return text;
  }
  throw new RangeError('base62 needs more random bytes');
}

/** Uniform random bytes, so many as are asked for. */
type RandomBytes = (count: number) => Uint8Array;

const idLength = 20;

/** A new id: its prefix and 20 base62 characters. */
export function newId(prefix: string, randomBytes: RandomBytes): string {
  return newSecret(prefix, idLength, randomBytes);
}

/** Of such an id: enough for milliseconds until the year 8888. The rest is random. */
const timeLength = 8;

/**
 * A new id of the same form that sorts by when it was made: it begins with `nowMs`, milliseconds since the epoch, from 0. What is stored by such
 * ids lies beside what was made at the same time. 12 random characters follow.
 */
export function newTimedId(prefix: string, nowMs: number, randomBytes: RandomBytes): string {
  let time = '';
  for (let left = Math.floor(nowMs); time.length < timeLength; left = Math.floor(left / 62)) time = base62Alphabet[left % 62] + time;
  return newSecret(prefix + time, idLength - timeLength, randomBytes);
}

/** The id of what is known already by bytes that no other has, such as a digest of 40 bytes and more: the same bytes give the same id. */
export function idFromBytes(prefix: string, bytes: Uint8Array): string {
  return prefix + base62(bytes, idLength);
}

/** New text that nobody guesses: a prefix, which may be empty, and `length` base62 characters. */
export function newSecret(prefix: string, length: number, randomBytes: RandomBytes): string {
  return prefix + base62(randomBytes(2 * length), length);
}

/** `req_` and the 16 bytes given, in hexadecimal. */
export function requestIdFrom(hex32: string): RequestId {
  return (idPrefix.request + hex32) as RequestId;
}

/** Its 32 digits. In the ids of a gateway's own calls the last eight tell the time, and all before them are random. */
export function requestIdDigits(id: RequestId): string {
  return id.slice(idPrefix.request.length);
}
