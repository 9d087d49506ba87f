/**
 * Limits how often a password may be tried: per pair of account and client address, per address, and per account. Rule 16. Held in
 * the memory of this process, within a bound. The narrow limit is against guessing, the wide ones against guessing from many addresses or at
 * many people. Once a wide one is reached, a pair still lets in whoever has signed in as that pair before, and nobody else. So a flood
 * from a proxy's address, or against one account, locks out nobody who signs in from their usual place, and claiming somebody
 * else's email gives no further tries at their password. Whoever comes in a browser that they signed in with before has its tries besides
 * (decision 171): strangers behind the same address can use up those of the pair, not these.
 */
import { isStoreAway } from '@metergate/store/engine/fault.ts';
import { networkOf } from '../http/client-address.ts';
import type { KnownBrowser } from './known-browsers.ts';
import { refuseInput, type AdministrationRefusal } from '../use-cases/refusal.ts';

interface Bound {
  readonly attempts: number;
  readonly windowMs: number;
}

const minuteMs = 60_000;
const bounds = {
  pair: { attempts: 10, windowMs: 15 * minuteMs },
  email: { attempts: 100, windowMs: 60 * minuteMs },
  address: { attempts: 100, windowMs: 15 * minuteMs },
} as const satisfies Record<string, Bound>;
const countsMax = 50_000;
const knownMax = 50_000;
/** By person, of one pair: different people may claim one email. */
const peopleMax = 8;

export interface Attempts {
  /** Counts one attempt; a refusal `too_many_attempts` if it is one too many, with the seconds until the next. */
  take(who: Trier): TooMany | Attempt;
}

export interface Attempt {
  /** Somebody has signed in as this pair before. */
  readonly isKnown: boolean;
  /**
   * The password was this person's. True: the attempt is not counted, and they are known as this pair from now on. False: a wide limit is
   * reached and they are not known as this pair, so it is answered like a wrong password.
   */
  succeeded(person: string): boolean;
  /** Nobody could tell whether the password was right: the attempt is not counted. */
  withdrawn(): void;
}

/** What is tried. Each is counted by itself: what a stranger may write as an email of one uses up no tries of another. */
export type TriedKind = 'sign-in' | 'invitation' | 'own-password' | 'machine-code';

export interface Trier {
  /** Left out: to sign in. */
  readonly kind?: TriedKind;
  /** The account: an email, or an id. */
  readonly email: string;
  /** The client's address, which counts as its network. */
  readonly address: string;
  /** The browser, if somebody has signed in there before; null or absent: it is new. */
  readonly browser?: KnownBrowser | null;
}

export interface TooMany {
  readonly refusal: AdministrationRefusal;
  readonly retryAfterSeconds: number;
}

interface Count {
  tried: number;
  readonly untilMs: number;
}

export function createAttempts(clock: () => number): Attempts {
  const counts = new Map<string, Count>();
  const known = new Map<string, Set<string>>();
  const countOf = (key: string, { windowMs }: Bound): Count => {
    const now = clock();
    const there = counts.get(key);
    if (there !== undefined && there.untilMs > now) return there;
    if (counts.size >= countsMax) makeRoom(counts, now);
    counts.delete(key);
    const fresh = { tried: 0, untilMs: now + windowMs };
    counts.set(key, fresh);
    return fresh;
  };
  /** Null: the browser is new or this account is not its own, or its tries are used up too. */
  const takeOfBrowser = (who: Trier): Attempt | null => {
    const browser = browserFor(who);
    if (browser === null) return null;
    const count = countOf(`b ${browser.id}`, bounds.pair);
    if (count.tried >= bounds.pair.attempts) return null;
    count.tried += 1;
    return {
      isKnown: true,
      succeeded(person) {
        // Else another's password could be tried with the note of one's own browser, for an email that both claim.
        if (person !== browser.person) return false;
        count.tried -= 1;
        return true;
      },
      withdrawn: () => void (count.tried -= 1),
    };
  };
  return {
    take(who) {
      const keys = keysOf(who);
      const countOfKind = (kind: keyof typeof bounds): Count => countOf(keys[kind], bounds[kind]);
      const pair = countOfKind('pair');
      const wide = (['email', 'address'] as const).map((kind) => ({ count: countOfKind(kind), bound: bounds[kind] }));
      const full = wide.filter(({ count, bound }) => count.tried >= bound.attempts).map(({ count }) => count);
      const isKnown = known.has(keys.pair);
      const refusing = [...(pair.tried >= bounds.pair.attempts ? [pair] : []), ...(isKnown ? [] : full)];
      if (refusing.length > 0) return takeOfBrowser(who) ?? tooMany(Math.max(...refusing.map(({ untilMs }) => untilMs)) - clock());
      const taken = [pair, ...wide.filter(({ count, bound }) => count.tried < bound.attempts).map(({ count }) => count)];
      for (const count of taken) count.tried += 1;
      return {
        isKnown: isKnown || browserFor(who) !== null,
        succeeded(person) {
          if (full.length > 0 && known.get(keys.pair)?.has(person) !== true && browserFor(who)?.person !== person) return false;
          for (const count of taken) count.tried -= 1;
          remember(known, keys.pair, person);
          return true;
        },
        withdrawn() {
          for (const count of taken) count.tried -= 1;
        },
      };
    },
  };
}

/** The browser, if this account is the one that somebody signed in as there. */
function browserFor({ kind = 'sign-in', browser = null, email }: Trier): KnownBrowser | null {
  return kind === 'sign-in' && browser?.email === email.trim().toLowerCase() ? browser : null;
}

export function isTooMany(taken: TooMany | Attempt): taken is TooMany {
  return 'refusal' in taken;
}

/** While the store is away what was tried is neither right nor wrong: who tries again meanwhile is not locked out afterwards. */
export async function unlessWithdrawn<Answer>(attempt: Attempt, check: () => Promise<Answer>): Promise<Answer> {
  try {
    return await check();
  } catch (fault) {
    if (isStoreAway(fault)) attempt.withdrawn();
    throw fault;
  }
}

function tooMany(afterMs: number): TooMany {
  return {
    refusal: refuseInput('too_many_attempts', 'There were too many attempts to sign in. Try again later.'),
    retryAfterSeconds: Math.max(1, Math.ceil(afterMs / 1_000)),
  };
}

/** The most recent pairs are kept, and for each the people who signed in. */
function remember(known: Map<string, Set<string>>, pair: string, person: string): void {
  const people = known.get(pair) ?? new Set();
  people.delete(person);
  if (people.size >= peopleMax) people.delete(people.values().next().value!);
  people.add(person);
  known.delete(pair);
  if (known.size >= knownMax) known.delete(known.keys().next().value!);
  known.set(pair, people);
}

function keysOf({ kind = 'sign-in', email, address }: Trier): Readonly<Record<keyof typeof bounds, string>> {
  const [named, from] = [email.trim().toLowerCase(), networkOf(address)];
  return { pair: `${kind} p ${from} ${named}`, email: `${kind} e ${named}`, address: `${kind} a ${from}` };
}

/**
 * Drops half the table: first what has expired, then what was tried least. A flood of names tried once each pushes out such names,
 * but not the account that it is guessing at.
 */
function makeRoom(counts: Map<string, Count>, now: number): void {
  for (const [key, { untilMs }] of counts) if (untilMs <= now) counts.delete(key);
  for (let tried = 0; counts.size > countsMax / 2; tried += 1) {
    for (const [key, count] of counts) {
      if (counts.size <= countsMax / 2) return;
      if (count.tried <= tried) counts.delete(key);
    }
  }
}
