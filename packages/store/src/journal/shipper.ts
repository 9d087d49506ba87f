/**
 * Ships closed rows of all segments, and events of runs, to the store in batches, and removes complete segments.
 * Rule (rules: Journal): a batch and the segment's mark are one transaction of the store, and the mark is read again after any failure, so
 * that a batch sent twice changes nothing. A segment is removed only when it is sealed and the store holds all of it. While the store is
 * away, everything stays where it is, and the next pass continues from the mark.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { batchesByOrganization } from './by-organization.ts';
import { isElsewhere, JournalFault } from './journal-fault.ts';
import { recoverSegments, takeOver, type Recovery } from './recovery.ts';
import { elsewhere } from './segment.ts';
import type { JournalPart } from './journal-parts.ts';
import { ShipProgress } from './ship-progress.ts';
import { clearLocks, listSegments, removeSegment } from './segment-files.ts';
import { SegmentReader, type DueRows } from './segment-reader.ts';
import { isOldSegment } from './sqlite-form/old-files.ts';
import type { CallSink } from './call-sink.ts';

interface ShipperOptions {
  readonly directory: string;
  readonly calls: CallSink;
  /**
   * Milliseconds that this thread has worked: sizes the batches. Time in which it waits, for a lock or for a processor, is free for questions, and
   * smaller batches would only make it wait more often.
   */
  readonly clock: () => number;
  /** The store is another process, perhaps far away: a batch waits for it without holding this thread. */
  readonly distant?: boolean;
  /** A whole number, for each node another one: where it begins among organizations; 0 by default. */
  readonly place?: number;
  /** Takes one sentence for the operator. */
  readonly warn?: (sentence: string) => void;
  /** The store took a batch. */
  readonly taken?: () => void;
  /** Called with how far passes have come. */
  readonly progress?: ShipProgress;
  /** Which rows are this shipper's, where several share the journal; all by default. */
  readonly part?: JournalPart;
  /** What recovery asks; `calls` by default. */
  readonly known?: Pick<CallSink, 'mark' | 'recorded'>;
}

export interface Shipper {
  /**
   * At boot, before the node is ready: recovers and ships what dead processes left. Segments with a live writer are left
   * to `pass`, which says so of those of another process, and takes them over once it has gone.
   * @throws JournalFault for a file that cannot be read; the store's fault where it is away.
   */
  recover(): Promise<Recovery>;
  /** Ships everything that is due now; returns how many rows. Never runs twice at once: a second caller gets the same pass. */
  pass(): Promise<number>;
  /** Closes the segments. */
  close(): void;
}

/** Rows of one batch, and how long a batch should be worked on so that the thread stays free for questions. */
const batchRows = { min: 25, first: 400, max: 800, step: 50 } as const;
const sliceMs = 15;
/**
 * Of a distant store: what is due costs its round trips, whatever its size, and its time is not this thread's. The more rows are shipped at once,
 * the fewer rows of sums each of them touches. After a failure they are halved, for a batch that is too large for what a statement may take would
 * fail for ever.
 */
const distantRows = { first: 2_000, max: 4_000 } as const;

/**
 * A distant store may be put back to an earlier moment while this process runs. The next batch finds that out; where no row comes for so long, the
 * store is asked.
 */
const confirmMs = 20_000;

/** One open segment, and how much of it the store has. Null: the store must be asked. */
interface Tracked {
  readonly reader: SegmentReader;
  mark: number | null;
  /** When the store last took a batch of it, or was asked, as `ShipProgress` counts. */
  confirmedMs: number;
}

export function createShipper(options: ShipperOptions): Shipper {
  return new SegmentShipper(options);
}

class SegmentShipper implements Shipper {
  readonly #options: ShipperOptions;
  readonly #tracked = new Map<string, Tracked>();
  /** Segments that another process had when they were last looked at: what it left open in them is for this one to close. */
  readonly #elsewhere = new Set<string>();
  readonly #warn: (sentence: string) => void;
  readonly #progress: ShipProgress;
  #passing: Promise<number> | null = null;
  /** Segments that somebody else removed while they were in use. */
  readonly #lost = new Set<string>();
  /** Segments of which all rows of this part are shipped, and which others still need. */
  readonly #finished = new Set<string>();
  /** Segments removed so far. */
  #removed = 0;
  /** What kept a batch of this pass from the store; null: nothing. The rest of the pass asks it for nothing. */
  #away: Error | null = null;
  #batchRows: number;
  /** Where the next batches begin among organizations: of two nodes hardly ever at the same. */
  #place: number;

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#warn = options.warn ?? (() => {});
    this.#progress = options.progress ?? new ShipProgress(options.clock);
    this.#place = options.place ?? 0;
    this.#batchRows = options.distant === true ? distantRows.first : batchRows.first;
  }

  async recover(): Promise<Recovery> {
    const { directory } = this.#options;
    const recovery = await this.#recovered();
    for (const path of recovery.elsewhere) this.#elsewhere.add(path);
    for (const path of recovery.dead) await this.#shipSegment(path);
    clearLocks(directory);
    return recovery;
  }

  /** Recovery writes to what it closes. Where the disk has no room for that, what is shipped and removed first makes some. */
  async #recovered(): Promise<Recovery> {
    const { directory, calls, known = calls } = this.#options;
    for (;;) {
      try {
        return await recoverSegments(directory, known, this.#warn);
      } catch (error) {
        if (!(error instanceof JournalFault) || error.code !== 'journal_unwritable' || !await this.#makesRoom()) throw error;
      }
    }
  }

  /** Ships what there is without recovery. False: no file could be removed. */
  async #makesRoom(): Promise<boolean> {
    const removedBefore = this.#removed;
    for (const path of listSegments(this.#options.directory)) {
      try {
        if (!isOldSegment(path)) await this.#shipSegment(path);
      } catch (error) {
        if (!(error instanceof JournalFault)) throw error;
      }
    }
    return this.#removed > removedBefore;
  }

  pass(): Promise<number> {
    this.#passing ??= this.#shipAll().finally(() => { this.#passing = null; });
    return this.#passing;
  }

  close(): void {
    for (const { reader } of this.#tracked.values()) reader.close();
    this.#tracked.clear();
  }

  /** One broken segment does not keep the others from being shipped; the first fault is thrown when all had their turn. */
  async #shipAll(): Promise<number> {
    const removedBefore = this.#removed;
    let shipped = 0;
    let fault: unknown = null;
    this.#away = null;
    for (const path of this.#progress.look(() => this.#present())) {
      if (this.#finished.has(path)) {
        this.#progress.shipped(path, this.#progress.nowMs());
        continue;
      }
      try {
        shipped += await this.#shipSegment(path);
      } catch (error) {
        // A cell that is away holds back segments with its own rows alone.
        if (!(error instanceof JournalFault) && !this.#hasPart()) throw error;
        if (!(error instanceof JournalFault)) this.#away = error as Error;
        fault ??= error;
      }
    }
    if (fault !== null) throw fault;
    if (this.#removed > removedBefore) clearLocks(this.#options.directory);
    return shipped;
  }

  /** All that lies there, and what is open here and lies there no more: the writer still writes to it, and it is shipped to its end. */
  #present(): ReadonlySet<string> {
    const present = new Set(listSegments(this.#options.directory));
    for (const path of this.#finished) if (!present.has(path)) this.#finished.delete(path);
    for (const path of this.#tracked.keys()) {
      if (present.has(path)) continue;
      present.add(path);
      if (this.#lost.has(path)) continue;
      this.#lost.add(path);
      this.#warn(`The journal segment ${path} was removed by something else while it is in use. What is written to it is still shipped, but if this `
        + 'process is killed, calls that are open have no record. Let nothing but Metergate remove files of the journal.');
    }
    return present;
  }

  /** What was there when the pass came to it. What is added meanwhile waits for the next one: it would go in ever smaller batches. */
  async #shipSegment(found: string): Promise<number> {
    const path = this.#elsewhere.has(found) || isOldSegment(found) ? await this.#takeOver(found) : found;
    return this.#shipRows(path, (atMs) => this.#progress.shipped(found, atMs));
  }

  /** What another process had when it was last looked at. @throws JournalFault `journal_elsewhere` where it still has it. */
  async #takeOver(found: string): Promise<string> {
    const taken = await takeOver(found, this.#options.known ?? this.#options.calls, this.#warn);
    if (taken === null) throw elsewhere(found);
    this.#elsewhere.delete(found);
    return taken.path;
  }

  /** `through`: called with the moment up to which all that was due is shipped. */
  async #shipRows(path: string, through: (atMs: number) => void): Promise<number> {
    const tracked = this.#track(path);
    const { reader } = tracked;
    let shipped = 0;
    for (;;) {
      const limit = this.#batchRows;
      const startedMs = this.#options.clock();
      const known = tracked.mark !== null;
      const foreign = tracked.mark === null ? this.#foreignRows(reader) : null;
      if (foreign === null) tracked.mark ??= await this.#askedMark(reader.name);
      const lookedMs = this.#progress.nowMs();
      const rows = foreign ?? reader.dueAfter(tracked.mark!, limit);
      if (rows.count > 0) {
        if (this.#away !== null) throw this.#away;
        await this.#ship(tracked, tracked.mark!, rows);
        this.#resize(rows.count, this.#options.clock() - startedMs);
        shipped += rows.count;
      }
      if (rows.count === 0 && known && !await this.#isConfirmed(tracked)) {
        // Nothing is known of any segment any more.
        this.#finished.clear();
        this.#warn(`The store no longer holds all that it took of the journal segment ${reader.name}: it was restored to an earlier moment. What `
          + 'came since is shipped again, as far as the journal still has it.');
        continue;
      }
      if (rows.count < limit) {
        // If nothing was sent, nothing has shown that the store still holds what was sent before.
        if (!rows.sealed || rows.count > 0 || !known || await this.#isHeld(tracked, tracked.mark!)) {
          through(lookedMs);
          if (rows.sealed) this.#remove(path, tracked);
          return shipped;
        }
      }
      await turn();
    }
  }

  /** Of a segment of which no row is this part's so far: the store need not be asked about it. Null: it has some. */
  #foreignRows(reader: SegmentReader): DueRows | null {
    if (!this.#hasPart()) return null;
    const rows = reader.dueAfter(0, 1);
    return rows.count === 0 ? rows : null;
  }

  /** Whether other shippers take some of the rows. */
  #hasPart(): boolean {
    return (this.#options.part?.takes() ?? null) !== null;
  }

  async #askedMark(segment: string): Promise<number> {
    if (this.#away !== null) throw this.#away;
    return this.#options.calls.mark(segment);
  }

  /** False: a distant store that was not heard of for a while does not hold the segment any more. Its being away is no news of that. */
  async #isConfirmed(tracked: Tracked): Promise<boolean> {
    const nowMs = this.#progress.nowMs();
    if (this.#options.distant !== true || this.#away !== null) return true;
    if (tracked.mark === null || tracked.mark === 0 || nowMs - tracked.confirmedMs < confirmMs) return true;
    tracked.confirmedMs = nowMs;
    return this.#isHeld(tracked, tracked.mark).catch(() => true);
  }

  /** Says whether the store holds the segment up to `mark`. It may have been put back to an earlier moment: then it is asked again. */
  async #isHeld(tracked: Tracked, mark: number): Promise<boolean> {
    const held = await this.#options.calls.mark(tracked.reader.name) >= mark;
    if (!held) tracked.mark = null;
    return held;
  }

  async #ship(tracked: Tracked, after: number, due: DueRows): Promise<void> {
    const { through, records, runEvents } = due;
    const segment = tracked.reader.name;
    const batches = this.#options.distant === true ? batchesByOrganization({ segment, after, place: this.#place }, due)
      : [{ segment, after, through, records, runEvents }];
    this.#place += 1;
    try {
      for (const batch of batches) await this.#options.calls.ship(batch);
    } catch (error) {
      // The store may have kept it all the same, or have been put back: only its own mark can say.
      tracked.mark = null;
      this.#batchRows = Math.max(batchRows.min, this.#batchRows >> 1);
      throw error;
    }
    tracked.mark = through;
    tracked.confirmedMs = this.#progress.nowMs();
    this.#options.taken?.();
  }

  #track(path: string): Tracked {
    const known = this.#tracked.get(path);
    if (known !== undefined) return known;
    try {
      const tracked = { reader: new SegmentReader(path, this.#options.part?.takes), mark: null, confirmedMs: this.#progress.nowMs() };
      this.#tracked.set(path, tracked);
      return tracked;
    } catch (error) {
      if (isElsewhere(error)) this.#elsewhere.add(path);
      throw error;
    }
  }

  #remove(path: string, tracked: Tracked): void {
    // Where it cannot be removed, its reader is there for the next pass.
    if (this.#options.part?.finish(path) ?? true) {
      removeSegment(path);
      this.#removed += 1;
    } else this.#finished.add(path);
    this.#tracked.delete(path);
    this.#lost.delete(path);
    tracked.reader.close();
  }

  #resize(rows: number, tookMs: number): void {
    const { distant = false } = this.#options;
    if (!distant && tookMs > sliceMs) this.#batchRows = Math.max(batchRows.min, Math.floor(rows / 2));
    else if (rows === this.#batchRows) {
      const step = distant ? Math.max(batchRows.step, rows >> 3) : batchRows.step;
      this.#batchRows = Math.min(distant ? distantRows.max : batchRows.max, rows + step);
    }
  }
}
