/** The table of daily sums of usage as TypeScript sees it. See `schema.ts`. */
import type { Whole } from '../engine/column.ts';

/** What calls that started on one day came to, under one name of one dimension. */
export interface UsageSumTable {
  readonly organization: string;
  readonly dimension: string;
  /** 00:00 UTC. */
  readonly day_ms: Whole;
  /** A model, a key's id, a project, a label or a run; empty for calls that have none, and in the dimension `day`. */
  readonly subject: string;
  readonly calls: Whole;
  readonly input_tokens: Whole;
  readonly output_tokens: Whole;
  readonly cost_nano: Whole;
  readonly unknown_calls: Whole;
  readonly unpriced_calls: Whole;
  readonly gap_calls: Whole;
}

export interface UsageSchema {
  readonly usage_sum: UsageSumTable;
}
