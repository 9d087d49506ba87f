/**
 * Segments made ahead of need, and removed ones whose space is given back while their writer still holds them.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, fstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clearLeftovers, listSegments, removeSegment } from './segment-files.ts';
import { createSegmentSupply } from './segment-supply.ts';
import { testDirectory } from './test-support/journal-fixture.ts';

const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

const made = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith('.new'));

test('a segment made ahead is no segment before it is taken, and is the one that is taken', async (t) => {
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
  assert.match(prepared!, /^seg_[0-9A-Za-z]{20}\.db\.new$/);
});

test('what was made ahead and is gone when it is needed is made anew', async (t) => {
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

test('where nothing can be made ahead, nothing is said and nothing is left; the fault comes when a segment is needed', async (t) => {
  const directory = join(testDirectory(t), 'gone');
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  supply.prepare();
  await turn();
  assert.throws(() => supply.next(), { code: 'journal_unwritable' });
  supply.end();
});

test('an end discards what was made ahead, also while it is being made', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  supply.prepare();
  supply.end();
  await until(() => made(directory).length === 0);
  assert.deepEqual(listSegments(directory), []);
});

test('a removed segment gives its space back at once, though its writer still holds it; the writer then closes without a word', async (t) => {
  const directory = testDirectory(t);
  const supply = createSegmentSupply({ directory, sync: 'normal', randomBytes });
  const writer = supply.next();
  for (let row = 0; row < 100; row += 1) writer.append([{ kind: 0, body: 'x'.repeat(4_000) }]);
  const log = openSync(`${writer.path}-wal`, 'r');
  assert.ok(fstatSync(log).size > 400_000);
  removeSegment(writer.path, () => {});
  assert.deepEqual(readdirSync(directory), []);
  await until(() => fstatSync(log).size === 0);
  writer.close();
  supply.end();
  clearLeftovers(directory);
});
