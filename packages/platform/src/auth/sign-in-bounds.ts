/**
 * How many sign-ins of machines one network may begin, since anybody may and each is a row of the store for its ten minutes; and how often its
 * machines may ask for their keys. Decision 196. Held in the memory of this process, within a bound.
 */
import { networkOf } from '../http/client-address.ts';

export interface SignInBounds {
  readonly begins: NetworkBound;
  readonly asks: NetworkBound;
}

export interface NetworkBound {
  /** Counts one. Not null: one too many, and the seconds until the next is taken. */
  take(address: string): number | null;
}

const windowMs = 600_000;
const begunMax = 60;
/** As often as the machines ask that so many sign-ins are of: every two seconds, until their time is over. */
const askedMax = begunMax * 300;
const networksMax = 20_000;

export function createSignInBounds(clock: () => number): SignInBounds {
  return { begins: networkBound(begunMax, clock), asks: networkBound(askedMax, clock) };
}

function networkBound(max: number, clock: () => number): NetworkBound {
  const counts = new Map<string, { taken: number; readonly untilMs: number }>();
  return {
    take(address) {
      const [now, network] = [clock(), networkOf(address)];
      const there = counts.get(network);
      if (there !== undefined && there.untilMs > now) {
        if (there.taken >= max) return Math.ceil((there.untilMs - now) / 1_000);
        there.taken += 1;
        return null;
      }
      counts.delete(network);
      if (counts.size >= networksMax) counts.delete(counts.keys().next().value!);
      counts.set(network, { taken: 1, untilMs: now + windowMs });
      return null;
    },
  };
}
