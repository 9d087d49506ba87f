/** A segment of a process that is dying, or lives longer than a start waits: its calls get their one record all the same. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { createShipper } from './shipper.ts';
import type { CallSink } from './call-sink.ts';
import { filesOfUsedSegments, journalFixture, testDirectory } from './test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

/** Opens three calls, closes the first, in segments of two rows, says so, and lives on. */
const program = `
  const [journal, samples, directory] = process.argv.slice(1);
  const { createJournal } = await import(journal);
  const { sampleOpening, sampleRecord } = await import(samples);
  const { randomBytes } = await import('node:crypto');
  const kept = createJournal({ directory, sync: 'normal', randomBytes, clock: () => 0, rowsPerSegment: 2 });
  const opened = (number) => new Promise((resolve) => kept.open(sampleOpening(number), resolve));
  for (const number of [1, 2, 3]) await opened(number);
  kept.close(sampleRecord(sampleOpening(1), 1), () => console.log('ready'));
  process.stdin.on('end', () => process.exit(kept === null ? 1 : 0)).resume();`;

async function otherProcess(t: TestContext, directory: string): Promise<ChildProcess> {
  const url = (path: string): string => new URL(path, import.meta.url).href;
  const values = [url('./writer.ts'), url('./test-support/sample-call.ts'), directory];
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return child;
}

function context(t: TestContext) {
  const directory = testDirectory(t);
  const marks = new Map<string, number>();
  const kept: string[] = [];
  const calls: CallSink = {
    mark: async (segment) => marks.get(segment) ?? 0,
    recorded: async () => new Set<string>(),
    async ship({ segment, through, records }) {
      for (const { record } of records) kept.push(`${record.outcome} ${record.id.slice(-1)}`);
      marks.set(segment, through);
    },
  };
  const shipper = createShipper({ directory, calls, clock: () => 0 });
  t.after(() => shipper.close());
  return { directory, shipper, kept };
}

const whole = ['completed 1', 'interrupted 2', 'interrupted 3'];
const skip = process.platform === 'win32';

test('a process that is still dying is waited for: all of its calls have their record before the start is over', { skip }, async (t) => {
  const { directory, shipper, kept } = context(t);
  const other = await otherProcess(t, directory);
  // The start looks at once and finds it alive. Killed soon, it has the rest of the start's patience to end in.
  setTimeout(() => other.kill('SIGKILL'), 150);
  const { dead, elsewhere, interrupted } = await shipper.recover();
  assert.deepEqual([dead.length, elsewhere, interrupted], [2, [], 2]);
  assert.deepEqual([kept.toSorted(), filesOfUsedSegments(directory)], [whole, []]);
});

test('a live process keeps its segments, and that is reported; once it is gone, they are taken over without a restart', { skip }, async (t) => {
  const { directory, shipper, kept } = context(t);
  const other = await otherProcess(t, directory);
  assert.equal((await shipper.recover()).elsewhere.length, 2);
  await assert.rejects(shipper.pass(), { code: 'journal_elsewhere' });
  assert.deepEqual(kept, []);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await shipper.pass();
  assert.deepEqual([kept.toSorted(), filesOfUsedSegments(directory)], [whole, []]);
});

/**
 * Recovers a journal into nothing, prints what it could take, and keeps running with what it tracks until its parent has ended: what nothing names
 * any more is collected.
 */
const recovering = `
  const [shipper, directory] = process.argv.slice(1);
  const { createShipper } = await import(shipper);
  const away = async () => { throw new Error('the store is away'); };
  const calls = { mark: async () => 0, recorded: async () => new Set(), ship: away };
  const kept = createShipper({ directory, calls, clock: () => 0 });
  await kept.pass().then((rows) => console.log('shipped', rows), ({ code, message }) => console.log(code ?? message));
  setInterval(() => void kept, 1000);`;

async function otherShipper(t: TestContext, directory: string): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const values = [new URL('./shipper.ts', import.meta.url).href, directory];
  const child = spawn(process.execPath, ['--input-type=module', '-e', recovering, ...values], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stdout!, 'data') as [Buffer];
  return { child, said: said.toString().trim() };
}

test('two processes on one directory: neither touches the other\'s segments, nor what the other ships', { skip }, async (t) => {
  const { directory, shipper, kept } = context(t);
  const { journal, endTurn, die } = journalFixture(t, { directory });
  for (const number of [1, 2]) journal.open(sampleOpening(number), assert.ifError);
  endTurn();
  journal.close(sampleRecord(sampleOpening(1), 1), () => {});
  endTurn();
  assert.equal((await otherShipper(t, directory)).said, 'journal_elsewhere');
  assert.equal(await shipper.pass(), 1);
  // The journal ends, but the shipper of its process keeps running: its segments still belong to it.
  die();
  assert.equal((await otherShipper(t, directory)).said, 'journal_elsewhere');
  shipper.close();
  const { child, said } = await otherShipper(t, directory);
  assert.equal(said, 'the store is away');
  assert.equal((await shipper.recover()).elsewhere.length, 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await shipper.pass();
  assert.deepEqual([kept.toSorted(), filesOfUsedSegments(directory)], [['completed 1', 'interrupted 2'], []]);
});
