/**
 * How often a password may be tried: bounded per email and address together, per address and per email. Design 3, row 16.
 * Held in the memory of this process, within a bound of its own. The narrow bound is for guessing, the wide ones for
 * guessing from many addresses or at many people; nobody can lock another out from elsewhere by the narrow one.
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

export interface Attempts {
  /** Counts one try; a refusal `too_many_attempts` where it is one too many, with the seconds until the next. */
  take(who: { readonly email: string; readonly address: string }): TooMany | null;
  /** The password was right: what the pair had tried is forgotten. */
  forget(who: { readonly email: string; readonly address: string }): void;
}

export interface TooMany {
  readonly refusal: AdministrationRefusal;
  readonly retryAfterSeconds: number;
}

export function createAttempts(clock: () => number): Attempts {
  const counts = new Map<string, { tried: number; readonly untilMs: number }>();
  const countOf = (key: string, { windowMs }: Bound) => {
    const now = clock();
    const known = counts.get(key);
    if (known !== undefined && known.untilMs > now) return known;
    // The oldest goes first; an attacker who fills the table gains no more tries at one person than `countsMax` addresses give.
    if (counts.size >= countsMax) counts.delete(counts.keys().next().value!);
    counts.delete(key);
    const fresh = { tried: 0, untilMs: now + windowMs };
    counts.set(key, fresh);
    return fresh;
  };
  const keysOf = ({ email, address }: { readonly email: string; readonly address: string }) => {
    const named = email.trim().toLowerCase();
    return { pair: `p ${address} ${named}`, email: `e ${named}`, address: `a ${address}` };
  };
  return {
    take(who) {
      const keys = keysOf(who);
      const kinds = Object.keys(bounds) as (keyof typeof bounds)[];
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
      counts.delete(keysOf(who).pair);
    },
  };
}
