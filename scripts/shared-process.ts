/**
 * Several test files in one process: what they share is loaded and compiled only once. Each file is a suite with the file's name, so that its
 * hooks run only around its own tests. A file that cannot be loaded fails by name, and the others still run. What files keep for each other is ended
 * last, in a test of its own.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { keepForFiles, keptUntilEnd } from '@metergate/testkit/kept-for-files.ts';
import { noteCost, processorSeconds } from './test-costs.ts';
import { isTestProcess, noteRunning } from './test-notes.ts';

/** Where the files are. */
export interface SharedProcess {
  readonly root: string;
  readonly files: readonly string[];
}

/** Called once, by the single entry file of a process. Resolves when the tests of all files have run. */
export async function runInOneProcess({ root, files }: SharedProcess): Promise<void> {
  keepForFiles();
  for (const file of files) {
    const { promise: tested, resolve } = Promise.withResolvers<void>();
    const begunSeconds = processorSeconds();
    describe(file, () => {
      before(() => noteRunning(file));
      noteRunning(file);
      // The import begins at once: a file's tests belong to the suite in whose body its loading began, and an await first would end that body.
      const loading = import(pathToFileURL(join(root, file)).href);
      return loading.catch((error: unknown) => {
        test(`${file} is loaded`, () => { throw error; });
      }).finally(() => after(() => resolve()));
    });
    // Whatever a file opens while it is loaded is closed before the next file opens its own.
    await tested;
    if (isTestProcess()) noteCost({ program: file, processorSeconds: processorSeconds() - begunSeconds });
  }
  for (const [name, end] of keptUntilEnd()) test(`${name} ends in order`, end);
}
