/**
 * The tables of runs and grants as TypeScript sees them; `migrations/0003-runs-and-grants.sql` makes them.
 */
import type { ColumnType, Generated } from 'kysely';
import type { Whole, WholeOrNull } from './column.ts';

/** One row: the number of the latest change of a run that nodes must learn of. Its lock makes those changes commit in order. */
interface RunFeedTable { readonly only: Whole; readonly value: Whole }

/** What the live runs of an organization may still spend together, whole nano-dollars as decimal text. */
interface RunExposureTable { readonly organization: string; readonly taken_nano: string }

export interface RunTable {
  readonly organization: string;
  readonly id: string;
  readonly state: string;
  readonly declared_nano: WholeOrNull;
  readonly effective_nano: WholeOrNull;
  readonly clamp_reason: string | null;
  readonly spent_nano: Whole;
  readonly unknown_calls: Whole;
  readonly unpriced_calls: Generated<bigint>;
  readonly gap_calls: Whole;
  readonly started_at_ms: Whole;
  readonly expires_at_ms: WholeOrNull;
  readonly ended_at_ms: WholeOrNull;
  /** 0 until a call of the run is known to have been opened. */
  readonly confirmed: Whole;
  readonly last_call_at_ms: Whole;
  /** Number of its latest change in the feed; 0: none. */
  readonly change: Whole;
  /** The key that made its first call; null: ask the records. */
  readonly began_by: Generated<string | null>;
  /** When its budget fell: `core/src/run/lowering.ts`; null: never, or before this was kept. */
  readonly lowered: Generated<string | null>;
}

/** `sealed`: the private key. */
interface GrantKeyTable {
  readonly id: string;
  readonly organization: string;
  readonly public_key: string;
  readonly sealed: ColumnType<Uint8Array, Uint8Array, Uint8Array>;
  readonly created_at_ms: Whole;
}

export interface RunSchema {
  readonly run_feed: RunFeedTable;
  readonly run_exposure: RunExposureTable;
  readonly run: RunTable;
  readonly grant_key: GrantKeyTable;
}
