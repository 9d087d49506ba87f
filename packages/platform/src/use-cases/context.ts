/**
 * The context of every use case: the store, the present moment and a source of randomness. The command and the platform's HTTP both pass one,
 * so that both run the same logic. If the store is an acting one, every change made through it leaves its audit row.
 */
import type { Store } from '@metergate/store/store.ts';
import type { Passwords } from '../auth/passwords.ts';

export interface UseCaseContext {
  readonly store: Store;
  /** `n` bytes from a cryptographic source. */
  readonly randomBytes: (n: number) => Uint8Array;
  /** The moment of the request, milliseconds since the epoch. */
  readonly nowMs: number;
  /** How passwords are hashed; by default with today's cost. */
  readonly passwords?: Passwords;
}
