/**
 * The tables of nodes and leases as TypeScript sees them; `migrations/0006-leases.sql` and `0010-overrun-leases.sql` make them.
 */
import type { ColumnType } from 'kysely';
import type { Whole, WholeOrNull } from './column.ts';

/** 0 if it is not given. */
type Generated = ColumnType<bigint, bigint | number | undefined, bigint | number>;

interface GatewayNodeTable {
  readonly id: string;
  /** Names the data directory: the next process that starts there takes over what an earlier one left. */
  readonly home: string;
  readonly started_at_ms: Whole;
  /** On the store's clock. */
  readonly heard_at_ms: Whole;
  /** 1: the node was silent for so long that its leases were freed. */
  readonly freed: Whole;
  /** 0: a gateway of a version that kept spend by window (migration 31). */
  readonly keeps_days: Generated;
  /** Version of the schema that the node's process knows; null: older than 52. */
  readonly writer: WholeOrNull;
}

interface SpendLeaseTable {
  readonly organization: string;
  /** `organization`, `key` or `run`. */
  readonly scope: string;
  /** As in `spend_day`, or a run's id. */
  readonly subject: string;
  readonly window: string;
  readonly start_ms: Whole;
  readonly node: string;
  readonly granted_nano: Whole;
  readonly shipped_nano: Whole;
  /** The subject's limit when the node last asked. */
  readonly limit_nano: WholeOrNull;
  /** Number of the node's latest batch of claims that was applied. */
  readonly claim: Whole;
  /** When the node last found the rest leased elsewhere; 0: it has what it asked for. */
  readonly short_at_ms: Whole;
  /** What the node had spent when it last asked, and what its calls under way may cost, both as it reported. */
  readonly settled_nano: Generated;
  readonly under_way_nano: Generated;
  /** From this instant on the node may have overrun what it holds without having reported it. */
  readonly doubtful_at_ms: Generated;
}

/** One row: grows when nodes should confirm what they hold. */
interface LeaseFeedTable { readonly only: Whole; readonly value: Whole }

export interface LeaseSchema {
  readonly gateway_node: GatewayNodeTable;
  readonly spend_lease: SpendLeaseTable;
  readonly lease_feed: LeaseFeedTable;
}
