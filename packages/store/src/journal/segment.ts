/**
 * One segment of the journal: a node-local file `seg_<random>.log`, how it is made and what can be wrong with it (its form: `segment-form.ts`).
 * A file with that name has a whole head: it is made under another name, synced, and renamed into place.
 * Frames are only ever appended; what is behind the last whole one was never acknowledged.
 */
import { close, closeSync, fsync, fsyncSync, open, openSync, readSync, renameSync, rmSync, write, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { newId, idPrefix } from '@metergate/core/id.ts';
import { JournalFault, systemCode } from './journal-fault.ts';
import { headBytes, headFrom, headOf, type JournalSync, type SegmentHead } from './segment-form.ts';

export type { JournalSync } from './segment-form.ts';

/** What the name of a segment's file ends with. */
export const segmentEnding = '.log';

/** What the system says of a place rather than of a file: rights, a medium that is only read, no space, no descriptor. */
const placeCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE']);

/** Where segments are made, and how. */
export interface SegmentPlace {
  readonly directory: string;
  readonly sync: JournalSync;
  readonly randomBytes: (n: number) => Uint8Array;
}

/** A segment that was made: open, and empty but for its head. Its file has `path` as its name once `nameSegment` gave it. */
export interface MadeSegment {
  readonly path: string;
  readonly descriptor: number;
  readonly head: SegmentHead;
}

/**
 * Makes a new, empty segment. Costs one `fsync`, and one more of the directory under `full`.
 * @throws JournalFault `journal_unwritable`, naming the directory.
 */
export function makeSegment(place: SegmentPlace, owner: string): MadeSegment {
  const { path, bytes, head } = newSegment(place, owner);
  let descriptor: number | null = null;
  try {
    descriptor = openSync(`${path}.new`, 'wx', 0o600);
    wholeHead(writeSync(descriptor, bytes, 0, headBytes, 0));
    fsyncSync(descriptor);
    return nameSegment(place, { path, descriptor, head });
  } catch (error) {
    if (descriptor !== null) closeSync(descriptor);
    rmSync(`${path}.new`, { force: true });
    throw notMade(place.directory, error);
  }
}

/**
 * The same, ahead of need: all of it is done on threads of the pool, but for the name. Null if it cannot be made now: then it is made, or
 * the fault reported, when it is needed.
 */
export async function prepareSegment(place: SegmentPlace, owner: string): Promise<MadeSegment | null> {
  const { path, bytes, head } = newSegment(place, owner);
  let descriptor: number | null = null;
  try {
    descriptor = await opened(`${path}.new`, 'wx', 0o600);
    const { bytesWritten } = await written(descriptor, bytes, 0, headBytes, 0) as { readonly bytesWritten: number };
    wholeHead(bytesWritten);
    await synced(descriptor);
    return { path, descriptor, head };
  } catch {
    if (descriptor !== null) discardSegment({ path, descriptor, head });
    return null;
  }
}

/** @throws `ENOSPC` where a disk that fills took only a part of the head. */
function wholeHead(bytesWritten: number): void {
  if (bytesWritten !== headBytes) throw Object.assign(new Error('The head of the segment was written in part.'), { code: 'ENOSPC' });
}

const opened = promisify(open);
const written = promisify<number, Buffer, number, number, number, unknown>(write);
const synced = promisify(fsync);

/** Gives a segment its name, which makes it one. @throws what the file system throws. */
export function nameSegment({ directory, sync }: SegmentPlace, made: MadeSegment): MadeSegment {
  renameSync(`${made.path}.new`, made.path);
  if (sync === 'full') syncDirectory(directory);
  return made;
}

/** A segment that was prepared and is not needed. */
export function discardSegment({ path, descriptor }: MadeSegment): void {
  rmSync(`${path}.new`, { force: true });
  closeInPool(descriptor);
}

/**
 * Closes a file on a thread of the pool. Whoever closes a removed file last pays for freeing its pages, 50 ms for 40 MB; that must not be a
 * thread that others wait for.
 */
export function closeInPool(descriptor: number): void {
  close(descriptor, () => {});
}

/** Makes a rename last. Windows has no such thing. @throws what the file system throws. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function newSegment({ directory, sync, randomBytes }: SegmentPlace, owner: string): { path: string; bytes: Buffer; head: SegmentHead } {
  const segment = newId(idPrefix.segment, randomBytes);
  const bytes = headOf({ segment, owner, sync });
  return { path: join(directory, segment + segmentEnding), bytes, head: headFrom(bytes) as SegmentHead };
}

function notMade(directory: string, error: unknown): JournalFault {
  return new JournalFault('journal_unwritable',
    `The journal cannot be written in ${directory} (${reasonOf(error)}). Check the rights and the free space of that directory.`,
    { cause: error });
}

/**
 * Opens a segment that exists and reads its head.
 * @throws JournalFault `journal_unreadable`, `journal_unwritable` or `journal_newer`, naming the file.
 */
export function openSegment(path: string, flags: 'r' | 'r+'): MadeSegment {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, flags);
    const bytes = Buffer.alloc(headBytes);
    const there = readSync(descriptor, bytes, 0, headBytes, 0);
    return { path, descriptor, head: checked(headFrom(bytes.subarray(0, there)), path) };
  } catch (error) {
    if (descriptor !== null) closeSync(descriptor);
    throw error instanceof JournalFault ? error : brokenSegment(path, error);
  }
}

function checked(head: ReturnType<typeof headFrom>, path: string): SegmentHead {
  if (head === null) throw unreadableSegment(path, 'its head is damaged, or it is no journal segment');
  if ('newer' in head) {
    throw new JournalFault('journal_newer',
      `The journal segment ${path} was written by a newer version (form ${head.newer}). Start that version once, so that it is recovered.`);
  }
  if (head.segment !== segmentName(path)) throw unreadableSegment(path, `it holds the segment ${head.segment}`);
  return head;
}

/** The fault of a segment that cannot be read: what it may hold is named, because it must not be thrown away lightly. */
export function unreadableSegment(path: string, why: string, cause?: unknown): JournalFault {
  return new JournalFault('journal_unreadable',
    `The journal segment ${path} cannot be read (${why}). It may hold calls that no record exists of yet: `
    + 'restore it, or move it away to go on without them.',
    { cause });
}

/** The fault of a segment that the system cannot open, read or change: it is damaged, or its place cannot be written. */
export function brokenSegment(path: string, error: unknown): JournalFault {
  const code = systemCode(error);
  if (!placeCodes.has(code)) return unreadableSegment(path, code === 'ENOENT' ? 'it is gone' : reasonOf(error), error);
  return new JournalFault('journal_unwritable',
    `The journal segment ${path} cannot be written (${reasonOf(error)}). Nothing in it is lost, so leave it where it is: `
    + 'check the rights and the free space of its directory, and how many files this process may open.',
    { cause: error });
}

/** The fault of a segment that another process writes to. */
export function elsewhere(path: string): JournalFault {
  return new JournalFault('journal_elsewhere',
    `The journal segment ${path} is in use by another process. Each node needs a journal directory of its own.`);
}

function reasonOf(error: unknown): string {
  return systemCode(error) || (error as Error).message;
}

/** Name of the segment, as the store's mark knows it: the file's name without its ending. */
export function segmentName(path: string): string {
  return basename(path, segmentEnding);
}

/** Where a segment's lock lies. */
export function directoryOf(path: string): string {
  return dirname(path);
}
