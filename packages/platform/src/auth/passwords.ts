/**
 * Passwords: the rules for one, and its scrypt hash. Rule 16.
 * The platform hashes them on separate threads (`hashing-threads.ts`); a command, and whoever names no other way, hashes one at a time on the
 * pool of its process.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { refuseInput, type AdministrationRefusal } from '../use-cases/refusal.ts';

const lengthMin = 12;
const lengthMax = 256;
const memoryMax = 256 * 1024 * 1024;
const hashBytes = 32;

const passwordRule = `The password must have ${lengthMin} to ${lengthMax} characters.`;

/** Null: the password is acceptable. Length counts code points. */
export function passwordRefusal(password: string): AdministrationRefusal | null {
  const { length } = [...password];
  return length >= lengthMin && length <= lengthMax && password.isWellFormed() ? null : refuseInput('invalid_password', passwordRule);
}

/** The parameters of one hash: it takes 128 x N x r bytes of memory, p times over. */
export interface HashingCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** For whom a password is hashed. */
export interface HashedFor {
  /** They have signed in before from where they ask. */
  readonly isKnown: boolean;
  /** The place that they ask from: an address, or what else others do not share with them. */
  readonly from: string;
}

const forAnybody: HashedFor = { isKnown: false, from: '' };

/** One scrypt. @throws HashingBusy */
export type Derive = (password: string, salt: Buffer, cost: HashingCost, whom: HashedFor) => Promise<Buffer>;

/** Which hashes a password opened. */
export interface Opening {
  /** Index of the first hash that it opens; null: none. */
  readonly opens: number | null;
  /** The password's own hash, with the salt and parameters of the first given hash, or today's if none was given. */
  readonly hash: string;
}

/** Hashes at one cost, and verifies hashes of any cost. */
export class Passwords {
  readonly #cost: HashingCost;
  readonly #derive: Derive;
  readonly #whom: HashedFor;

  /** `derive`: where scrypt is computed; by default on the pool of the process. */
  constructor(cost: HashingCost, derive: Derive = derived, whom: HashedFor = forAnybody) {
    this.#cost = cost;
    this.#derive = derive;
    this.#whom = whom;
  }

  /** The same, computed for the given caller. */
  askedBy(whom: HashedFor): Passwords {
    return new Passwords(this.#cost, this.#derive, whom);
  }

  /**
   * `scrypt$N$r$p$salt$hash`, the last two in base64url. `like`: a hash whose salt is used again; null: a new salt. All accounts with the
   * same email share a salt, so that one derivation shows which of them a password opens, and its time does not reveal how many they are.
   * @throws HashingBusy
   */
  async hash(password: string, like: string | null = null): Promise<string> {
    const { salt = randomBytes(16) } = (like === null ? null : partsOf(like)) ?? {};
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost, this.#whom));
  }

  /**
   * Which of these hashes the password opens. Takes one derivation for each salt among them, at least one, so an email that nobody
   * has takes as long as one that somebody has. @throws HashingBusy
   */
  async check(password: string, stored: readonly (string | null)[]): Promise<Opening> {
    const made = new Map<string, Buffer>();
    let first: string | null = null;
    let opens: number | null = null;
    for (const [place, each] of stored.entries()) {
      const parts = each === null ? null : partsOf(each);
      if (parts === null) continue;
      const { figures, salt, hash } = parts;
      const name = `${figures.N} ${figures.r} ${figures.p} ${salt.toString('base64url')}`;
      const given = made.get(name) ?? await this.#derive(password, salt, figures, this.#whom);
      made.set(name, given);
      first ??= written(figures, salt, given);
      if (hash.length === given.length && timingSafeEqual(hash, given)) opens ??= place;
    }
    return { opens, hash: first ?? await this.hash(password) };
  }

  /** Whether the hash was made with other parameters than today's. The password is then hashed again at the next sign-in. */
  isDated(stored: string): boolean {
    const { figures } = partsOf(stored) ?? {};
    const { N, r, p } = this.#cost;
    return figures !== undefined && (figures.N !== N || figures.r !== r || figures.p !== p);
  }
}

function written({ N, r, p }: HashingCost, salt: Buffer, hash: Buffer): string {
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** At today's cost: 32 MiB, three times over, some tenths of a second. */
export const costToday: HashingCost = { N: 32_768, r: 8, p: 3 };

/** On the pool of the process. */
export const passwords = new Passwords(costToday);

/** Null: not one of our hashes, or one that takes longer than a sign-in may. */
function partsOf(stored: string): { readonly figures: HashingCost; readonly salt: Buffer; readonly hash: Buffer } | null {
  const [, N, r, p, salt, hash] = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]{16,128})\$([\w-]{43})$/.exec(stored) ?? [];
  const figures = { N: Number(N), r: Number(r), p: Number(p) };
  const acceptable = figures.N >= 2 && Number.isInteger(Math.log2(figures.N)) && figures.r >= 1 && figures.p >= 1
    && 128 * figures.N * figures.r <= memoryMax && figures.p <= 64;
  return acceptable && salt !== undefined && hash !== undefined
    ? { figures, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') } : null;
}

/** The hashing queue is full: the caller must try again. */
export class HashingBusy extends Error {}

const waitingMax = 40;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** What scrypt is given. */
export function scryptInput(password: string, salt: Buffer, { N, r, p }: HashingCost): ScryptInput {
  return { password: password.normalize('NFKC'), salt, bytes: hashBytes, options: { N, r, p, maxmem: 2 * memoryMax } };
}

interface ScryptInput {
  readonly password: string;
  readonly salt: Buffer;
  readonly bytes: number;
  readonly options: HashingCost & { readonly maxmem: number };
}

/** One scrypt, in its turn. @throws HashingBusy */
export function derived(password: string, salt: Buffer, cost: HashingCost): Promise<Buffer> {
  if (waiting >= waitingMax) return Promise.reject(new HashingBusy('too many passwords are being checked'));
  waiting += 1;
  const next = last.then(() => new Promise<Buffer>((resolve, reject) => {
    const { password: normal, bytes, options } = scryptInput(password, salt, cost);
    scrypt(normal, salt, bytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  })).finally(() => { waiting -= 1; });
  last = next.catch(() => {});
  return next;
}
