/** The runner's list of files: a group that shares a process is replaced by one program, at the place of its first file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sharedFolders } from './shared-folders.ts';

/** What the runner is given, and the removal of what was written for it. */
export interface Gathered {
  readonly files: readonly string[];
  end(): void;
}

/** Writes the programs. */
export function gather(root: string, files: readonly string[]): Gathered {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-shared-'));
  const programs = new Map<string, string>();
  for (const { folder, alone } of sharedFolders) {
    const together = files.filter((file) => file.startsWith(folder) && !alone.includes(file.slice(folder.length)));
    if (together.length < 2) continue;
    const program = join(directory, `${folder.replaceAll('/', '-')}shared.test.mjs`);
    writeFileSync(program, `import { runInOneProcess } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/shared-process.ts')).href)};
await runInOneProcess(${JSON.stringify({ root, files: together })});\n`);
    for (const file of together) programs.set(file, program);
  }
  return {
    files: [...new Set(files.map((file) => programs.get(file) ?? file))],
    end: () => rmSync(directory, { recursive: true, force: true }),
  };
}
