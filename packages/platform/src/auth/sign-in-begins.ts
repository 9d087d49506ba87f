/**
 * How many sign-ins of machines one network address may begin: anybody may, and each is a row of the store for its ten minutes. Decision 196.
 * Held in the memory of this process, within a bound.
 */
export interface SignInBegins {
  /** Counts one. Not null: one too many, and the seconds until the next may begin. */
  take(address: string): number | null;
}

const windowMs = 600_000;
const begunMax = 60;
const addressesMax = 20_000;

export function createSignInBegins(clock: () => number): SignInBegins {
  const counts = new Map<string, { begun: number; readonly untilMs: number }>();
  return {
    take(address) {
      const now = clock();
      const there = counts.get(address);
      if (there !== undefined && there.untilMs > now) {
        if (there.begun >= begunMax) return Math.ceil((there.untilMs - now) / 1_000);
        there.begun += 1;
        return null;
      }
      counts.delete(address);
      if (counts.size >= addressesMax) counts.delete(counts.keys().next().value!);
      counts.set(address, { begun: 1, untilMs: now + windowMs });
      return null;
    },
  };
}
