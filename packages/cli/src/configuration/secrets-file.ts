/**
 * Where newly made secrets go when there is no terminal: a new file that only its owner can read, one JSON document a line. Each line is
 * synced before the next secret is made. @throws CommandFault
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { MadeSecret } from '@metergate/platform/use-cases/configuration/planned-change.ts';
import { CommandFault } from '../command-line/command.ts';
import { plain } from '../command-line/table.ts';

interface SecretsFile {
  keep(secret: MadeSecret): Promise<void>;
  /** If nothing was written, the file is removed. */
  close(): Promise<void>;
}

/** An existing file is not overwritten. */
export async function openSecretsFile(path: string): Promise<SecretsFile> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException): FileHandle => {
    const why = error.code === 'EEXIST' ? 'exists already' : `cannot be written (${error.code ?? 'unknown reason'})`;
    throw new CommandFault('file_not_written', `The file ${plain(path)} ${why}. Nothing was changed. Name another with --secrets.`);
  });
  let kept = 0;
  return {
    async keep(secret) {
      await file.writeFile(`${JSON.stringify(secret)}\n`);
      await file.sync();
      kept += 1;
    },
    async close() {
      await file.close();
      if (kept === 0) await rm(path, { force: true });
    },
  };
}
