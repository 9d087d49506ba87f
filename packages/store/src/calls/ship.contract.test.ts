/**
 * What shipping a batch costs the store: two round trips, however much is in it, and nothing else once an organization's chain is known.
 * Other tests check what a batch writes (`spend.contract.test.ts`, `runs.contract.test.ts`, `contract.test.ts`).
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
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

/** Another value of every field of a call that the calls of a batch may share. */
const differing: Omit<{ [Name in keyof CallRecord]-?: CallRecord[Name] },
  'id' | 'organization' | 'startedAtMs' | 'kind' | 'settles' | 'settledBy' | 'works' | 'countedFor'> = {
  key: 'key_11111111111111111111' as CallRecord['key'], project: 'other', labels: ['a', 'naïve', 'b'], labelsDropped: 3, run: 'a run',
  wire: 'anthropic', endpoint: 'messages', method: 'GET', path: '/v1/other',
  node: 'node_11111111111111111111' as CallRecord['node'], transport: 'websocket',
  connection: 'req_ffffffffffffffffffffffffffffffff' as CallRecord['connection'], session: 'a session', streamed: false, status: 500, outcome: 'cut',
  model: 'gpt-7', requestedModel: 'gpt-7-latest', finishReason: 'length', inputTokens: 8, outputTokens: 9, cachedTokens: 10, cacheWriteTokens: 11,
  reasoningTokens: 12, usage: 'partial', usageReason: 'cut', cost: nanoDollars(13n), costGaps: ['tool_calls'], serviceTier: 'priority',
  audioInputTokens: 14, audioOutputTokens: 15, toolCalls: { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 0 },
  units: { pages: 2 } as CallRecord['units'],
  costSource: 'unpriced', pricedBy: 'units' as CallRecord['pricedBy'], cacheSavings: nanoDollars(16n), priceList: 'another list',
  providerRequestId: 'req_other', requestBytes: 17, responseBytes: 18, firstByteMs: 19, durationMs: 20,
};

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
      assert.equal((await keptCalls(store, one)).length, 4);
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
      assert.equal((await keptCalls(store, organization)).length, 3);
    });

    test('calls of a batch that differ in one field each are kept as they are, in their order, however many alike are between them', async () => {
      const organization = await newOrganization();
      const like = (changes: Partial<CallRecord> = {}): CallRecord => sampleRecord(organization, {
        inputTokens: 7, toolCalls: null, units: null, ...changes,
      });
      // More than go together of those that are alike, fewer of those that are not.
      const records = Object.entries(differing).flatMap(([name, value]) =>
        Array.from({ length: 12 }, (_, at) => like(at < 6 ? {} : { [name]: value })));
      records.push(...Array.from({ length: 163 }, (_, at) => like({ inputTokens: at, cost: nanoDollars(BigInt(at)), durationMs: at })));
      await calls.ship(batchOf('seg_like', records));
      const kept = new Map((await keptCalls(store, organization)).map((record) => [record.id, record]));
      assert.deepEqual(records.map(({ id }) => kept.get(id)), records);
      const rows = await bare.read((db) => db.selectFrom('call_record').select(['id', 'receipt_sequence']).where('organization', '=', organization)
        .orderBy('sequence').execute());
      assert.deepEqual(rows.map((row) => [row.id, Number(row.receipt_sequence)]), records.map(({ id }, at) => [id, at + 1]));
    });

    test('no words of an erased organization are kept, neither in its records nor in their attribution', async () => {
      const organization = await newOrganization();
      await calls.ship(batchOf('seg_erased', [sampleRecord(organization, { model: 'before', project: 'p' })]));
      await granted(store.erasure.begin(organization));
      await calls.ship(batchOf('seg_erased', [sampleRecord(organization, { model: 'said-later', project: 'secret' })], 2));
      while (await store.erasure.eraseSlice()) { /* a slice */ }
      const records = await keptCalls(store, organization);
      assert.deepEqual(records.map(({ model, project }) => [model, project]), [[null, null], [null, null]]);
      const { length } = await bare.read((db) => db.selectFrom('attribution').select('id').where('organization', '=', organization)
        .where((where) => where.or([where('model', '<>', ''), where('project', '<>', '')])).execute());
      assert.equal(length, 0);
      const numbers = await bare.read((db) => db.selectFrom('call_record').select('attribution').where('organization', '=', organization).execute());
      assert.ok(numbers.every(({ attribution }) => attribution > 0n));
    });
  });
}
