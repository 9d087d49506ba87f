/**
 * Writes all the bytes it is given, or fails. A full disk takes part of a write and reports only a smaller count; a file gets its name only
 * if it holds as many bytes as were counted.
 */
import type { FileHandle } from 'node:fs/promises';

/** For its owner alone: an export shows who called, when and at what cost. */
export const ownerOnlyMode = 0o600;

/** @throws what the file system throws: `ENOSPC` even if it writes nothing and gives no reason. */
export async function writeFully(file: Pick<FileHandle, 'write'>, content: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < content.length;) {
    const { bytesWritten } = await file.write(content, done, content.length - done, position + done);
    if (bytesWritten === 0) throw noSpace();
    done += bytesWritten;
  }
}

/** Call when all is written, before the file gets its name. @throws `ENOSPC` for a file of another size. */
export async function checkSize(file: Pick<FileHandle, 'stat'>, bytes: number): Promise<void> {
  if ((await file.stat()).size !== bytes) throw noSpace();
}

function noSpace(): NodeJS.ErrnoException {
  return Object.assign(new Error('The file is shorter than what was written to it.'), { code: 'ENOSPC' });
}
