/**
 * The journal as the gateway thread sees it: a call is opened before dialling and closed before its answer is complete; a run's end or
 * tightening is written before the answer that shows it.
 * Rules: Journal. All rows of one event-loop turn are committed together at the end of that turn; then the
 * callbacks run, in the order of the rows.
 */
import type { OrganizationId, RequestId } from '@metergate/core/id.ts';
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import type { RunBeginning, RunEnd, RunTightening } from './run-event.ts';

export interface Journal {
  /**
   * Journals `opened`, in one row with the beginning of the call's run where this is given. `done(null)` after the commit; `done(error)` when it
   * could not be written: then nothing may be forwarded.
   */
  open(opening: CallOpening, done: (error: Error | null) => void, beginning?: RunBeginning | null): void;
  /**
   * Journals `closed`. `done` always runs: after the commit, or after 2 s of failing commits, when the row stays in memory
   * and is retried and counted.
   */
  close(record: CallRecord, done: () => void): void;
  /**
   * Journals a settlement, which no opening goes before. `done(null)` after the commit of the turn; `done(error)` at once when it could not be
   * written: nothing of it is kept then, and whoever asks for the outcome again learns of it again.
   */
  settle(record: CallRecord, done: (error: Error | null) => void): void;
  /**
   * Journals `run_tightened`, in the commit of the turn. `done(null)` after the commit; `done(error)` at once when it could
   * not be written: nothing of it is kept then.
   */
  tightenRun(tightening: RunTightening, done: (error: Error | null) => void): void;
  /** Journals `run_ended`, as `tightenRun` does. Of a run's ends the one that happened first counts, in the store too. */
  endRun(end: RunEnd, done: (error: Error | null) => void): void;
  /** Commits what is queued, seals the current segment and closes it. */
  end(): Promise<void>;
  /** For `/metrics`: counters since start. */
  readonly counters: JournalCounters;
}

/** A call that is opened and not closed. */
export interface OpenCall {
  readonly id: RequestId;
  readonly organization: OrganizationId;
}

/** What is under way, for whoever looks every few seconds. */
export interface OpenCalls {
  /** In no order. */
  openCalls(): Iterable<OpenCall>;
}

/** Whether the journal can be written, as far as it was tried. */
export interface JournalCondition {
  /** Why the last commit failed; null once one has succeeded since. */
  readonly fault: Error | null;
  /** Tries to commit where the last commit failed, so that a node that is sent no calls learns that it can serve again. Changes no row. */
  probe(): void;
}

export interface JournalCounters {
  readonly opened: number;
  readonly closed: number;
  readonly commits: number;
  readonly commitFailures: number;
  /** Closed rows that wait in memory because the journal cannot be written. */
  readonly waiting: number;
}
