/** A journal under test control: its own directory, a hand-moved clock, commits and timers that run when told. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { listSegments } from '../segment-files.ts';
import { createSegmentSupply } from '../segment-supply.ts';
import type { JournalSync } from '../segment.ts';
import type { SegmentWriter } from '../segment-writer.ts';
import { createJournal } from '../writer.ts';

/** A new directory, gone when the test ends. */
export function testDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-journal-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Every file of the journal but the segment that is made ahead of need, which holds nothing. */
export function filesOfUsedSegments(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.includes('.new'));
}

export function journalFixture(test: TestContext, options: { readonly rowsPerSegment?: number; readonly sync?: JournalSync } = {}) {
  const directory = testDirectory(test);
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
    /** Ends the event-loop turn: runs the commit that was asked for. Says how many were. */
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
    /** Rows of all segments, as another connection sees them now: kind and call id, in order. */
    rows: (): string[] => listSegments(directory).flatMap((path) => segmentRows(path).rows),
  };
}

/** What another connection sees of one segment. */
export function segmentRows(path: string): { readonly rows: string[]; readonly sealed: boolean } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT kind || ':' || ltrim(substr(body ->> 1, 5), '0') AS row FROM entry ORDER BY seq").all();
    const sealed = database.prepare('SELECT sealed FROM segment').get()?.['sealed'] === 1;
    return { rows: rows.map((row) => String(row['row'])), sealed };
  } finally {
    database.close();
  }
}
