/**
 * The files that this process holds by their names: its store and its locks. Removing or replacing one changes only the name. The process keeps
 * using the file that it has open, and neither it nor the next start notices unless somebody checks.
 */
import { statSync } from 'node:fs';

interface HeldFile {
  readonly path: string;
  /** What its loss means and what to do: the rest of a sentence that begins with its path. */
  readonly gone: string;
}

export interface HeldFiles {
  /** Reports each file that is missing or was replaced, once a minute. Call this every second. */
  look(): void;
}

const repeatAfterMs = 60_000;

export function storeFile(path: string): HeldFile {
  return { path, gone: 'Calls are still recorded, in a file that has no name any more and is gone when this process ends. Export what you need from '
    + 'the dashboard first; then stop this process and put a backup in the place of the file.' };
}

export function lockFileOf(path: string): HeldFile {
  return { path, gone: 'Another start would now use the same data beside this process. Stop this one and start it again.' };
}

/** The files as they are now. */
export function createHeldFiles(files: readonly HeldFile[], { tell, monotonicMs }: {
  readonly tell: (level: 'error', sentence: string) => void;
  readonly monotonicMs: () => number;
}): HeldFiles {
  const held = files.map((file) => ({ ...file, identity: identityOf(file.path), reportedMs: -Infinity }));
  return {
    look() {
      for (const file of held) {
        if (monotonicMs() - file.reportedMs < repeatAfterMs) continue;
        const identity = identityOf(file.path);
        if (identity === file.identity || identity === 'unknown') continue;
        file.reportedMs = monotonicMs();
        tell('error', `The file ${file.path} was removed or replaced while it is in use. ${file.gone}`);
      }
    },
  };
}

/** Null: there is none. `unknown`: the system does not allow looking. */
function identityOf(path: string): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? null : `${found.dev} ${found.ino}`;
  } catch {
    return 'unknown';
  }
}
