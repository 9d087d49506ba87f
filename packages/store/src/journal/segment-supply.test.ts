/**
 * Segments made ahead of need, and removed ones whose space is released; the lock that shows whose they are.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { clearLeftovers, clearLocks, listSegments, removeSegment } from './segment-files.ts';
import { SegmentReader } from './segment-reader.ts';
import { createSegmentSupply } from './segment-supply.ts';
import { testDirectory } from './test-support/journal-fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

const until = (holds: () => boolean): Promise<boolean> => eventually(holds, () => `It never came to this: ${holds.toString()}`);

const made = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.new'));

test('a segment made ahead does not count before it is taken, and is the next one taken', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'full', randomBytes });
  supply.prepare();
  supply.prepare();
  await until(() => made(directory).length === 1);
  await turn();
  assert.deepEqual(listSegments(directory), []);
  const [prepared] = made(directory);
  // The file is there before its sync has ended: whether this very one is taken or another is made, one segment is open and usable.
  const writer = supply.next();
  writer.append([{ kind: 0, body: 'x' }]);
  writer.close();
  supply.end();
  await until(() => made(directory).length === 0);
  assert.equal(listSegments(directory).length, 1);
  assert.match(prepared!, /^seg_[0-9A-Za-z]{20}\.log\.new$/);
});

test('a segment that was made ahead and is gone when it is needed is made again', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  supply.prepare();
  await until(() => made(directory).length === 1);
  for (const name of made(directory)) rmSync(join(directory, name));
  const writer = supply.next();
  assert.equal(existsSync(writer.path), true);
  writer.close();
  supply.end();
});

test('if none can be made ahead, nothing is reported and nothing is left; the fault comes when a segment is needed', async (t) => {
  const directory = join(testDirectory(t), 'gone');
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  supply.prepare();
  await turn();
  assert.throws(() => supply.next(), { code: 'journal_unwritable' });
  supply.end();
});

test('an end discards the segment made ahead, also while it is being made', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  supply.prepare();
  supply.end();
  await until(() => made(directory).length === 0);
  assert.deepEqual(listSegments(directory), []);
});

test('a removed segment frees its space once its writer and its readers have closed it', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  const writer = supply.next();
  for (let row = 0; row < 100; row += 1) writer.append([{ kind: 0, body: 'x'.repeat(4_000) }]);
  const reader = new SegmentReader(writer.path);
  assert.ok(openFiles(writer.path) > 0);
  writer.seal();
  removeSegment(writer.path);
  assert.equal(existsSync(writer.path), false);
  reader.close();
  await until(() => openFiles(writer.path) === 0);
  supply.end();
  clearLeftovers(directory);
  clearLocks(directory);
  assert.deepEqual(readdirSync(directory), []);
});

/** Descriptors of this process on the file, removed or not. Only Linux reports them. */
function openFiles(path: string): number {
  if (process.platform !== 'linux') return existsSync(path) ? 1 : 0;
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;
}

test('a lock stays while a segment names it or its journal lives, and is then removed', (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  const locks = (): number => readdirSync(directory).filter((name) => name.endsWith('.lock')).length;
  const { path } = supply.next();
  rmSync(path);
  clearLocks(directory);
  assert.equal(locks(), 1, 'its journal lives');
  supply.next();
  supply.end();
  clearLocks(directory);
  assert.equal(locks(), 1, 'it has a segment');
  for (const segment of listSegments(directory)) removeSegment(segment);
  clearLocks(directory);
  assert.equal(locks(), 0);
});
