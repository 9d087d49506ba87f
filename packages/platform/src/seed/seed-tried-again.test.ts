/** Seeding goes on after a store did not answer in time, whether or not it had kept the batch, and nothing is in it twice. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { figureIn } from '@metergate/core/report/usage-sum.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { CallBatch } from '@metergate/store/journal/call-sink.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { freshSqlite, masterKey } from '../http/test-support/platform-fixture.ts';
import { seedStore } from '../use-cases/seed.ts';
import { triedAgain } from './tried-again.ts';

const bytes = (n: number): Uint8Array => randomBytes(n);
const nowMs = Date.UTC(2026, 10, 20, 12);
const opened = (url: string): Promise<Store> => openStore({ url, masterKey, clock: Date.now, randomBytes: bytes, create: true });
const late = (): StoreFault => new StoreFault('store_unreachable', 'no answer in time');

/** What the first organization used, by the sums and in runs. */
async function kept(store: Store): Promise<readonly bigint[]> {
  const organization = await store.organizations.find('default');
  assert.ok(organization !== null && 'id' in organization);
  const used = async (by: 'day' | 'run'): Promise<bigint> => {
    const rows = await store.usageReports.usage({ organization: organization.id, by: [by], rowsMax: 1_000 });
    return rows!.reduce((sum, { figures }) => sum + figureIn(figures, 'calls'), 0n);
  };
  return [await used('day'), await used('run')];
}

test('a batch whose answer is lost is given again, once in the store, whether it was kept or not; batches become smaller', async () => {
  const place = freshSqlite();
  const store = await opened(place.url);
  try {
    const [sizes, runs, keys]: [number[], number[], number[]] = [[], [], []];
    /** The first is not kept, the second is and its answer is lost. */
    const losing = <Given extends readonly unknown[]>(tries: number[], work: (...given: Given) => Promise<void>, size: (given: Given) => number) =>
      async (...given: Given): Promise<void> => {
        tries.push(size(given));
        if (tries.length === 1) throw late();
        await work(...given);
        if (tries.length === 2) throw new StoreFault('store_busy', 'did not finish in time');
      };
    const calls = { ...store.calls, ship: losing(sizes, (batch: CallBatch) => store.calls.ship(batch), ([{ records }]) => records.length) };
    const seeding = {
      ...store.seeding,
      addRuns: losing(runs, (...given) => store.seeding.addRuns(...given), ([given]) => given.length),
      addKeys: losing(keys, (...given) => store.seeding.addKeys(...given), ([, given]) => given.length),
    } satisfies Store['seeding'];
    const context = { store: { ...store, calls, seeding }, randomBytes: bytes, nowMs };
    const made = await seedStore(context, { organizations: 1, keys: 5, calls: 450 }, () => {}, 400);
    assert.deepEqual(made, { organizations: 1, keys: 5, calls: 450 });
    assert.deepEqual(sizes, [400, 200, 100, 100, 100, 100, 50], 'halved by each lost answer');
    assert.deepEqual(await kept(store), [450n, 450n]);
    assert.deepEqual(keys, [5, 5, 5]);
  } finally {
    await store.close();
    place.remove();
  }
});

test('a server that crashes in the middle of it and comes back has every call once', async () => {
  const postgres = await startPostgres();
  const store = await opened(await postgres.createDatabase());
  try {
    let crashed: Promise<void> | null = null;
    const made = await seedStore({ store, randomBytes: bytes, nowMs }, { organizations: 1, keys: 5, calls: 450 }, () => {
      crashed ??= postgres.crash().then(() => postgres.resume());
    }, 200);
    await crashed;
    assert.deepEqual(made, { organizations: 1, keys: 5, calls: 450 });
    assert.deepEqual(await kept(store), [450n, 450n]);
  } finally {
    await store.close();
    await postgres.stop();
  }
});

test('what would be refused again is not tried again', async () => {
  let tries = 0;
  await assert.rejects(triedAgain(async () => {
    tries += 1;
    throw new StoreFault('row_refused', 'no');
  }, () => {}), { code: 'row_refused' });
  assert.equal(tries, 1);
});
