/**
 * Several test files in one process: what the second needs is loaded once and already quick. Each file is a suite that bears its name, so that
 * its hooks are its own and run about its tests alone; one that cannot be loaded fails by name, and the others go on.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';

/** Where the files are, and where it is noted which of them is being loaded or tested: a process that dies or hangs cannot say it by itself. */
export interface SharedProcess {
  readonly root: string;
  readonly files: readonly string[];
  /** A path of the disk. */
  readonly note: string;
}

/** To be called once by the one file of a process. Resolves when the tests of all have run. */
export async function runInOneProcess({ root, files, note }: SharedProcess): Promise<void> {
  after(() => rmSync(note, { force: true }));
  for (const file of files) {
    const { promise: tested, resolve } = Promise.withResolvers<void>();
    describe(file, () => {
      before(() => writeFileSync(note, file));
      writeFileSync(note, file);
      // Begun at once: what a file declares belongs to the suite in whose body its loading began, and waiting first would end that.
      const loading = import(pathToFileURL(join(root, file)).href);
      return loading.catch((error: unknown) => {
        test(`${file} is loaded`, () => { throw error; });
      }).finally(() => after(() => resolve()));
    });
    // What a file opens while it is loaded is closed before the next one opens its own.
    await tested;
  }
}
