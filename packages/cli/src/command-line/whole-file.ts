/**
 * Writes a file that appears only when it is complete, for its owner alone: first as FILE.part, then renamed. If anything fails, the part is
 * removed and an earlier file stays as it was. @throws CommandFault
 */
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CommandFault } from './command.ts';
import { checkSize, ownerOnlyMode, writeFully } from './full-write.ts';
import { plain } from './table.ts';

/** The number of bytes written. `wanted`: an absolute path. */
export async function writeWhole(wanted: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const path = await placeToWrite(wanted);
  const part = `${path}.part`;
  const file = await open(part, 'w', ownerOnlyMode).catch((error: unknown) => { throw notWritten(path, error); });
  let bytes = 0;
  try {
    try {
      await file.chmod(ownerOnlyMode); // a part that another program left
      for await (const piece of pieces) {
        await writeFully(file, piece, bytes).catch((error: unknown) => { throw notWritten(path, error); });
        bytes += piece.length;
      }
      await file.sync().then(() => checkSize(file, bytes)).catch((error: unknown) => { throw notWritten(path, error); });
    } finally {
      await file.close();
    }
    await rename(part, path).catch((error: unknown) => { throw notWritten(path, error); });
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return bytes;
}

/**
 * Where a file of this name is written: behind a link, where the link leads. Only a file is replaced. A rename over `/dev/null` would replace the
 * device for every program on the machine. @throws CommandFault
 */
export async function placeToWrite(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) return path;
  if (found.isFile()) return (await lstat(path)).isSymbolicLink() ? realpath(path) : path;
  throw notWritten(path, { code: found.isDirectory() ? 'EISDIR' : 'not_a_file' });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist', EISDIR: 'it is a directory', ENOTDIR: 'its path leads through a file', EACCES: 'it may not be written',
  EPERM: 'it may not be written', EROFS: 'it may not be written', ENOSPC: 'no space is left',
  EDQUOT: 'no space is left', EFBIG: 'it would be larger than a file may be here', ENOTEMPTY: 'it is a directory',
  not_a_file: 'it is a device or a pipe',
};

/** Why the system did not write, in words. */
export function reasonNotWritten(error: unknown): string {
  const { code = 'unknown' } = error as { readonly code?: string };
  return reasons[code] ?? code;
}

/** A fault that says why, in words. */
export function notWritten(path: string, error: unknown): CommandFault {
  return new CommandFault('file_not_written', `The file ${plain(path)} cannot be written: ${reasonNotWritten(error)}. Name another file.`);
}
