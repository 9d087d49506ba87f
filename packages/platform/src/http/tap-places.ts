/**
 * A shared store takes several tap batches at once. Batches of one key wait for each other there, by the lock on their Baseline, and would hold a
 * connection while they wait: a key that floods, or whose Baseline is locked for long, would leave none for anybody else. So a key has two places
 * at once, and all keys together half of the connections. Rule 8a.
 */
import { createSharedPlaces, type SharedPlaces } from './shared-places.ts';

/** `take`: null if too many batches wait; one more must be sent again. */
export type TapPlaces = SharedPlaces;

export function createTapPlaces(): TapPlaces {
  return createSharedPlaces({ ofOne: 2, ofAll: 4, jobsMax: 256 });
}
