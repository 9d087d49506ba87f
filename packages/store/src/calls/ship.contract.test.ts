/**
 * What shipping a batch costs the store: two round trips, however much is in it, and nothing else once an organization's chain is known.
 * Other tests check what a batch writes (`spend.contract.test.ts`, `runs.contract.test.ts`, `contract.test.ts`).
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { feedNumbersIn } from '../engine/feed-numbers.ts';
import { openEngine, type Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { createVault } from '../sealing/vault.ts';
import { batchOf, granted, sampleRecord, startMs, testMasterKey } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { callRecordsIn } from './call-records.ts';

const contractStore = contractStores();
const ends: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of ends) await end();
});

/** Counts how often somebody waits: a statement that is sent after an answer was there begins a new round trip. */
function counting(engine: Engine): { readonly engine: Engine; trips(): number } {
  let trips = 0;
  let answered = true;
  const counted = (send: Send): Send => (statement, parameters) => {
    if (answered) trips += 1;
    answered = false;
    return send(statement, parameters).finally(() => { answered = true; }) as never;
  };
  const alone = <Args extends unknown[], Result>(ask: (...args: Args) => Result) => (...args: Args): Result => {
    trips += 1;
    return ask(...args);
  };
  return {
    engine: {
      ...engine, read: alone(engine.read) as Engine['read'], write: alone(engine.write) as Engine['write'],
      transact: (read, write) => {
        answered = true;
        return engine.transact((send) => read(counted(send)), (send, found) => write(counted(send), found));
      },
    },
    trips() {
      const counted = trips;
      trips = 0;
      return counted;
    },
  };
}

for (const on of bothEngines) {
  describe(`shipping on ${on.title}`, async () => {
    const { url, store, newOrganization } = await contractStore(on);
    const bare = await openEngine(url, { create: false });
    ends.push(() => bare.close());
    const { engine, trips } = counting(bare);
    const randomBytes = (n: number): Uint8Array => new Uint8Array(n).fill(3);
    const calls = callRecordsIn({
      engine, background: engine, feeds: feedNumbersIn(engine), vault: createVault(testMasterKey, randomBytes), clock: () => startMs, randomBytes,
    });

    test('a batch of two organizations, with runs, events of runs and attributions never seen, is two round trips', async () => {
      const [one, other] = [await newOrganization(), await newOrganization()];
      await store.runs.open([{
        organization: one, id: 'run', startedAtMs: startMs, expiresAtMs: null, exposureLimit: null, mayCreate: true,
        declared: nanoDollars(90n), effective: nanoDollars(90n), clampReason: null,
      }]);
      const records = (model: string) => [one, other, one].map((organization) => sampleRecord(organization, {
        run: organization === one ? 'run' : null, model, cost: nanoDollars(10n), startedAtMs: startMs,
      }));
      const first = batchOf('seg_trips', records('m-1'));
      await calls.ship(first);
      trips();
      const second = batchOf('seg_trips', records('m-2'), first.through + 1);
      const event = { organization: one, run: 'run', declared: nanoDollars(50n), effective: nanoDollars(50n), clampReason: null, atMs: startMs };
      await calls.ship({ ...second, after: first.through, through: second.through + 1, runEvents: [{ seq: second.through + 1, event }] });
      assert.equal(trips(), 2);
      const run = await store.runs.get({ organization: one, id: 'run' });
      assert.deepEqual([run?.spent, run?.effective], [40n, 50n]);
      assert.equal((await store.calls.list({ organization: one, limit: 10 })).length, 4);
    });

    test('a new organization\'s chain, and one whose key was rotated meanwhile, cost more once and lose nothing', async () => {
      const organization = await newOrganization();
      await calls.ship(batchOf('seg_rotated', [sampleRecord(organization)]));
      await granted(store.receipts.rotateKey(organization));
      trips();
      await calls.ship(batchOf('seg_rotated', [sampleRecord(organization)], 2));
      assert.ok(trips() > 2);
      await calls.ship(batchOf('seg_rotated', [sampleRecord(organization)], 3));
      assert.equal(trips(), 2);
      assert.equal((await store.calls.list({ organization, limit: 10 })).length, 3);
    });

    test('no words of an erased organization are kept, neither in its records nor in their attribution', async () => {
      const organization = await newOrganization();
      await calls.ship(batchOf('seg_erased', [sampleRecord(organization, { model: 'before', project: 'p' })]));
      await granted(store.erasure.begin(organization));
      await calls.ship(batchOf('seg_erased', [sampleRecord(organization, { model: 'said-later', project: 'secret' })], 2));
      while (await store.erasure.eraseSlice()) { /* a slice */ }
      const records = await store.calls.list({ organization, limit: 10 });
      assert.deepEqual(records.map(({ model, project }) => [model, project]), [[null, null], [null, null]]);
      const { length } = await bare.read((db) => db.selectFrom('attribution').select('id').where('organization', '=', organization)
        .where((where) => where.or([where('model', '<>', ''), where('project', '<>', '')])).execute());
      assert.equal(length, 0);
      const numbers = await bare.read((db) => db.selectFrom('call_record').select('attribution').where('organization', '=', organization).execute());
      assert.ok(numbers.every(({ attribution }) => attribution > 0n));
    });
  });
}
