/** Two first starts of one store at the same moment: one makes it, the other ends and leaves nothing behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../config/read-config.ts';
import { prepareData, type PreparedData } from './prepare-data.ts';
import { prepareOnThread, type StorePreparer } from './store-preparer.ts';

test('the second process at a new store keeps no useless master key; the first one\'s stays', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-first-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const start = (name: string, preparer: StorePreparer): Promise<PreparedData> => {
    const env = { SVC_DATA_DIR: join(folder, name), SVC_DATABASE_URL: `sqlite:${join(folder, 'one.db')}` };
    const read = readConfig(env, folder);
    assert.ok('config' in read);
    return prepareData({ config: read.config, env, isTerminal: false, sandbox: false }, preparer);
  };
  let winner: PreparedData | null = null;
  const second = prepareOnThread((preparer) => start('second', {
    async prepare(preparation) {
      assert.ok(existsSync(join(folder, 'second', 'master.key')), 'it thought itself the first');
      winner = await prepareOnThread((first) => start('first', first), () => {});
      return preparer.prepare(preparation);
    },
  }), () => {});
  await assert.rejects(second, { code: 'wrong_master_key' });
  assert.deepEqual(readdirSync(folder).filter((name) => !name.startsWith('one.db')), ['first']);
  assert.ok(existsSync(join(folder, 'first', 'master.key')));
  (winner as PreparedData | null)!.lock!.release();
});
