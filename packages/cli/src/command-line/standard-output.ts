/**
 * Standard output. Where it is a file, each text is written to its end or fails: Node writes once and takes a part for the whole, so a disk that
 * fills would leave a file that is cut short, and exit code 0. @throws CommandFault
 */
import { fstatSync, writeSync } from 'node:fs';
import { CommandFault, type CommandTools } from './command.ts';
import { reasonNotWritten } from './whole-file.ts';

export function standardOutput(): Required<Pick<CommandTools, 'stdout' | 'stdoutBytes'>> {
  return isFile() ? { stdout: writeAll, stdoutBytes: async (bytes) => writeAll(bytes) } : {
    stdout: (text) => process.stdout.write(text),
    stdoutBytes: (bytes) => new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
    }),
  };
}

const descriptor = 1;

function isFile(): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

function writeAll(content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  try {
    for (let done = 0; done < bytes.length;) {
      const written = writeSync(descriptor, bytes, done, bytes.length - done);
      if (written === 0) throw Object.assign(new Error('Nothing was written.'), { code: 'ENOSPC' });
      done += written;
    }
  } catch (error) {
    throw new CommandFault('output_not_written', `Standard output cannot be written: ${reasonNotWritten(error)}. What the command has done stands.`);
  }
}
