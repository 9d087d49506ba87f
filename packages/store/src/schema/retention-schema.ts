/** The table of what was removed for its age as TypeScript sees it. See `schema.ts`. */
import type { Whole, WholeOrNull } from '../engine/column.ts';

/** How far removal has come in one organization. */
export interface RetentionTable {
  readonly organization: string;
  /** Of the calls that started before this instant some or all records are gone; every one from it on is there. Null: none are gone. */
  readonly gone_before_ms: WholeOrNull;
  /** Records with receipts are gone up to this sequence. */
  readonly receipt_through: Whole;
  readonly removed_records: Whole;
  readonly removed_events: Whole;
  /** Of the last slice. */
  readonly at_ms: Whole;
}

export interface RetentionSchema {
  readonly retention: RetentionTable;
}
