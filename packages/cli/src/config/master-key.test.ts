/** The key file is made once, whole, only for its owner, and never replaced; errors about it do not contain it. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createMasterKey, masterKeyFile, masterKeyForStart, MasterKeyFault, readMasterKey } from './master-key.ts';

let dataDirectory = '';
beforeEach(() => { dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-key-')); });
afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }));

const place = () => ({ dataDirectory, masterKey: null, databaseUrl: `sqlite:${join(dataDirectory, 'metergate.db')}` });
const faultOf = (work: () => unknown): MasterKeyFault => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof MasterKeyFault);
    return error;
  }
  throw new Error('nothing was thrown');
};

test('a created key is read back, its file is 0600 and nothing else is left beside it', () => {
  const key = createMasterKey(place());
  assert.equal(key.length, 32);
  assert.deepEqual(readMasterKey(place()), key);
  assert.deepEqual(readdirSync(dataDirectory), ['master.key']);
  if (process.platform !== 'win32') assert.equal(statSync(masterKeyFile(place())).mode & 0o777, 0o600);
});

test('an existing key file is never replaced, and no draft stays', () => {
  createMasterKey(place());
  const before = readFileSync(masterKeyFile(place()));
  assert.match(faultOf(() => createMasterKey(place())).message, /exists already/);
  assert.deepEqual(readFileSync(masterKeyFile(place())), before);
  assert.deepEqual(readdirSync(dataDirectory), ['master.key']);
});

test('an absent or malformed file gives a sentence that names it and not its content', () => {
  assert.equal(faultOf(() => readMasterKey(place())).code, 'master_key_absent');
  writeFileSync(masterKeyFile(place()), 'not-a-key-canary\n');
  const fault = faultOf(() => readMasterKey(place()));
  assert.equal(fault.code, 'master_key_malformed');
  assert.match(fault.message, /master\.key/);
  assert.doesNotMatch(fault.message, /canary/);
});

test('the first start makes the key; a store that lost its key never gets a new one', () => {
  const key = masterKeyForStart(place());
  assert.deepEqual(masterKeyForStart(place()), key);
  writeFileSync(join(dataDirectory, 'metergate.db'), '');
  rmSync(masterKeyFile(place()));
  assert.equal(faultOf(() => masterKeyForStart(place())).code, 'master_key_absent');
  assert.deepEqual(readdirSync(dataDirectory), ['metergate.db']);
});

test('SVC_MASTER_KEY takes precedence over the file', () => {
  const masterKey = new Uint8Array(32).fill(9);
  createMasterKey(place());
  assert.deepEqual(readMasterKey({ ...place(), masterKey }), masterKey);
});
