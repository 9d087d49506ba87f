/**
 * Limits how often a password may be tried: per pair of account and client address, per address, and per account. Rule 16. Held in
 * the memory of this process, within a bound. The narrow limit is against guessing, the wide ones against guessing from many addresses or at
 * many people. The wide ones do not apply to a pair that has signed in here before. So a flood from a proxy's address, or against one
 * account, locks out nobody who signs in from their usual place.
 */
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

export interface Attempts {
  /** Counts one attempt; a refusal `too_many_attempts` if it is one too many, with the seconds until the next. */
  take(who: Trier): TooMany | null;
  /** The password was right: earlier attempts of the pair are forgotten, and the pair is known from now on. */
  forget(who: Trier): void;
}

export interface Trier {
  /** The account: an email, or an id. */
  readonly email: string;
  /** The client's address. */
  readonly address: string;
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
  const known = new Set<string>();
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
  return {
    take(who) {
      const keys = keysOf(who);
      const kinds = known.has(keys.pair) ? ['pair'] as const : Object.keys(bounds) as (keyof typeof bounds)[];
      const found = kinds.map((kind) => ({ count: countOf(keys[kind], bounds[kind]), bound: bounds[kind] }));
      const full = found.filter(({ count, bound }) => count.tried >= bound.attempts);
      if (full.length === 0) {
        for (const { count } of found) count.tried += 1;
        return null;
      }
      const untilMs = Math.max(...full.map(({ count }) => count.untilMs));
      return {
        refusal: refuseInput('too_many_attempts', 'There were too many attempts to sign in. Try again later.'),
        retryAfterSeconds: Math.max(1, Math.ceil((untilMs - clock()) / 1_000)),
      };
    },
    forget(who) {
      const { pair } = keysOf(who);
      counts.delete(pair);
      known.delete(pair);
      if (known.size >= knownMax) known.delete(known.values().next().value!);
      known.add(pair);
    },
  };
}

function keysOf({ email, address }: Trier): Readonly<Record<keyof typeof bounds, string>> {
  const named = email.trim().toLowerCase();
  return { pair: `p ${address} ${named}`, email: `e ${named}`, address: `a ${address}` };
}

/**
 * Drops half the table: first what has expired, then what was tried least. A flood of names tried once pushes out names tried once,
 * and not the account that they are guessing at.
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
