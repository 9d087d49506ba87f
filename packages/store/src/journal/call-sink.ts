/** The part of the store that shipping and recovery need: it takes closed rows. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import type { RunEvent } from './run-event.ts';

/** A closed row: its place in the segment and its record. */
export interface ClosedRow {
  readonly seq: number;
  readonly record: CallRecord;
}

/** A row about a run: its place in the segment and what it says. */
export interface RunRow {
  readonly seq: number;
  readonly event: RunEvent;
}

/** Closed rows of one journal segment, in the order of the journal. A segment's batches are shipped in order. */
export interface CallBatch {
  readonly segment: string;
  /** The mark that the batch continues from; 0 by default. */
  readonly after?: number;
  /** Everything of the segment up to this journal number is in this batch or was in an earlier one. Whole, from 1. */
  readonly through: number;
  /** `seq`: the record's journal number, unique in its segment, at most `through`. */
  readonly records: readonly { readonly seq: number; readonly record: CallRecord }[];
  /** The node's events of runs, in order; none by default. */
  readonly runEvents?: readonly { readonly seq: number; readonly event: RunEvent }[];
  /** All rows are of these organizations, which are shipped ahead of the others: their own marks move, and the segment's stays where it is. */
  readonly ahead?: readonly OrganizationId[];
  /** Organizations whose rows up to `through` were shipped ahead and are not in this batch; none by default. */
  readonly without?: readonly OrganizationId[];
}

/** What the shipper needs of the store. */
export interface CallSink {
  /**
   * Stores the rows and the mark in one transaction; rows at or below the stored mark are already there. Refuses a batch that goes on
   * `after` a mark which the store does not hold any more.
   */
  ship(batch: CallBatch): Promise<void>;
  /**
   * Highest `seq` up to which the store holds all of the segment; 0 if it holds nothing of it. `whose`: up to which it holds the rows of that
   * organization, or of `anyone`.
   */
  mark(segment: string, whose?: OrganizationId | 'anyone'): Promise<number>;
  /** Ids of those of these calls that the store has a record of. */
  recorded(openings: readonly CallOpening[]): Promise<ReadonlySet<string>>;
}
