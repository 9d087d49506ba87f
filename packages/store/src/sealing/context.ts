/** The dependencies of every repository of the store: the engine, the vault, a clock and a source of randomness. */
import type { Engine } from '../engine/engine.ts';
import type { FeedNumbers } from '../engine/feed-numbers.ts';
import type { Vault } from './vault.ts';

/** What every part of the store works with. */
export interface StoreContext {
  readonly engine: Engine;
  /** The engine without an audit trail: for work that follows a change and was recorded with it. */
  readonly background: Engine;
  readonly feeds: FeedNumbers;
  readonly vault: Vault;
  readonly clock: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
}
