/** Runs test files with the runner of Node, each in a separate process, under the watch that ends what hangs. */
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import type { TestWatch } from './watch-tests.ts';

/** How files are run. */
export interface TestFileRun {
  readonly concurrency: number;
  /** When the runner asks a file's process to end, milliseconds. */
  readonly limitMs: number;
  readonly watch: TestWatch;
}

/** Runs them, in this order, and prints what they report. Whether all passed and nothing had to be ended. */
export async function runTestFiles(files: readonly string[], { concurrency, limitMs, watch }: TestFileRun): Promise<boolean> {
  let passed = false;
  // Run from here, because the runner's command line would sort the files by name.
  const events = run({ files: [...files], concurrency, timeout: limitMs, execArgv: watch.execArgv, signal: watch.bound });
  events.on('test:fail', ({ name }) => {
    const last = watch.diedIn(name);
    if (last !== null) console.error(`The process of ${name} was in ${last}.`);
  });
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success;
  });
  const report = events.compose(spec);
  report.pipe(process.stdout, { end: false });
  await finished(report);
  return passed && watch.faults.length === 0;
}
