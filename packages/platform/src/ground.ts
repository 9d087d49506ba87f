/**
 * What every use case works on: the store, the moment it happens at and a source of randomness. Given by the command now and
 * by the platform's HTTP later, so that both run the same logic.
 */
import type { Store } from '@metergate/store/store.ts';

export interface Ground {
  readonly store: Store;
  /** `n` bytes from a cryptographic source. */
  readonly randomBytes: (n: number) => Uint8Array;
  /** The moment of the request, milliseconds since the epoch. */
  readonly nowMs: number;
}
