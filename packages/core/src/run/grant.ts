/**
 * Run-budget grants (spec: Run; rule 15): `rbg1.` + base64url(JSON payload) + `.` + base64url(Ed25519 signature).
 * The signature covers the text before the last dot, with the form's name, so that no other signed text can pass for a grant. Reading is
 * strict: each grant has exactly one valid text, the one that was minted. The verifier passes in the public keys; no payload is trusted
 * before its signature is checked.
 */
import type { OrganizationId } from '../id.ts';
import { formatDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import { fromBase64url, toBase64url } from './base64url.ts';
import { instantMsMax } from './declaration.ts';
import { isRunId } from './run-id.ts';

/** A public key that nodes hold to verify grants. */
export interface GrantKey {
  /** Named in a grant's payload. */
  readonly id: string;
  /** Ed25519, 32 raw bytes, base64url. */
  readonly publicKey: string;
}

/** What a grant says. */
export interface GrantPayload {
  readonly organization: OrganizationId;
  /** The one run it is for. */
  readonly run: string;
  /** The most that run may have; above 0, whole micro-dollars. */
  readonly max: NanoDollars;
  /** A run can be created with it before this instant. Whole milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Id of the key it is signed with. */
  readonly key: string;
  /** Makes each grant its own. */
  readonly nonce: string;
}

/** A grant in its parts, of the right form and not verified. */
interface ParsedGrant {
  readonly payload: GrantPayload;
  /** The signed text; ASCII. */
  readonly signedText: string;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** A longer text is not a grant; nothing of it is read. */
export const grantLengthMax = 1024;

const form = 'rbg1.';
const signatureBytes = 64;
/** Characters of the signature in the grant. */
const signatureLength = 86;
const idForm = /^[0-9A-Za-z_]{1,64}$/;
type PayloadFields = Readonly<Record<'organization' | 'run' | 'max' | 'expires' | 'key' | 'nonce', unknown>>;
/** A decimal without leading zeros, and with exactly six places. */
const maxForm = /^(0|[1-9]\d{0,9})\.(\d{6})$/;

/** The text to sign. @throws RangeError for a payload that could not be read back. */
export function grantText(payload: GrantPayload): string {
  const json = payloadJson(payload);
  // An amount that needs more than six places would be read back as a different one.
  if (payloadOf(json)?.max !== payload.max) {
    throw new RangeError('a grant needs a run id, an amount above 0 in whole micro-dollars, an expiry, a key and a nonce');
  }
  return form + toBase64url(Uint8Array.from(json, (character) => character.charCodeAt(0)));
}

/** The grant: the text and its signature. */
export function signedGrant(signedText: string, signature: Uint8Array): string {
  return `${signedText}.${toBase64url(signature)}`;
}

/** A grant's parts; null for any text that was not minted. */
export function parseGrant(grant: string): ParsedGrant | null {
  if (grant.length > grantLengthMax || !grant.startsWith(form)) return null;
  const dot = grant.length - signatureLength - 1;
  if (dot <= form.length || grant[dot] !== '.') return null;
  const signedText = grant.slice(0, dot);
  const signature = fromBase64url(grant.slice(dot + 1));
  const bytes = fromBase64url(signedText.slice(form.length));
  if (bytes === null || signature === null || signature.length !== signatureBytes) return null;
  const payload = payloadOf(asciiOf(bytes));
  return payload === null ? null : { payload, signedText, signature };
}

/** What a grant must fit. `creating`: the run does not exist yet; only then the expiry counts. */
interface GrantUse {
  readonly organization: OrganizationId;
  readonly run: string;
  readonly nowMs: number;
  readonly creating: boolean;
}

/** True if a verified grant is for this organization and run, and, for a new run, has not expired. */
export function grantBinds(payload: GrantPayload, { organization, run, nowMs, creating }: GrantUse): boolean {
  const same = sameText(payload.organization, organization) && sameText(payload.run, run);
  return same && (!creating || nowMs < payload.expiresAtMs);
}

function payloadJson({ organization, run, max, expiresAtMs, key, nonce }: GrantPayload): string {
  return JSON.stringify({ organization, run, max: formatDollars(max, 6), expires: expiresAtMs, key, nonce });
}

/** The payload of its only valid JSON text; null for every other text. */
function payloadOf(json: string | null): GrantPayload | null {
  const fields = json === null ? null : fieldsOf(json);
  if (fields === null) return null;
  const { organization, run, max, expires, key, nonce } = fields;
  if (!isText(organization, idForm) || !isText(key, idForm) || !isText(nonce, idForm)) return null;
  if (typeof run !== 'string' || !isRunId(run)) return null;
  if (typeof expires !== 'number' || !Number.isInteger(expires) || expires < 0 || expires > instantMsMax) return null;
  const amount = isText(max, maxForm) ? amountOf(max) : null;
  if (amount === null) return null;
  const payload = { organization: organization as OrganizationId, run, max: amount, expiresAtMs: expires, key, nonce };
  // A key given twice, another order, white space, a needless escape: all of them differ from what we would write.
  return payloadJson(payload) === json ? payload : null;
}

function fieldsOf(json: string): PayloadFields | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value as PayloadFields : null;
  } catch {
    return null;
  }
}

function amountOf(text: string): NanoDollars | null {
  const amount = BigInt(text.replace('.', '')) * 1000n;
  return amount > 0n && amount <= nanoDollarsMax ? amount as NanoDollars : null;
}

function isText(value: unknown, wanted: RegExp): value is string {
  return typeof value === 'string' && wanted.test(value);
}

/** Text of ASCII bytes; null if one is above 0x7e. */
function asciiOf(bytes: Uint8Array): string | null {
  let text = '';
  for (const byte of bytes) {
    if (byte > 0x7e) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Compares every character, so that the time taken does not reveal how many match. */
function sameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) difference |= (one.charCodeAt(at % (one.length || 1)) | 0) ^ other.charCodeAt(at);
  return difference === 0;
}
