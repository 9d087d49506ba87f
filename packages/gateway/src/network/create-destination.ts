/** The one place that decides which client is behind a destination. */
import type { DestinationOptions } from './destination-options.ts';
import type { Destination } from './destination.ts';
import { createUndiciDestination } from './undici-destination.ts';

/** Throws a TypeError if `origin` is not a valid origin. */
export function createDestination(options: DestinationOptions): Destination {
  return createUndiciDestination(options);
}
