/** Who shares which wait for the disk, and what fails when the disk or the log is not available. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteAheadLog } from './write-ahead-log.ts';

/** A log file whose syncs end when the test says so. */
function heldFile() {
  const syncs: PromiseWithResolvers<void>[] = [];
  const told: string[] = [];
  const file = {
    open: (path: string) => {
      told.push(`open ${path}`);
      return 7;
    },
    sync: (descriptor: number) => {
      told.push(`sync ${descriptor}`);
      syncs.push(Promise.withResolvers<void>());
      return syncs.at(-1)!.promise;
    },
    close: (descriptor: number) => void told.push(`close ${descriptor}`),
  };
  return { file, syncs, told };
}

const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

test('all who ask while the disk works share the next wait, which begins after it', async () => {
  const { file, syncs, told } = heldFile();
  const log = new WriteAheadLog('/data/store.db', file);
  const ended: number[] = [];
  const asked = [1, 2, 3].map((asker) => log.force().then(() => ended.push(asker)));
  await turn();
  assert.deepEqual([syncs.length, ended], [1, []]);
  syncs[0]!.resolve();
  await turn();
  assert.deepEqual([syncs.length, ended], [2, [1]]);
  syncs[1]!.resolve();
  await Promise.all(asked);
  assert.deepEqual(ended, [1, 2, 3]);
  const last = log.force();
  await turn();
  syncs[2]!.resolve();
  await last;
  log.close();
  log.close();
  assert.deepEqual(told, ['open /data/store.db-wal', 'sync 7', 'sync 7', 'sync 7', 'close 7']);
});

test('a log that is closed while the disk works is closed behind all who wait', async () => {
  const { file, syncs, told } = heldFile();
  const log = new WriteAheadLog('/data/store.db', file);
  const asked = [log.force(), log.force()];
  await turn();
  log.close();
  assert.deepEqual(told, ['open /data/store.db-wal', 'sync 7']);
  syncs[0]!.resolve();
  await turn();
  syncs[1]!.resolve();
  await Promise.all(asked);
  await turn();
  assert.deepEqual(told.slice(2), ['sync 7', 'close 7']);
});

test('a disk that failed to take something is not asked again, and nothing is reported as kept', async () => {
  const { file, syncs } = heldFile();
  const log = new WriteAheadLog('/data/store.db', file);
  const [first, second] = [log.force(), log.force()];
  const refusals = [assert.rejects(first, /did not take .*store\.db-wal \(EIO\)/), assert.rejects(second, /EIO/)];
  await turn();
  syncs[0]!.reject(Object.assign(new Error('input/output error'), { code: 'EIO' }));
  await Promise.all(refusals);
  await assert.rejects(log.force(), { code: 'store_failed' });
  assert.equal(syncs.length, 1);
});

test('a log that cannot be opened loses nothing: it is tried again', async () => {
  const { file, syncs } = heldFile();
  let isFull = true;
  const log = new WriteAheadLog('/data/store.db', {
    ...file,
    open: (path) => {
      if (isFull) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return file.open(path);
    },
  });
  await assert.rejects(log.force(), { code: 'store_failed', message: /EMFILE/ });
  isFull = false;
  const forced = log.force();
  await turn();
  syncs[0]!.resolve();
  await forced;
});
