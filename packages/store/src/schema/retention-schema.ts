/** The table of what was removed for its age as TypeScript sees it. See `schema.ts`. */
import type { Whole, WholeOrNull } from './column.ts';

/** How far removal has come in one organization. */
export interface RetentionTable {
  readonly organization: string;
  /** Some or all records of calls that started before this instant were removed; all later ones remain. Null: none were removed. */
  readonly gone_before_ms: WholeOrNull;
  /** Records with receipts were removed up to this sequence. */
  readonly receipt_through: Whole;
  readonly removed_records: Whole;
  readonly removed_events: Whole;
  /** Of the last slice. */
  readonly at_ms: Whole;
}

export interface RetentionSchema {
  readonly retention: RetentionTable;
}
