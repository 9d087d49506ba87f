/**
 * Writes a file that appears only when it is complete, and can be resumed after an interruption. The bytes go to FILE.part; FILE.part.json
 * says which export they belong to and how many of them are valid. @throws CommandFault
 */
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { notWritten } from './whole-file.ts';

/** What another process needs to continue: JSON. `identity`: of what file this is a part. */
export interface FilePart {
  readonly identity: string;
  readonly bytes: number;
  readonly state: unknown;
}

export interface ResumableFile {
  /** How far an earlier try of the same identity came; null: this is the first. */
  readonly found: unknown;
  /** Written so far, also by earlier tries. */
  readonly bytes: number;
  write(content: Uint8Array): Promise<void>;
  /** Everything written so far is valid, and `state` says how to continue after it. Stored at most every `everyMs`. */
  mark(state: unknown): Promise<void>;
  /** Gives the file its name. */
  finish(): Promise<void>;
  /** Keeps what was marked for the next try, or nothing if nothing was marked. */
  breakOff(): Promise<void>;
}

export async function openResumable(
  path: string, identity: string, { everyMs = 2_000, nowMs = Date.now }: { readonly everyMs?: number; readonly nowMs?: () => number } = {},
): Promise<ResumableFile> {
  const [part, notes] = [`${path}.part`, `${path}.part.json`];
  const found = await foundPart(part, notes, identity);
  const file = await open(part, found === null ? 'w' : 'r+').catch((error: unknown) => { throw notWritten(path, error); });
  return await begun(file, found).catch(async (error: unknown) => { await file.close(); throw notWritten(path, error); });

  async function begun(handle: FileHandle, from: FilePart | null): Promise<ResumableFile> {
    // What lies past the mark was written and not counted.
    if (from !== null) await handle.truncate(from.bytes);
    let bytes = from?.bytes ?? 0;
    let marked = from !== null;
    let markedMs = nowMs();
    const guarded = <T>(work: Promise<T>): Promise<T> => work.catch((error: unknown) => { throw notWritten(path, error); });
    return {
      found: from?.state ?? null,
      get bytes() {
        return bytes;
      },
      async write(content) {
        await guarded(handle.write(content, 0, content.length, bytes));
        bytes += content.length;
      },
      async mark(state) {
        if (nowMs() - markedMs < everyMs) return;
        await guarded(handle.datasync());
        await guarded(writeFile(`${notes}.new`, JSON.stringify({ identity, bytes, state } satisfies FilePart)));
        await guarded(rename(`${notes}.new`, notes));
        [marked, markedMs] = [true, nowMs()];
      },
      async finish() {
        await guarded(handle.sync());
        await handle.close();
        await guarded(rename(part, path));
        await rm(notes, { force: true });
      },
      async breakOff() {
        await handle.close();
        if (!marked) await Promise.all([part, notes].map((each) => rm(each, { force: true })));
      },
    };
  }
}

/** The part that an earlier try left; null: there is none, or it belongs to something else. */
async function foundPart(part: string, notes: string, identity: string): Promise<FilePart | null> {
  try {
    const found = JSON.parse(await readFile(notes, 'utf8')) as Partial<FilePart>;
    const { size } = await stat(part);
    return found.identity === identity && typeof found.bytes === 'number' && size >= found.bytes ? found as FilePart : null;
  } catch {
    return null;
  }
}
