/**
 * Writes a file that appears only when it is complete, and can be resumed after an interruption. The bytes go to FILE.part; FILE.part.json
 * says which export they belong to and how many of them are valid. @throws CommandFault
 */
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { checkSize, ownerOnlyMode, writeFully } from './full-write.ts';
import { notWritten, placeToWrite } from './whole-file.ts';

/** What another process needs to continue: JSON. `identity`: which file this is a part of. */
interface FilePart {
  readonly identity: string;
  readonly bytes: number;
  readonly state: unknown;
}

export interface ResumableFile {
  /** How far an earlier attempt at the same file came; null: this is the first. */
  readonly found: unknown;
  /** Where its bytes lie until it is whole. */
  readonly part: string;
  /** Bytes written so far, also by earlier attempts. */
  readonly bytes: number;
  write(content: Uint8Array): Promise<void>;
  /** Everything written so far is valid, and `state` says how to continue after it. Stored at most every `everyMs`, and when it breaks off. */
  mark(state: unknown): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Keeps what was marked for the next attempt, if anything. Returns the number of bytes that the next attempt starts with. Never fails. */
  breakOff(): Promise<number>;
}

type Mark = Pick<FilePart, 'bytes' | 'state'>;

/** On a full disk the notes find room where so much of the file was cut off: some blocks of any file system. Bytes. */
const roomBytes = 64 * 1024;

/** `wanted`: an absolute path. */
export async function openResumable(
  wanted: string, identity: string, { everyMs = 2_000, nowMs = Date.now }: { readonly everyMs?: number; readonly nowMs?: () => number } = {},
): Promise<ResumableFile> {
  const path = await placeToWrite(wanted);
  const [part, notes] = [`${path}.part`, `${path}.part.json`];
  const found = await foundPart(part, notes, identity);
  const file = await open(part, found === null ? 'w' : 'r+', ownerOnlyMode).catch((error: unknown) => { throw notWritten(path, error); });
  return await begun(file, found).catch(async (error: unknown) => { await file.close(); throw notWritten(path, error); });

  async function begun(handle: FileHandle, from: FilePart | null): Promise<ResumableFile> {
    // What lies after the mark was written but not counted.
    if (from !== null) await handle.truncate(from.bytes);
    await handle.chmod(ownerOnlyMode);
    let bytes = from?.bytes ?? 0;
    let marked = bytes;
    let markedMs = nowMs();
    /** The first is the latest one with room behind it, if there is any such; the last is the latest. */
    const marks: Mark[] = [];
    const guarded = <T>(work: Promise<T>): Promise<T> => work.catch((error: unknown) => { throw notWritten(path, error); });
    const store = async (mark: Mark): Promise<void> => {
      await handle.datasync();
      await writeNotes(notes, { identity, ...mark });
      [marked, markedMs] = [mark.bytes, nowMs()];
    };
    return {
      found: from?.state ?? null,
      part,
      get bytes() {
        return bytes;
      },
      async write(content) {
        await guarded(writeFully(handle, content, bytes));
        bytes += content.length;
      },
      async mark(state) {
        const latest = { bytes, state };
        marks.push(latest);
        while (marks.length > 1 && marks[1]!.bytes + roomBytes <= bytes) marks.shift();
        if (nowMs() - markedMs >= everyMs) await guarded(store(latest));
      },
      async finish() {
        await guarded(handle.sync().then(() => checkSize(handle, bytes)));
        await handle.close();
        await guarded(rename(part, path));
        await rm(notes, { force: true });
      },
      async breakOff() {
        for (const mark of [marks.at(-1), marks[0]]) {
          if (mark === undefined || mark.bytes <= marked) break;
          // What lies after the mark is cut off first: on a full disk the notes need its space. Behind the latest there may be less than a block.
          const isStored = await handle.truncate(mark.bytes).then(() => store(mark)).then(() => true, () => false);
          if (isStored) break;
        }
        await handle.close().catch(() => undefined);
        await rm(`${notes}.new`, { force: true });
        if (marked === 0) await Promise.all([part, notes].map((each) => rm(each, { force: true })));
        return marked;
      },
    };
  }
}

async function writeNotes(notes: string, part: FilePart): Promise<void> {
  const text = Buffer.from(JSON.stringify(part));
  const file = await open(`${notes}.new`, 'w', ownerOnlyMode);
  try {
    await writeFully(file, text, 0);
    await file.datasync();
    await checkSize(file, text.length);
  } finally {
    await file.close();
  }
  await rename(`${notes}.new`, notes);
}

/** The part that an earlier attempt left; null: there is none, or it belongs to something else. */
async function foundPart(part: string, notes: string, identity: string): Promise<FilePart | null> {
  try {
    const found = JSON.parse(await readFile(notes, 'utf8')) as Partial<FilePart>;
    const { size } = await stat(part);
    return found.identity === identity && typeof found.bytes === 'number' && size >= found.bytes ? found as FilePart : null;
  } catch {
    return null;
  }
}
