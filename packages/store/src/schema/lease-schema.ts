/**
 * The tables of nodes and leases as TypeScript sees them; `migrations/0006-leases.ts` and `0010-overrun-leases.ts` make them.
 */
import type { ColumnType } from 'kysely';

type Whole = ColumnType<bigint, bigint | number, bigint | number>;
/** 0 if it is not given. */
type Generated = ColumnType<bigint, bigint | number | undefined, bigint | number>;
type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;

export interface GatewayNodeTable {
  readonly id: string;
  /** Of the data directory: what a process left there is taken over by the next one that starts on it. */
  readonly home: string;
  readonly started_at_ms: Whole;
  /** On the store's clock. */
  readonly heard_at_ms: Whole;
  /** 1: not heard of for so long that what it held was freed. */
  readonly freed: Whole;
}

export interface SpendLeaseTable {
  readonly organization: string;
  /** `organization`, `key` or `run`. */
  readonly scope: string;
  /** As in `spend_sum`, or a run's id. */
  readonly subject: string;
  readonly window: string;
  readonly start_ms: Whole;
  readonly node: string;
  readonly granted_nano: Whole;
  readonly shipped_nano: Whole;
  /** Of the subject, when the node last asked. */
  readonly limit_nano: WholeOrNull;
  /** Number of the node's latest batch of claims that was heeded. */
  readonly claim: Whole;
  /** When the node last found the rest leased elsewhere; 0: it has what it asked for. */
  readonly short_at_ms: Whole;
  /** What the node said, when it last asked, that it has spent, and what its calls under way may come to. */
  readonly settled_nano: Generated;
  readonly under_way_nano: Generated;
  /** From here on the node may have overrun what it holds without having told. */
  readonly doubtful_at_ms: Generated;
}

/** One row: grows when nodes should confirm what they hold. */
export interface LeaseFeedTable { readonly only: Whole; readonly value: Whole }

export interface LeaseSchema {
  readonly gateway_node: GatewayNodeTable;
  readonly spend_lease: SpendLeaseTable;
  readonly lease_feed: LeaseFeedTable;
}
