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

/** Writes the programs. With `again`, those that run files once more, in another environment, come first. */
export function gather(root: string, files: readonly string[], { again: runsAgain }: { readonly again: boolean }): Gathered {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-shared-'));
  const process = pathToFileURL(join(root, 'scripts/shared-process.ts')).href;
  const programs = new Map<string, string>();
  const again: string[] = [];
  const program = (name: string, together: readonly string[], env: Readonly<Record<string, string>> = {}): string => {
    const path = join(directory, `${name}.test.mjs`);
    writeFileSync(path, `Object.assign(process.env, ${JSON.stringify(env)});
const { runInOneProcess } = await import(${JSON.stringify(process)});
await runInOneProcess(${JSON.stringify({ root, files: together })});\n`);
    return path;
  };
  for (const { folder, alone, again: other } of sharedFolders) {
    const together = files.filter((file) => file.startsWith(folder) && !alone.includes(file.slice(folder.length)));
    if (together.length < 2) continue;
    const name = folder.replaceAll('/', '-');
    const shared = program(`${name}shared`, together);
    for (const file of together) programs.set(file, shared);
    if (other === undefined || !runsAgain) continue;
    const repeated = together.map((file) => file.slice(folder.length))
      .filter((file) => other.folders.some((each) => file.startsWith(each)) && !other.except.includes(file));
    if (repeated.length > 1) again.push(program(`${name}again`, repeated.map((file) => folder + file), other.env));
  }
  return {
    files: [...new Set([...again, ...files.map((file) => programs.get(file) ?? file)])],
    end: () => rmSync(directory, { recursive: true, force: true }),
  };
}
