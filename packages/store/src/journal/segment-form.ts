/**
 * The form of a segment file: a head of 512 bytes, then frames. One frame holds all rows of one event-loop turn, so a turn stands whole or
 * not at all. Numbers are little-endian.
 *
 * Head: `mgjrnl\r\n`, form (u16), length of the text (u16), text (JSON: segment, owner, sync), CRC32 of all before it. At byte 496 how far the
 * file is synced (u48, and its complement at 504), kept under `full` alone.
 * Frame: ff 4d 67 ff, CRC32 of all that follows, length of the rows (u32), number of the first row (u48), flags (u16), rows (u32); then each
 * row: kind (u8), length (u32), JSON in UTF-8. The CRC of a frame continues that of the head, which names the segment: a frame of another
 * segment is none here. The byte ff does not occur in UTF-8, so no content looks like the beginning of a frame.
 */
import { crc32 } from 'node:zlib';
import type { RowKind } from './row.ts';

/** `normal` survives the death of the process; `full` also the loss of power (`SVC_JOURNAL_SYNC`). */
export type JournalSync = 'normal' | 'full';

/** A row to be written. */
export interface WrittenRow {
  readonly kind: RowKind;
  readonly body: string;
}

/** Where frames begin. Bytes. */
export const headBytes = 512;
/** A frame without rows. Bytes. */
export const emptyFrameBytes = 24;
export const frameMark: Buffer = Buffer.from([0xff, 0x4d, 0x67, 0xff]);
const frameMarkNumber: number = frameMark.readUInt32LE(0);

/** Where the head says how far the file is synced, and how many bytes that takes. */
export const syncedAt = 496;
export const syncedBytes = 16;

/** An owner's id is also the name of a file. */
const ownerId = /^own_[0-9A-Za-z]{20}$/;
const headMark = Buffer.from('mgjrnl\r\n', 'latin1');
/** The form before this one was a database of SQLite. */
const form = 2;
const textAt = 12;
const textBytesMax = syncedAt - textAt - 4;
const rowHeadBytes = 5;
/** Most rows have a few hundred bytes, and most turns a few rows. The memory of a larger turn is released. */
const usualFrameBytes = 256 * 1024;
const complement = 2 ** 48 - 1;

const sealedFlag = 1;
const gapFlag = 2;

/** What the head of a segment says. */
export interface SegmentHead {
  /** The segment's name, which is the file's without its ending. */
  readonly segment: string;
  /** Id of the journal that wrote it: of the lock that it held while it lived. */
  readonly owner: string;
  readonly sync: JournalSync;
  /** What the CRC of each frame continues. */
  readonly seed: number;
}

/** The whole head, synced up to its own end. */
export function headOf({ segment, owner, sync }: Omit<SegmentHead, 'seed'>): Buffer {
  const head = Buffer.alloc(headBytes);
  headMark.copy(head);
  const bytes = head.write(JSON.stringify({ segment, owner, sync }), textAt, textBytesMax);
  head.writeUInt16LE(form, headMark.length);
  head.writeUInt16LE(bytes, headMark.length + 2);
  head.writeUInt32LE(crc32(head.subarray(0, textAt + bytes)), textAt + bytes);
  writeSyncedThrough(head, syncedAt, headBytes);
  return head;
}

/** What a head says; `newer` where it is whole and of a later form; null if it is not a whole head. */
export function headFrom(head: Buffer): SegmentHead | { readonly newer: number } | null {
  if (head.length < headBytes || !head.subarray(0, headMark.length).equals(headMark)) return null;
  const end = textAt + head.readUInt16LE(headMark.length + 2);
  if (end > textAt + textBytesMax) return null;
  const seed = head.readUInt32LE(end);
  if (crc32(head.subarray(0, end)) !== seed) return null;
  const version = head.readUInt16LE(headMark.length);
  if (version !== form) return { newer: version };
  const said = JSON.parse(head.toString('utf8', textAt, end)) as Omit<SegmentHead, 'seed'>;
  return ownerId.test(said.owner) ? { ...said, seed } : null;
}

/** Writes how far the file is synced, so that a half-written number is recognised. */
export function writeSyncedThrough(bytes: Buffer, at: number, offset: number): void {
  bytes.writeUIntLE(offset, at, 6);
  bytes.writeUIntLE(complement - offset, at + 8, 6);
}

/** How far the file is synced; null if the number is just being written. */
export function readSyncedThrough(bytes: Buffer, at: number): number | null {
  const offset = bytes.readUIntLE(at, 6);
  return bytes.readUIntLE(at + 8, 6) === complement - offset ? offset : null;
}

/** A frame to be written. */
export interface FrameToWrite {
  readonly rows: readonly WrittenRow[];
  readonly firstSeq: number;
  /** No frame follows. */
  readonly sealed?: boolean;
  /** The rows' numbers do not follow on those before. */
  readonly gap?: boolean;
  readonly seed: number;
}

/** Room for one frame at a time, used again for the next one. */
export class FrameBuffer {
  bytes: Buffer = Buffer.allocUnsafeSlow(usualFrameBytes);

  /** Writes a frame to the beginning of `bytes`; returns its length. Valid until the next one. */
  write({ rows, firstSeq, sealed = false, gap = false, seed }: FrameToWrite): number {
    if (this.bytes.length > usualFrameBytes * 16) this.bytes = Buffer.allocUnsafeSlow(usualFrameBytes);
    let end = emptyFrameBytes;
    for (const { kind, body } of rows) {
      // A character takes at most three bytes.
      this.#reserve(end + rowHeadBytes + body.length * 3, end);
      const length = this.bytes.write(body, end + rowHeadBytes);
      this.bytes[end] = kind;
      this.bytes.writeUInt32LE(length, end + 1);
      end += rowHeadBytes + length;
    }
    const { bytes } = this;
    bytes.writeUInt32LE(frameMarkNumber, 0);
    bytes.writeUInt32LE(end - emptyFrameBytes, 8);
    bytes.writeUIntLE(firstSeq, 12, 6);
    bytes.writeUInt16LE((sealed ? sealedFlag : 0) | (gap ? gapFlag : 0), 18);
    bytes.writeUInt32LE(rows.length, 20);
    bytes.writeUInt32LE(crc32(bytes.subarray(8, end), seed), 4);
    return end;
  }

  #reserve(needed: number, used: number): void {
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, used);
    this.bytes = larger;
  }
}

/** A whole frame within a buffer. */
export interface SegmentFrame {
  readonly firstSeq: number;
  readonly rows: number;
  readonly sealed: boolean;
  readonly gap: boolean;
  readonly bytes: Buffer;
  /** Where in `bytes` its first row begins. */
  readonly rowsAt: number;
}

/** Length of the frame that says to begin at `at`, of which at least `emptyFrameBytes` are there; 0 if none says so. */
export function frameLengthAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) === frameMarkNumber ? emptyFrameBytes + bytes.readUInt32LE(at + 8) : 0;
}

/** The frame of this length at `at`, all of which is there; null if it is not whole. */
export function segmentFrameAt(bytes: Buffer, at: number, length: number, seed: number): SegmentFrame | null {
  const end = at + length;
  if (crc32(bytes.subarray(at + 8, end), seed) !== bytes.readUInt32LE(at + 4)) return null;
  const flags = bytes.readUInt16LE(at + 18);
  return {
    firstSeq: bytes.readUIntLE(at + 12, 6), rows: bytes.readUInt32LE(at + 20), sealed: (flags & sealedFlag) !== 0, gap: (flags & gapFlag) !== 0,
    bytes, rowsAt: at + emptyFrameBytes,
  };
}

/** Calls `row` for each row of a frame with its number, kind and where its text lies, until it returns false. */
export function eachRow(frame: SegmentFrame, row: (seq: number, kind: number, from: number, to: number) => boolean): void {
  let at = frame.rowsAt;
  for (let index = 0; index < frame.rows; index += 1) {
    const from = at + rowHeadBytes;
    const to = from + frame.bytes.readUInt32LE(at + 1);
    if (!row(frame.firstSeq + index, frame.bytes[at]!, from, to)) return;
    at = to;
  }
}
