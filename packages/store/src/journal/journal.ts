/**
 * The journal as the gateway thread sees it: what is opened before dialling and closed before the answer is complete.
 * Design 2, Journal. All rows of one event-loop turn are committed in one transaction at the end of that turn; then the
 * callbacks run, in the order of the rows.
 */
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';

export interface Journal {
  /** Journals `opened`. `done(null)` after the commit; `done(error)` when it could not be written: then nothing may be forwarded. */
  open(opening: CallOpening, done: (error: Error | null) => void): void;
  /**
   * Journals `closed`. `done` always runs: after the commit, or after 2 s of failing commits, when the row stays in memory
   * and is retried and counted.
   */
  close(record: CallRecord, done: () => void): void;
  /** Commits what is queued, seals the current segment and closes it. */
  end(): Promise<void>;
  /** For `/metrics`: counters since start. */
  readonly counters: JournalCounters;
}

export interface JournalCounters {
  readonly opened: number;
  readonly closed: number;
  readonly commits: number;
  readonly commitFailures: number;
  /** Closed rows that wait in memory because the journal cannot be written. */
  readonly waiting: number;
}
