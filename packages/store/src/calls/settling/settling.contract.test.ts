/**
 * Work that is billed later is settled once for each id of the provider's, whichever node learns of it, however often, and in whatever order; the
 * call that began it is unknown no more; and every sum equals its records after a random day. On both engines. Rule 6f.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { figureIn, type UsageFigureName } from '@metergate/core/report/usage-sum.ts';
import { lackingCounts } from '@metergate/core/spend/lacking-calls.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { Store } from '../../store.ts';
import { batchOf, drawing, granted, sampleRecord, startMs } from '../../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../../test-support/contract-store.ts';

const contractStore = contractStores();
const hourMs = 3_600_000;
const nothing = {
  model: null, inputTokens: null, outputTokens: null, cachedTokens: null, reasoningTokens: null, audioInputTokens: null, toolCalls: null, units: null,
  cost: null, costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null, serviceTier: null, requestedModel: null,
} as const;

/** The call that begins a piece of work. */
function beginning(organization: OrganizationId, work: string, changes: Partial<CallRecord> = {}): CallRecord {
  return sampleRecord(organization, {
    ...nothing, usage: 'unknown', usageReason: 'deferred', endpoint: 'other', path: '/v1/batches', works: [work],
      key: 'key_began' as ServiceKeyId, ...changes,
  });
}

/** What an answer tells of it a day later, in a call of somebody else's. */
function settlement(organization: OrganizationId, works: readonly string[], changes: Partial<CallRecord> = {}): CallRecord {
  return sampleRecord(organization, {
    kind: 'settlement', works, method: 'GET', path: `/v1/batches/${works[0]!}`, endpoint: 'other', startedAtMs: startMs + 24 * hourMs,
    key: 'key_polled' as ServiceKeyId, project: 'other', labels: ['poll'], ...changes,
  });
}

for (const on of bothEngines) {
  describe(`work that is billed later, on ${on.title}`, async () => {
    const { store, another, newOrganization } = await contractStore(on);
    const other = await another();
    let segments = 0;
    const ship = (records: readonly CallRecord[], node: Store = store): Promise<void> => node.calls.ship(batchOf(`seg_settling${++segments}`,
      records));
    const listed = (organization: OrganizationId): Promise<CallRecord[]> => keptCalls(store, organization);
    const total = async (organization: OrganizationId) => {
      const [row] = (await store.usageReports.usage({ organization, by: [], rowsMax: 10, sinceMs: 0, untilMs: startMs + 1_000 * hourMs }))!;
      return { calls: Number(figureIn(row!.figures, 'calls')), unknown: Number(figureIn(row!.figures, 'unknownCalls')),
        cost: figureIn(row!.figures, 'cost') };
    };

    test('is settled once, by whichever node comes first, and counts for who began it', async () => {
      const organization = await newOrganization();
      const call = beginning(organization, 'batch_1', { run: 'r', labels: ['began'], project: 'mine' });
      await ship([call]);
      const all = Array.from({ length: 6 }, () => settlement(organization, ['batch_1', 'file-1']));
      await Promise.all(all.map((each, index) => ship([each], index % 2 === 0 ? store : other)));
      const [settled, began, ...more] = await listed(organization);
      assert.deepEqual(more, []);
      assert.deepEqual([settled!.settles, settled!.key, settled!.project, settled!.labels, settled!.run], [call.id, 'key_began', 'mine',
        ['began'], 'r']);
      assert.deepEqual(began, { ...call, settledBy: settled!.id }, 'the record of the call is as it was');
      assert.deepEqual(await total(organization), { calls: 2, unknown: 0, cost: 123_456_789n });
      assert.deepEqual((await store.callPages.page({ organization, filter: { lacks: 'unknown' }, limit: 10 })), []);
    });

    test('a batch sent twice, and a call and its settlement in one batch, count once', async () => {
      const organization = await newOrganization();
      const batch = batchOf(`seg_settling${++segments}`, [
        beginning(organization, 'batch_1'), settlement(organization, ['batch_1']), settlement(organization, ['batch_1']),
      ]);
      await store.calls.ship(batch);
      await other.calls.ship(batch);
      assert.deepEqual(await total(organization), { calls: 2, unknown: 0, cost: 123_456_789n });
    });

    test('a settlement that arrives before its call settles it all the same', async () => {
      const organization = await newOrganization();
      await ship([settlement(organization, ['batch_1'])], other);
      assert.equal((await listed(organization))[0]!.settles, null);
      await ship([beginning(organization, 'batch_1')]);
      assert.deepEqual(await total(organization), { calls: 2, unknown: 0, cost: 123_456_789n });
    });

    test('work whose own call has its usage is not settled', async () => {
      const organization = await newOrganization();
      await ship([sampleRecord(organization, { path: '/v1/responses', works: ['resp_1'] })]);
      await ship([settlement(organization, ['resp_1'], { path: '/v1/responses/resp_1' })], other);
      assert.equal((await total(organization)).calls, 1);
    });

    test('a file of results settles the batch that is known to have written it, and no other file settles anything', async () => {
      const organization = await newOrganization();
      const file = (): CallRecord => settlement(organization, ['file-1'], { path: '/v1/files/file-1/content' });
      await ship([beginning(organization, 'batch_1'), file()]);
      assert.equal((await total(organization)).calls, 1, 'nobody said whose file it is');
      await ship([sampleRecord(organization, { ...nothing, usage: 'none', method: 'GET', path: '/v1/batches/batch_1', works: ['batch_1',
        'file-1'] })]);
      await ship([file()], other);
      await ship([settlement(organization, ['batch_1', 'file-1'])]);
      assert.deepEqual(await total(organization), { calls: 3, unknown: 0, cost: 123_456_789n });
    });

    test('a file of what failed does not settle a batch whose other file tells what succeeded', async () => {
      const organization = await newOrganization();
      const file = (name: string, more: Partial<CallRecord> = {}): CallRecord =>
        settlement(organization, [name], { path: `/v1/files/${name}/content`, ...more });
      await ship([beginning(organization, 'batch_1'), sampleRecord(organization, { ...nothing, usage: 'none', method: 'GET',
        path: '/v1/batches/batch_1', works: ['batch_1', 'file-1', 'file-errors'] })]);
      await ship([file('file-errors', { ...nothing, usage: 'none' })], other);
      assert.equal((await total(organization)).unknown, 1);
      await ship([file('file-1')]);
      assert.deepEqual(await total(organization), { calls: 3, unknown: 0, cost: 123_456_789n });
    });

    test('the same id on another wire, or of another organization, is other work', async () => {
      const [organization, stranger] = [await newOrganization(), await newOrganization()];
      await ship([beginning(organization, 'batch_1')]);
      await ship([settlement(stranger, ['batch_1']), settlement(organization, ['batch_1'], { wire: 'upstream' })]);
      assert.equal((await total(organization)).unknown, 1);
    });

    test('a run gets the cost and loses the unknown call; caps have both, in the windows of their moments', async () => {
      const organization = await newOrganization();
      await store.runs.open([{
        organization, id: 'r', declared: null, effective: null, clampReason: null, startedAtMs: startMs, expiresAtMs: null, exposureLimit: null,
          mayCreate: true,
      }]);
      await ship([beginning(organization, 'batch_1', { run: 'r' })]);
      await ship([settlement(organization, ['batch_1'])]);
      const run = (await store.runs.get({ organization, id: 'r' }))!;
      assert.deepEqual([run.spent, run.unknownCalls], [123_456_789n, 0]);
      const spent = async (atMs: number) => (await store.spend.sumsOfAll([{ organization, key: 'key_began' as ServiceKeyId }], atMs))[0]!;
      assert.equal((await spent(startMs)).key.day.spent, 0n);
      assert.equal((await spent(startMs + 24 * hourMs)).key.day.spent, 123_456_789n);
    });

    test('a file that was read before its batch named it settles the batch all the same', async () => {
      const organization = await newOrganization();
      const read = (): CallRecord => sampleRecord(organization, { ...nothing, usage: 'none', method: 'GET', path: '/v1/files/file-1/content',
        works: ['file-1'] });
      const file = (): CallRecord => settlement(organization, ['file-1'], { path: '/v1/files/file-1/content' });
      await ship([beginning(organization, 'batch_1'), read(), file()]);
      await ship([sampleRecord(organization, { ...nothing, usage: 'none', method: 'GET', path: '/v1/batches/batch_1', works: ['batch_1',
        'file-1'] })], other);
      await ship([read(), file()]);
      await ship([file()], other);
      assert.deepEqual(await total(organization), { calls: 5, unknown: 0, cost: 123_456_789n });
    });

    test('ids of another organization settle nothing, whatever a caller makes up', async () => {
      const [organization, stranger] = [await newOrganization(), await newOrganization()];
      await ship([beginning(organization, 'batch_1'), sampleRecord(organization, { ...nothing, usage: 'none', method: 'GET',
        path: '/v1/batches/batch_1', works: ['batch_1', 'file-1'] })]);
      // The batch, the file that it wrote, a batch of one's own that claims the file, and a file that claims both.
      await ship([settlement(stranger, ['batch_1'])], other);
      await ship([settlement(stranger, ['file-1'], { path: '/v1/files/file-1/content' })], other);
      await ship([beginning(stranger, 'batch_9')]);
      await ship([settlement(stranger, ['batch_9', 'file-1'])]);
      await ship([settlement(stranger, ['batch_9', 'file-2']), settlement(stranger, ['batch_8', 'file-2'])]);
      assert.deepEqual(await total(organization), { calls: 2, unknown: 1, cost: 0n });
      assert.deepEqual((await listed(stranger)).filter(({ kind }) => kind === 'settlement').map(({ works }) => works), [['batch_9', 'file-1'],
        ['batch_1']], 'each of its own ids once, a file of one batch for no other');
      // Within one organization, a made up batch does not take the file of a known one.
      await ship([settlement(organization, ['batch_7', 'file-1'])], other);
      assert.equal((await total(organization)).unknown, 1);
      await ship([settlement(organization, ['file-1'], { path: '/v1/files/file-1/content' })]);
      assert.deepEqual(await total(organization), { calls: 3, unknown: 0, cost: 123_456_789n });
    });

    test('what is forgotten for its age is not asked for again, and settlements are counted on', async () => {
      const organization = await newOrganization();
      await granted(store.organizations.set(organization, { follow: true }));
      await ship([beginning(organization, 'batch_1', { startedAtMs: 5 }), beginning(organization, 'batch_2', { startedAtMs: 5 })]);
      await ship([settlement(organization, ['batch_1'])]);
      const due = async () => (await store.followedWorks.due(startMs, { each: 5, all: 40 })).filter((each) => each.organization === organization);
      assert.deepEqual((await due()).map(({ work }) => work), ['batch_2']);
      const latest = await store.settlements.latest();
      let forgotten = 0;
      for (let some = -1; some !== 0; forgotten += some) some = await store.followedWorks.forget(6);
      assert.equal(forgotten, 1, 'the latest settlement stays');
      assert.deepEqual([await due(), await store.settlements.latest()], [[], latest]);
      await ship([settlement(organization, ['batch_3'])]);
      assert.ok(await store.settlements.latest() > latest);
      assert.deepEqual([await store.followedWorks.forget(6), await store.followedWorks.forget(6)], [1, 0]);
      await granted(store.organizations.set(organization, { follow: false }));
    });

    test('a node that is alone with its store learns of each settlement once', async () => {
      const before = await store.settlements.latest();
      const organization = await newOrganization();
      await ship([beginning(organization, 'batch_1'), settlement(organization, ['batch_1'], { cost: nanoDollars(7n) })]);
      await ship([settlement(organization, ['batch_1'])]);
      const { spent, through } = await store.settlements.after(before);
      assert.deepEqual(spent.map(({ key, cost }) => [key, cost]), [['key_began', 7n]]);
      assert.deepEqual(await store.settlements.after(through), { spent: [], through });
    });

    test('after a random day every sum equals the sum of records and settlements, and the chain of receipts holds', async () => {
      const organization = await newOrganization();
      const draw = drawing(20_261_124);
      for (let batch = 0; batch < 30; batch += 1) {
        const records = Array.from({ length: 1 + draw(20) }, (): CallRecord => {
          const work = `batch_${draw(60)}`;
          const of = {
            startedAtMs: startMs + draw(24 * 60) * 60_000, key: `key_${draw(3)}` as ServiceKeyId, project: draw(2) === 0 ? null : `p${draw(3)}`,
            labels: draw(2) === 0 ? [] : [`l${draw(3)}`], run: draw(3) === 0 ? `run${draw(3)}` : null,
          };
          if (draw(3) === 0) return sampleRecord(organization, { ...of, cost: nanoDollars(BigInt(draw(1_000))), inputTokens: draw(100) });
          return draw(2) === 0 ? beginning(organization, work, of) : settlement(organization, [work, `file-${work}`], { ...of,
            inputTokens: draw(100) });
        });
        await ship(records, draw(2) === 0 ? store : other);
      }
      const records = await listed(organization);
      const works = records.filter(({ kind }) => kind === 'settlement').map(({ works: [work] }) => work);
      assert.equal(new Set(works).size, works.length);
      assert.ok(records.some(({ settledBy }) => settledBy !== null) && records.some((each) => lackingCounts.unknownCalls(each)));
      for (const by of [[], ['day'], ['hour'], ['key'], ['label'], ['run'], ['model'], ['project']] as const) {
        for (const [sinceMs, untilMs] of [[0, startMs + 100 * hourMs], [startMs + 5 * hourMs + 7, startMs + 9 * hourMs + 11]] as const) {
          const rows = (await store.usageReports.usage({ organization, by, rowsMax: 1_000, sinceMs, untilMs }))!;
          const these = records.filter(({ startedAtMs }) => startedAtMs >= sinceMs && startedAtMs < untilMs);
          const sum = (name: UsageFigureName): bigint => rows.reduce((all, { figures }) => all + figureIn(figures, name), 0n);
          assert.equal(sum('unknownCalls'), BigInt(these.filter((each) => lackingCounts.unknownCalls(each)).length), `${by.join()} unknown`);
          assert.equal(sum('calls'), BigInt(these.length), `${by.join()} calls`);
          assert.equal(sum('cost'), these.reduce((all, { cost }) => all + (cost ?? 0n), 0n), `${by.join()} cost`);
        }
      }
      const { differences } = (await store.spendReconciler.reconcile(async () => true))!;
      assert.deepEqual(differences, []);
      await ship([settlement(organization, [records.find((each) => lackingCounts.unknownCalls(each))!.works[0]!])]);
      assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, [], 'also after one that changes an older day');
    });
  });
}
