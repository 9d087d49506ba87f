/** The doctor reports a full or nearly full disk before it mentions permissions. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { examineDataDirectory, examineMasterKeyFile } from './data-directory.ts';

const directory = mkdtempSync(join(tmpdir(), 'metergate-doctor-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const mib = 1_048_576;

test('room on the disk of the data directory', () => {
  chmodSync(directory, 0o700);
  const state = (free: number | null) => examineDataDirectory(directory, { freeBytesOf: () => free });
  assert.equal(state(512 * mib).state, 'ok');
  assert.equal(state(null).state, 'ok', 'where nobody says how much is left, nothing is said of it');
  assert.deepEqual(state(512 * mib - 1), {
    name: 'data directory', state: 'warn',
    message: `The disk of ${directory} has 511 MiB left. Make room: calls are refused once the journal has none.`,
  });
  assert.equal(state(4 * mib - 1).state, 'fail');
  assert.match(state(0).message, /has 0 MiB left/);
});

test('what closes a directory or a key file to others can be pasted, whatever the path', () => {
  const spaced = join(directory, 'my data');
  mkdirSync(spaced, { mode: 0o755 });
  chmodSync(spaced, 0o755);
  assert.match(examineDataDirectory(spaced, { freeBytesOf: () => null }).message, /Close it with: chmod 700 '\/.*my data'$/);
  writeFileSync(join(spaced, 'master.key'), 'k');
  chmodSync(join(spaced, 'master.key'), 0o644);
  assert.match(examineMasterKeyFile({ dataDirectory: spaced, masterKey: null }).message, /Close it with: chmod 600 '\/.*my data\/master\.key'$/);
});
