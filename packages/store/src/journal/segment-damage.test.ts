/**
 * A segment with bytes that were flipped, cut off or written over, at every place of every part: recovery finds it or cuts it, and never reads a
 * row that was not written, never loses a whole frame before the damage.
 */
import assert from 'node:assert/strict';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { DeadSegment } from './dead-segment.ts';
import { JournalFault } from './journal-fault.ts';
import { SegmentReader } from './segment-reader.ts';
import { journalFixture } from './test-support/journal-fixture.ts';
import { segmentContent, type SegmentContent } from './test-support/segment-rows.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';
import type { JournalSync } from './segment-form.ts';

/** A dead segment of six turns of one to three rows, each some hundred bytes. */
function deadSegment(t: TestContext, sync: JournalSync = 'normal'): { path: string; bytes: Buffer; whole: SegmentContent } {
  const { journal, endTurn, writers, die } = journalFixture(t, { sync });
  for (let turn = 1; turn <= 6; turn += 1) {
    journal.open(sampleOpening(turn), assert.ifError);
    if (turn > 1) journal.close(sampleRecord(sampleOpening(turn - 1), turn), () => {});
    if (turn > 3) journal.endRun({ organization: sampleOpening(1).organization, run: `r${turn}`, state: 'closed', atMs: turn }, assert.ifError);
    endTurn();
  }
  die();
  const { path } = writers[0]!;
  return { path, bytes: readFileSync(path), whole: segmentContent(path) };
}

/** How many frames recovery keeps of the file; null: it says that it cannot read it. What it keeps is what was written. */
function keptFrames({ path, whole }: ReturnType<typeof deadSegment>, harmed: Buffer): number | null {
  write(path, harmed);
  try {
    const dead = new DeadSegment(path);
    try {
      const { rows, frames } = segmentContent(path);
      assert.deepEqual(rows, whole.rows.slice(0, rows.length));
      assert.equal(dead.lastSeq, rows.length);
      assert.deepEqual(frames, whole.frames.slice(0, frames.length));
      return frames.length - 1;
    } finally {
      dead.close();
    }
  } catch (error) {
    assert.ok(error instanceof JournalFault && error.code === 'journal_unreadable' && error.message.includes(path), String(error));
    return null;
  }
}

/** Changes a file in place, which is faster than making it anew. */
function write(path: string, bytes: Buffer): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  if (fstatSync(descriptor).size > bytes.length) ftruncateSync(descriptor, bytes.length);
  closeSync(descriptor);
}

const frameOf = (frames: readonly number[], at: number): number => frames.findIndex((from, index) => at >= from && at < frames[index + 1]!);

test('a flipped bit: in the head or before the last frame it is found, in the last frame that frame is cut', (t) => {
  const segment = deadSegment(t);
  const { bytes, whole: { frames } } = segment;
  const last = frames.length - 2;
  for (let at = 0; at < bytes.length; at += 1) {
    // Every bit of a frame's head, one of each other byte.
    const head = frames.some((from) => at >= from && at < from + 32);
    for (const bit of head ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
      const harmed = Buffer.from(bytes);
      harmed[at]! ^= 1 << bit;
      const kept = keptFrames(segment, harmed);
      const frame = frameOf(frames, at);
      if (frame === last) assert.equal(kept, last, `byte ${at}`);
      else if (frame !== -1) assert.equal(kept, null, `byte ${at}`);
      // What the head does not use may hold anything.
      else assert.ok(kept === null || (kept === frames.length - 1 && at >= 12), `byte ${at}`);
    }
  }
});

test('a file that is cut at any byte keeps each frame that is whole', (t) => {
  const segment = deadSegment(t);
  const { bytes, whole: { frames } } = segment;
  for (let length = 0; length <= bytes.length; length += 1) {
    const wanted = length < frames[0]! ? null : frames.filter((at) => at <= length).length - 1;
    assert.equal(keptFrames(segment, Buffer.from(bytes.subarray(0, length))), wanted, `cut at ${length}`);
  }
});

test('whichever block a power failure took under `normal`, the segment ends before it', (t) => {
  const segment = deadSegment(t);
  const { bytes, whole: { frames } } = segment;
  for (const block of [512, 1024, 4096]) {
    for (let from = block; from < bytes.length; from += block) {
      const harmed = Buffer.from(bytes).fill(0, from, Math.min(from + block, bytes.length));
      assert.equal(keptFrames(segment, harmed), frames.filter((at) => at <= from).length - 1, `${block} bytes at ${from}`);
    }
  }
});

test('bytes that are missing, twice there, or of another segment are found, or are the end', (t) => {
  const segment = deadSegment(t);
  const other = deadSegment(t);
  const { bytes, whole: { frames } } = segment;
  const last = frames.length - 2;
  for (let at = frames[0]!; at < bytes.length; at += 7) {
    const frame = frameOf(frames, at);
    for (const length of [1, 24, 700]) {
      const without = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
      const twice = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
      for (const harmed of [without, twice]) {
        const kept = keptFrames(segment, harmed);
        assert.ok(kept === null || kept === frame || (kept > frame && harmed === twice), `${length} bytes at ${at}: ${kept} of ${frame}`);
      }
    }
    const strange = Buffer.concat([bytes.subarray(0, frames[frame]), other.bytes.subarray(other.whole.frames[frame]!)]);
    assert.equal(keptFrames(segment, strange), frame);
    if (frame === last) break;
  }
});

test('random harm to random places: never a row that was not written, never a frame lost before it', (t) => {
  const segment = deadSegment(t);
  const { bytes, whole: { frames } } = segment;
  let state = 0x5eed;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * bound);
  };
  for (let round = 0; round < 6_000; round += 1) {
    const harmed = Buffer.from(bytes);
    const from = frames[0]! + below(bytes.length - frames[0]!);
    const length = 1 + below(400);
    for (let at = from; at < Math.min(from + length, harmed.length); at += 1) harmed[at] = below(4) === 0 ? 0 : below(256);
    const kept = keptFrames(segment, harmed);
    if (kept !== null) assert.ok(kept >= frameOf(frames, from), `round ${round}`);
  }
});

test('under `full` no frame that was acknowledged is ever cut', (t) => {
  const segment = deadSegment(t, 'full');
  const { bytes, whole: { frames } } = segment;
  for (let at = frames[0]!; at < bytes.length; at += 3) {
    const harmed = Buffer.from(bytes);
    harmed[at]! ^= 0x20;
    assert.equal(keptFrames(segment, harmed), null, `byte ${at}`);
    assert.equal(keptFrames(segment, Buffer.from(bytes.subarray(0, at))), null, `cut at ${at}`);
  }
});

test('from any mark and with any limit, a reader gives each row once, in order', (t) => {
  const { path, whole } = deadSegment(t);
  const due = whole.rows.filter(({ kind }) => kind !== 0).map(({ seq }) => seq);
  for (let limit = 1; limit <= 12; limit += 1) {
    for (let mark = 0; mark <= whole.rows.length + 2; mark += 1) {
      const reader = new SegmentReader(path);
      const given: number[] = [];
      for (let after = mark; ;) {
        const rows = reader.dueAfter(after, limit);
        given.push(...[...rows.records, ...rows.runEvents].map(({ seq }) => seq).sort((a, b) => a - b));
        assert.equal(rows.count <= limit, true);
        // The same again, as after a failure.
        assert.deepEqual(reader.dueAfter(after, limit), rows);
        if (rows.count < limit) break;
        after = rows.through;
      }
      assert.deepEqual(given, due.filter((seq) => seq > mark), `after ${mark}, ${limit} at once`);
      reader.close();
    }
  }
});
