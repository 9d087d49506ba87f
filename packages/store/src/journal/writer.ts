/**
 * Openings and records → committed rows, one frame and one write for all that one event-loop turn produced (rules: Journal).
 * Rule: `open` succeeds only after its row is committed; a closed call is never forgotten while the process lives.
 * When commits fail, openings fail at once, so nothing is forwarded. Closings wait in memory and are retried every 100 ms; after 2 s the
 * answer goes out anyway. When commits succeed again, everything recovers by itself. The shipper, on another thread, moves rows to the store.
 */
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import type { OrganizationId, RequestId } from '@metergate/core/id.ts';
import { JournalFault } from './journal-fault.ts';
import type { Journal, JournalCondition, JournalCounters, OpenCall, OpenCalls } from './journal.ts';
import { OpenSegments } from './open-segments.ts';
import { endToText, openingOfRunToText, openingToText, recordToText, rowKind, tighteningToText, type RowKind } from './row.ts';
import type { RunBeginning, RunEnd, RunTightening } from './run-event.ts';
import { ensureJournalDirectory } from './segment-files.ts';
import type { JournalSync } from './segment-form.ts';
import { createSegmentSupply, type SegmentSupply } from './segment-supply.ts';
import type { SegmentWriter } from './segment-writer.ts';

interface JournalOptions {
  /** Made where it does not exist. */
  readonly directory: string;
  readonly sync: JournalSync;
  readonly randomBytes: (n: number) => Uint8Array;
  /** Milliseconds on a clock that never steps back. */
  readonly clock: () => number;
  /** Runs `commit` when the turn is over; `setImmediate` by default. */
  readonly scheduleCommit?: (commit: () => void) => void;
  /** Runs `task` once, after `delayMs`; a timer that keeps no process alive by default. */
  readonly after?: (delayMs: number, task: () => void) => void;
  /** A segment takes no new calls once it has this many rows; 50,000 by default. */
  readonly rowsPerSegment?: number;
  /** Or this many bytes; 32 MiB by default. */
  readonly bytesPerSegment?: number;
  /** Where segments come from; by default new files in `directory`. */
  readonly segments?: SegmentSupply;
}

/** How often closings that wait are tried again, and after how long their answer goes out all the same. Milliseconds. */
const retryMs = 100;
const releaseMs = 2000;
/** Most rows of one retry, so that a long outage does not end in a long stall. */
const retryRowsMax = 500;
interface Row {
  readonly kind: RowKind;
  /** The call's id; null for a row about a run. */
  readonly id: RequestId | null;
  /** Whose call it is; null for a row about a run. */
  readonly organization: OrganizationId | null;
  readonly body: string;
  readonly done: (error: Error | null) => void;
  segment: SegmentWriter | null;
  error: Error | null;
  failedAtMs: number;
  released: boolean;
}

/** @throws JournalFault `journal_unwritable`: the first segment is made at once. */
export function createJournal(options: JournalOptions): Journal & JournalCondition & OpenCalls {
  ensureJournalDirectory(options.directory);
  return new SegmentedJournal(options);
}

class SegmentedJournal implements Journal, JournalCondition, OpenCalls {
  readonly counters: { -readonly [Name in keyof JournalCounters]: JournalCounters[Name] } = {
    opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0,
  };
  readonly #clock: () => number;
  readonly #scheduleCommit: (commit: () => void) => void;
  readonly #after: (delayMs: number, task: () => void) => void;
  readonly #segments: OpenSegments;
  readonly #commitTurn = (): void => this.#commitQueue();

  fault: Error | null = null;
  #queue: Row[] = [];
  #spare: Row[] = [];
  #scheduled = false;
  #tending = false;
  #ended = false;
  /** Closings whose commit failed. */
  #waiting: Row[] = [];

  constructor(options: JournalOptions) {
    this.#clock = options.clock;
    this.#scheduleCommit = options.scheduleCommit ?? setImmediate;
    this.#after = options.after ?? ((delayMs, task) => void setTimeout(task, delayMs).unref());
    this.#segments = new OpenSegments(options.segments ?? createSegmentSupply(options), {
      rows: options.rowsPerSegment ?? 50_000, bytes: options.bytesPerSegment ?? 32 * 1_048_576,
    });
  }

  open(opening: CallOpening, done: (error: Error | null) => void, beginning: RunBeginning | null = null): void {
    if (beginning === null) this.#enqueue(rowKind.opened, opening, openingToText(opening), done);
    else this.#enqueue(rowKind.openedRun, opening, openingOfRunToText(opening, beginning), done);
  }

  openCalls(): Iterable<OpenCall> {
    return this.#segments.openCalls();
  }

  close(record: CallRecord, done: () => void): void {
    this.#enqueue(rowKind.closed, record, recordToText(record), done);
  }

  settle(record: CallRecord, done: (error: Error | null) => void): void {
    this.#enqueue(rowKind.settled, null, recordToText(record), done);
  }

  tightenRun(tightening: RunTightening, done: (error: Error | null) => void): void {
    this.#enqueue(rowKind.runTightened, null, tighteningToText(tightening), done);
  }

  endRun(end: RunEnd, done: (error: Error | null) => void): void {
    this.#enqueue(rowKind.runEnded, null, endToText(end), done);
  }

  async end(): Promise<void> {
    while (this.#queue.length > 0) this.#commitQueue();
    this.#ended = true;
    const startedMs = this.#clock();
    while (this.#waiting.length > 0 && this.#clock() - startedMs < releaseMs) {
      this.#retryWaiting();
      if (this.#waiting.length > 0) await new Promise<void>((resume) => setTimeout(resume, retryMs));
    }
    this.#segments.end();
    const lost = this.#waiting.length;
    this.#waiting = [];
    if (lost > 0) {
      throw new JournalFault('journal_ended', lost === 1
        ? 'One call ended and could not be written to the journal; it will be recorded as interrupted.'
        : `${lost} calls ended and could not be written to the journal; they will be recorded as interrupted.`);
    }
  }

  #enqueue(kind: RowKind, call: OpenCall | null, body: string, done: (error: Error | null) => void): void {
    const id = call === null ? null : call.id;
    const organization = call === null ? null : call.organization;
    this.#queue.push({ kind, id, organization, body, done, segment: null, error: null, failedAtMs: 0, released: false });
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#scheduleCommit(this.#commitTurn);
  }

  #commitQueue(): void {
    this.#scheduled = false;
    const batch = this.#queue;
    if (batch.length === 0) return;
    this.#queue = this.#spare;
    if (this.#ended) return this.#refuse(batch);
    const single = this.#place(batch);
    if (single !== null) this.#write(single, batch);
    else this.#writeEach(batch);
    this.#settle(batch);
    this.#turnSegments();
    for (const row of batch) if (row.failedAtMs === 0) call(row);
    batch.length = 0;
    this.#spare = batch;
  }

  /** Finds each row's segment. Returns it where all rows share one, or null. */
  #place(batch: readonly Row[]): SegmentWriter | null {
    let shared: SegmentWriter | null = null;
    let mixed = false;
    for (const row of batch) {
      row.segment = row.kind === rowKind.closed ? this.#segments.leave(row.id!) : this.#segmentForNew(row);
      if (row.segment === null) mixed = true;
      else if (shared === null) shared = row.segment;
      else if (shared !== row.segment) mixed = true;
    }
    return mixed ? null : shared;
  }

  /** The segment for an opening (its closing will go there too) or for a row about a run. */
  #segmentForNew(row: Row): SegmentWriter | null {
    try {
      return row.organization === null ? this.#segments.current() : this.#segments.settle(row.id!, row.organization);
    } catch (error) {
      this.#failed(error as Error);
      row.error = error as Error;
      return null;
    }
  }

  #writeEach(batch: readonly Row[]): void {
    for (const segment of new Set(batch.map((row) => row.segment))) {
      if (segment !== null) this.#write(segment, batch.filter((row) => row.segment === segment));
    }
  }

  /** One frame; on failure nothing of it stays and each row holds the error. */
  #write(segment: SegmentWriter, rows: readonly Row[]): boolean {
    try {
      segment.append(rows);
      segment.rows += rows.length;
      this.counters.commits += 1;
      this.fault = null;
      return true;
    } catch (error) {
      this.#failed(error as Error);
      for (const row of rows) row.error = error as Error;
      this.#segments.failed(segment, error);
      return false;
    }
  }

  probe(): void {
    if (this.fault === null || this.#ended) return;
    try {
      this.#segments.current().probe();
      this.fault = null;
    } catch (error) {
      this.fault = error as Error;
    }
  }

  #failed(error: Error): void {
    this.counters.commitFailures += 1;
    this.fault = error;
  }

  /** Counts what was written, and moves closings that were not written to the waiting ones. */
  #settle(batch: readonly Row[]): void {
    let neverOpened = null as Set<RequestId> | null;
    for (const row of batch) {
      if (row.kind === rowKind.opened || row.kind === rowKind.openedRun) {
        if (row.error === null) {
          row.segment!.openCalls += 1;
          this.counters.opened += 1;
        } else {
          this.#segments.leave(row.id!);
          (neverOpened ??= new Set()).add(row.id!);
        }
      } else if (row.kind === rowKind.closed && row.segment !== null) {
        if (row.error === null) this.#countClosed(row);
        else if (neverOpened?.has(row.id!) !== true) this.#keepWaiting(row);
      }
    }
  }

  #countClosed(row: Row): void {
    row.segment!.openCalls -= 1;
    this.counters.closed += 1;
  }

  #keepWaiting(row: Row): void {
    row.failedAtMs = this.#clock() || 1;
    this.#waiting.push(row);
    this.counters.waiting = this.#waiting.length;
    this.#tendLater();
  }

  #tendLater(): void {
    if (this.#tending) return;
    this.#tending = true;
    this.#after(retryMs, () => {
      this.#tending = false;
      if (this.#ended) return;
      this.#retryWaiting();
      this.#turnSegments();
      if (this.#waiting.length > 0 || this.#segments.unfinished) this.#tendLater();
    });
  }

  #retryWaiting(): void {
    if (this.#waiting.length === 0) return;
    const rows = this.#waiting.splice(0, retryRowsMax);
    for (const row of rows) row.error = null;
    this.#writeEach(rows);
    // To the end of the line: a segment whose file is broken must not keep the others waiting.
    for (const row of rows) if (row.error !== null) this.#waiting.push(row);
    this.counters.waiting = this.#waiting.length;
    for (const row of rows) {
      if (row.error !== null) continue;
      this.#countClosed(row);
      if (!row.released) call(row);
    }
    this.#releaseLate();
  }

  #releaseLate(): void {
    const now = this.#clock();
    for (const row of this.#waiting) {
      if (row.released || now - row.failedAtMs < releaseMs) continue;
      row.released = true;
      call(row);
    }
  }

  #turnSegments(): void {
    this.counters.commitFailures += this.#segments.turn();
    if (this.#segments.unfinished) this.#tendLater();
  }

  #refuse(batch: readonly Row[]): void {
    for (const row of batch) {
      row.error = new JournalFault('journal_ended', 'The journal has ended: nothing more can be recorded.');
      call(row);
    }
  }
}

/** Runs a row's callback. What it throws is its own fault: it reaches the process, not the other rows. */
function call(row: Row): void {
  try {
    row.done(row.kind === rowKind.closed ? null : row.error);
  } catch (error) {
    queueMicrotask(() => { throw error; });
  }
}
