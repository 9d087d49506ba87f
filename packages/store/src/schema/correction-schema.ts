/** The table of corrections as TypeScript sees it. See `schema.ts`. */
import type { Whole, WholeOrNull } from './column.ts';

/** One provider's bill for one day and model, and the sums of the records when the bill was recorded. */
export interface CorrectionTable {
  readonly id: string;
  readonly organization: string;
  readonly provider: string;
  /** 00:00 UTC. */
  readonly day_ms: Whole;
  /** Empty: the bill names none. */
  readonly model: string;
  readonly ours_nano: Whole;
  readonly theirs_nano: Whole;
  /** SHA-256 of the file that it was recorded from. */
  readonly bill: string;
  readonly recorded_at_ms: Whole;
}

/** What one call costs by other prices than those that it was recorded by. */
interface CallCorrectionTable {
  /** The number of its record. */
  readonly sequence: Whole;
  readonly organization: string;
  readonly started_at_ms: Whole;
  /** Null: the record has no cost. */
  readonly recorded_nano: WholeOrNull;
  readonly cost_nano: Whole;
  /** JSON array; null for none. */
  readonly cost_gaps: string | null;
  readonly price_list: string;
  readonly corrected_at_ms: Whole;
  /** What of it counts as spent; 0: caps go by the record. */
  readonly counted_nano: Whole;
}

/** What corrections changed in what was spent, in the order in which they did. Only on an embedded store. */
interface CorrectedSpendTable {
  readonly number: Whole;
  readonly organization: string;
  readonly key: string;
  /** Those with caps when it was written, a JSON array; null: none. */
  readonly labels: string | null;
  /** 00:00 UTC. */
  readonly day_ms: Whole;
  readonly amount_nano: Whole;
  readonly at_ms: Whole;
}

export interface CorrectionSchema {
  readonly corrected_spend: CorrectedSpendTable;
  readonly call_correction: CallCorrectionTable;
  readonly correction: CorrectionTable;
}
