/** How much of its disk the journal takes and leaves. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalDiskOf, longJournal } from './journal-disk.ts';

test('a journal is as large as its files; a long one is reported while it is shipped, an absent one is not', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-disk-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const [one, other] = ['seg_a.log', 'seg_b.log'].map((name) => join(directory, name)) as [string, string];
  writeFileSync(one, 'x'.repeat(700));
  writeFileSync(other, 'x'.repeat(300));
  const { bytes, freeBytes } = journalDiskOf(directory);
  assert.deepEqual([bytes, longJournal(directory)], [1_000, null]);
  assert.ok(freeBytes === null || freeBytes > 0);
  // Sparse.
  truncateSync(other, 200 * 1_048_576);
  assert.match(longJournal(directory)!, /^The journal has 200 MiB that an earlier process left\./);
  assert.deepEqual([journalDiskOf(join(directory, 'none')), longJournal(join(directory, 'none'))], [{ bytes: 0, freeBytes: null }, null]);
});
