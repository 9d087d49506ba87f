/**
 * The organizations and keys this node holds: a synchronous lookup, and one question to the store for a key that is not held. Rules:
 * Snapshots. It grows only with the organizations in use.
 */
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { HeldKey } from '../guards/held-key.ts';

export interface HeldSettings {
  /**
   * `hash`: SHA-256 of the service key, lower-case hexadecimal. `unknown`: the store answered within the last second that there
   * is no such live key. Undefined: ask.
   */
  held(hash: string): HeldKey | 'unknown' | undefined;
  /** Asks the store, once for all who ask at the same time. Null: no such live key. Rejects when the store is away or late. */
  ask(hash: string): Promise<HeldKey | null>;
  /** Keys that the store is asked for now. */
  readonly asking: number;
  /** The price list and the operator's overlay, in force: a new book for each change, so a call is priced by exactly one. */
  readonly priceBook: PriceBook;
  /** Milliseconds since the last message from the store. */
  ageMs(): number;
}
