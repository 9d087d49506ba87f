/**
 * Passwords: what one may be, and its scrypt hash. Design 3, row 16.
 * Hashed one at a time: the work runs on the process's shared pool of threads, and calls in flight need its others.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { refuseInput, type AdministrationRefusal } from '../use-cases/refusal.ts';

const lengthMin = 12;
const lengthMax = 256;
const cost = { N: 32_768, r: 8, p: 3, maxmem: 64 * 1024 * 1024 } as const;
const hashBytes = 32;

export const passwordRule = `The password must have ${lengthMin} to ${lengthMax} characters.`;

/** Null: it may be one. Length counts code points. */
export function passwordRefusal(password: string): AdministrationRefusal | null {
  const { length } = [...password];
  return length >= lengthMin && length <= lengthMax && password.isWellFormed() ? null : refuseInput('invalid_password', passwordRule);
}

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derived(password, salt);
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || N !== String(cost.N) || r !== String(cost.r) || p !== String(cost.p) || salt === undefined || hash === undefined) {
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const given = await derived(password, Buffer.from(salt, 'base64url'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

let last: Promise<unknown> = Promise.resolve();

function derived(password: string, salt: Buffer): Promise<Buffer> {
  const next = last.then(() => new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
  }));
  last = next.catch(() => {});
  return next;
}
