/** If a file that the process uses is removed, the operator is warned, once a minute until it is back. */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createHeldFiles, lockFileOf, storeFile } from './held-files.ts';

test('a store or a lock that was removed, replaced or moved is reported with what to do, and one that is there is not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-held-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [store, lock] = [join(folder, 'metergate.db'), join(folder, 'lock')];
  for (const path of [store, lock]) writeFileSync(path, '');
  let nowMs = 0;
  const told: string[] = [];
  const files = createHeldFiles([storeFile(store), lockFileOf(lock)], { tell: (_level, sentence) => told.push(sentence), monotonicMs: () => nowMs });
  const said = (afterMs: number): string[] => {
    nowMs += afterMs;
    files.look();
    return told.splice(0);
  };
  assert.deepEqual(said(0), []);
  writeFileSync(store, 'written to');
  assert.deepEqual(said(1_000), []);
  renameSync(store, `${store}.away`);
  const [gone, ...more] = said(1_000);
  assert.ok(gone?.includes(store) && /gone when this process ends.+backup/.test(gone), gone ?? 'nothing was reported');
  assert.deepEqual([more, said(59_000), said(1_000).length], [[], [], 1]);
  renameSync(`${store}.away`, store);
  assert.deepEqual(said(60_000), []);
  writeFileSync(`${lock}.new`, '');
  renameSync(`${lock}.new`, lock);
  assert.match(said(1_000).join(), /lock was removed or replaced.+Stop this one and start it again\.$/);
});
