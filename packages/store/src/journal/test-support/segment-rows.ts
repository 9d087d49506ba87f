/** The rows of a segment's file, and files with other content: for tests that read segments, and that damage them. */
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { FrameWalk } from '../frame-walk.ts';
import { rowIdOf, type RowKind } from '../row.ts';
import { openSegment } from '../segment.ts';
import { eachRow, FrameBuffer, headBytes, type WrittenRow } from '../segment-form.ts';

export interface SegmentContent {
  readonly rows: readonly (WrittenRow & { readonly seq: number })[];
  readonly sealed: boolean;
  /** Where each frame begins, and where the last one ends. */
  readonly frames: readonly number[];
}

/** What another descriptor sees of one segment: whole frames only. */
export function segmentContent(path: string): SegmentContent {
  const { descriptor, head } = openSegment(path, 'r');
  try {
    const rows: (WrittenRow & { seq: number })[] = [];
    const walk = new FrameWalk(descriptor, head);
    const frames = [walk.place.offset];
    let sealed = false;
    for (let frame = walk.next(); frame !== null; frame = walk.next()) {
      const { bytes } = frame;
      eachRow(frame, (seq, kind, from, to) => rows.push({ seq, kind: kind as RowKind, body: bytes.toString('utf8', from, to) }) > 0);
      sealed = frame.sealed;
      frames.push(walk.place.offset);
    }
    return { rows, sealed, frames };
  } finally {
    closeSync(descriptor);
  }
}

/** Kind and call id of each row, in order. */
export function segmentRows(path: string): { readonly rows: string[]; readonly sealed: boolean } {
  const { rows, sealed } = segmentContent(path);
  return { rows: rows.map(({ kind, body }) => `${kind}:${rowIdOf(body).slice(4).replace(/^0+/, '')}`), sealed };
}

/** Writes the segment's rows again as `change` has them, one frame each, not sealed. */
export function rewriteSegment(path: string, change: (rows: readonly WrittenRow[]) => readonly WrittenRow[]): void {
  const frames = new FrameBuffer();
  const { head } = headIn(path);
  const pieces = [readFileSync(path).subarray(0, headBytes)];
  for (const [at, row] of change(segmentContent(path).rows).entries()) {
    const length = frames.write({ rows: [row], firstSeq: at + 1, seed: head.seed });
    pieces.push(Buffer.from(frames.bytes.subarray(0, length)));
  }
  writeFileSync(path, Buffer.concat(pieces));
}

function headIn(path: string) {
  const made = openSegment(path, 'r');
  closeSync(made.descriptor);
  return made;
}

/** Changes bytes of a file in place. */
export function overwrite(path: string, at: number, ...bytes: number[]): void {
  const content = readFileSync(path);
  Buffer.from(bytes).copy(content, at);
  const descriptor = openSync(path, 'r+');
  try {
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/** How long a segment's file is. */
export const sizeOf = (path: string): number => statSync(path).size;
