/** Reads a text file given to a command. @throws CommandFault if it is absent, too large or not UTF-8 */
import { readFile, stat } from 'node:fs/promises';
import { CommandFault } from './command.ts';
import { plain } from './table.ts';

export async function readTextFile(path: string, bytesMax: number): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw new CommandFault('file_too_large', `The file ${plain(path)} is larger than ${bytesMax} bytes.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    throw new CommandFault('file_unreadable', `The file ${plain(path)} ${whyUnreadable((error as NodeJS.ErrnoException).code)}.`);
  }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist', EISDIR: 'is a directory', EACCES: 'may not be read by this user',
};

/** Why a file cannot be read, as the end of a sentence that begins with its path. `code`: of the system's error. */
export function whyUnreadable(code: string | undefined): string {
  if (code !== undefined && Object.hasOwn(unreadable, code)) return unreadable[code]!;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read (${code ?? 'unknown reason'})`;
}
