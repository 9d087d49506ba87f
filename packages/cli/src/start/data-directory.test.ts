/** The data directory: made with its parent directories, removed without them, or refused in one sentence. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ensureDataDirectory, lockDataDirectory, lockFile, removeMade } from './data-directory.ts';
import { StartFault } from '../config/start-fault.ts';

const context = mkdtempSync(join(tmpdir(), 'metergate-data-directory-'));
after(() => rmSync(context, { recursive: true, force: true }));

describe('a data directory', () => {
  it('is made with its parent directories, only for its owner', () => {
    const directory = join(context, 'a', 'b', 'c');
    assert.deepEqual(ensureDataDirectory(directory), { topmost: join(context, 'a'), lockFile: true });
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  });
  it('that is there stays as it is', () => assert.deepEqual(ensureDataDirectory(context), { topmost: null, lockFile: true }));
  it('is removed with the lock and what was made for it, and nothing else', () => {
    const directory = join(context, 'd', 'e');
    const made = ensureDataDirectory(directory);
    const lock = lockDataDirectory(directory);
    removeMade(directory, made);
    lock.release();
    assert.equal(existsSync(join(context, 'd')), false);
    assert.equal(existsSync(context), true);
  });
  it('has one process at a time, and a lock file only for its owner', () => {
    const lock = lockDataDirectory(context);
    assert.equal(statSync(lockFile(context)).mode & 0o777, 0o600);
    assert.throws(() => lockDataDirectory(context), /^StartFault: Another metergate already uses/);
    lock.release();
    lockDataDirectory(context).release();
  });
});

describe('no data directory', () => {
  const file = join(context, 'file');
  writeFileSync(file, '');
  const rows: [string, string, RegExp][] = [
    ['a file', file, /is not a directory\. Set SVC_DATA_DIR to one\.$/],
    ['under a file', join(file, 'below', 'it'), /is not a directory\. Set SVC_DATA_DIR to one\.$/],
  ];
  if (process.platform === 'linux') rows.push(['where the system makes none', '/proc/none/below', /cannot be read and written \(ENOENT\)/]);
  for (const [what, directory, sentence] of rows) {
    it(what, () => assert.throws(
      () => ensureDataDirectory(directory), (error) => error instanceof StartFault && sentence.test(error.message),
    ));
  }
});
