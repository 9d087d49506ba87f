/** The table of corrections as TypeScript sees it. See `schema.ts`. */
import type { Whole } from '../engine/column.ts';

/** What one provider's bill said about one day and model, and what the records said when the bill was recorded. */
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

export interface CorrectionSchema {
  readonly correction: CorrectionTable;
}
