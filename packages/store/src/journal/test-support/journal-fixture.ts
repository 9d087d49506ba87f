/** A journal under test control: its own directory, a hand-moved clock, commits and timers that run when the test lets them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { listSegments } from '../segment-files.ts';
import { createSegmentSupply } from '../segment-supply.ts';
import type { JournalSync } from '../segment.ts';
import type { SegmentWriter } from '../segment-writer.ts';
import { createJournal } from '../writer.ts';
import { segmentRows } from './segment-rows.ts';

export { segmentRows } from './segment-rows.ts';

/** A new directory, gone when the test ends. A segment that is being made ahead may come into it meanwhile: then it is removed once more. */
export function testDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-journal-'));
  test.after(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 }));
  return directory;
}

/** Every file of the journal but the segment that is made ahead of need, which holds nothing. */
export function filesOfUsedSegments(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.includes('.new'));
}

export function journalFixture(test: TestContext, options: {
  readonly rowsPerSegment?: number; readonly bytesPerSegment?: number; readonly sync?: JournalSync; readonly directory?: string;
} = {}) {
  const directory = options.directory ?? testDirectory(test);
  const { sync = 'normal' } = options;
  const commits: (() => void)[] = [];
  const timers: { atMs: number; task: () => void }[] = [];
  const writers: SegmentWriter[] = [];
  const supply = createSegmentSupply({ directory, sync, randomBytes });
  let nowMs = 1000;
  const journal = createJournal({
    directory, sync, randomBytes, clock: () => nowMs, ...options,
    scheduleCommit: (commit) => void commits.push(commit),
    after: (delayMs, task) => void timers.push({ atMs: nowMs + delayMs, task }),
    segments: {
      ...supply,
      next: () => {
        const writer = supply.next();
        writers.push(writer);
        return writer;
      },
    },
  });
  return {
    directory, journal, writers,
    /** Ends the event-loop turn: runs the requested commits. Returns how many there were. */
    endTurn(): number {
      const due = commits.splice(0);
      due.forEach((commit) => commit());
      return due.length;
    },
    /** Moves the clock, running each timer at its moment. */
    advance(byMs: number): void {
      const untilMs = nowMs + byMs;
      for (;;) {
        const next = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        timers.splice(timers.indexOf(next), 1);
        nowMs = next.atMs;
        next.task();
      }
      nowMs = untilMs;
    },
    /** The process dies: its files are closed, its lock is free, and it reported nothing. */
    die(): void {
      writers.forEach((writer) => writer.close());
      supply.end();
    },
    /** Rows of all segments, as another descriptor sees them now: kind and call id, in order. */
    rows: (): string[] => listSegments(directory).flatMap((path) => segmentRows(path).rows),
  };
}
