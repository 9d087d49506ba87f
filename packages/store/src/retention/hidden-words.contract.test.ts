/**
 * An erased organization's words are read by nobody from the first step of its erasure on: whatever is asked is answered then as it is between the
 * slices and after the last one. Rule 23.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { usageDimensions } from '@metergate/core/report/usage-sum.ts';
import type { UsageQuery } from '../usage/usage-query.ts';
import { batchOf, granted, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const hourMs = 3_600_000;
const canary = 'CANARY';
const words = ['model', 'project', 'label', 'run', 'session', 'upstream'] as const;
const pairs = [
  ['label', 'run'], ['label', 'model'], ['project', 'session'], ['day', 'label'], ['label', 'hour'], ['key', 'model'], ['upstream', 'label'],
] as const;

for (const on of bothEngines) {
  describe(`words of an erased organization on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const text = (value: unknown): string => JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
    const sorted = (rows: readonly unknown[] | null): string[] | null => rows?.map(text).sort() ?? null;

    /** More than a slice of calls, of two days and months, whose every word has the canary. */
    async function played() {
      const organization = await newOrganization();
      const records = Array.from({ length: 250 }, (_, index) => sampleRecord(organization, {
        startedAtMs: startMs + (index % 2) * 40 * 24 * hourMs + (index % 20) * hourMs + index, inputTokens: index,
        project: `${canary}-p${index % 3}`, labels: [`${canary}-l${index % 4}`, ...(index % 2 === 0 ? [`${canary}-m`] : [])],
        run: index % 5 === 0 ? `${canary}-r` : null, wire: index % 7 === 0 ? 'upstream' : 'openai', path: `/upstreams/${canary.toLowerCase()}/v1`,
        model: `${canary}-${index % 2}`, requestedModel: `${canary}-asked`, finishReason: canary, serviceTier: canary, providerRequestId: canary,
        session: `${canary}-s${index % 3}`, works: [`${canary}-work`], cost: nanoDollars(BigInt(index)),
      }));
      await store.calls.ship(batchOf(`seg_${organization}`, records));
      const rows = await context.query(url, 'select sequence, id, started_at_ms from call_record where organization = $1', [organization]);
      const calls = rows.map((row) => {
        const { key, project, startedAtMs } = records.find(({ id }) => id === row['id'])!;
        return { sequence: BigInt(row['sequence'] as string), key, project, startedAtMs };
      });
      const corrections = new Map(calls.slice(0, 30).map(({ sequence }) => [sequence, {
        recorded: nanoDollars(1n), cost: nanoDollars(3n), costGaps: [], priceList: 'list',
      }]));
      await store.callCorrections.replace({ organization, calls, corrections, counted: false, audited: false });
      return { organization, records };
    }

    async function pagesOf<Item>(pages: AsyncGenerator<readonly Item[], void, undefined>): Promise<Item[]> {
      const all: Item[] = [];
      for await (const page of pages) all.push(...page);
      return all;
    }

    /** Every question by words, and every answer that has words. */
    async function answers({ organization, records }: Awaited<ReturnType<typeof played>>): Promise<Map<string, unknown>> {
      const found = new Map<string, unknown>();
      const usage = async (name: string, query: Partial<UsageQuery>): Promise<void> =>
        void found.set(`usage ${name}`, sorted(await store.usageReports.usage({ organization, by: [], rowsMax: 10_000, ...query })));
      const one = records[0]!;
      const asked = {
        model: one.model!, project: one.project!, label: one.labels[0]!, run: one.run!, session: one.session!, upstream: canary.toLowerCase(),
      };
      for (const by of usageDimensions) await usage(by, { by: [by] });
      for (const pair of pairs) await usage(pair.join(), { by: pair });
      for (const word of words) {
        for (const by of ['day', 'label'] as const) await usage(`${by} of a ${word}`, { by: [by], filter: { [word]: asked[word] } });
      }
      await usage('label of a part of a day', { by: ['label', 'model'], sinceMs: startMs + 1, untilMs: startMs + 5 * hourMs });
      for (const index of [0, 1]) await usage(`share ${index}`, { by: ['label'], share: { index, of: 2, seed: 7 } });
      const span = { fromMs: 0, toMs: startMs + 1_000 * 24 * hourMs, last: 10_000 };
      found.set('page', await store.callPages.page({ organization, limit: 1_000 }));
      for (const word of words) {
        found.set(`page of a ${word}`, await store.callPages.page({ organization, limit: 10, filter: { [word]: asked[word] } }));
      }
      found.set('began by', await store.callPages.beganBy(organization, asked.run));
      found.set('by id', await store.callPages.find(organization, one.id));
      found.set('by id, of anybody', await store.callPages.find(null, one.id));
      found.set('walk', (await pagesOf(store.callWalk.walk({ organization, ...span }))).map(({ record }) => record));
      found.set('costs of a project', await pagesOf(store.callWalk.costs({ organization, ...span, project: asked.project })));
      found.set('costs of a label', await pagesOf(store.callWalk.costs({ organization, ...span, label: asked.label })));
      found.set('names', await store.usedNames.holding({ organization, text: canary, sinceMs: 0, limit: 100 }));
      found.set('month', await pagesOf(store.monthWalk.calls({ organization, ...span })));
      found.set('late calls', await pagesOf(store.monthWalk.callsAfter({ organization, ...span, after: 0 })));
      const columns = ['model', 'requestedModel', 'project', 'run', 'session', 'labels'] as const;
      found.set('corrections', sorted(await store.callCorrections.sums({ organization, by: columns, everyMs: null, filter: {} })));
      found.set('corrections of a model', sorted(await store.callCorrections.sums({
        organization, by: ['wire'], everyMs: 24 * hourMs, filter: { model: asked.model },
      })));
      found.set('receipts', await store.receipts.page(organization, { first: 1, last: 1_000, limit: 1_000 }));
      found.set('receipt', await store.receipts.find(one.id));
      return found;
    }

    test('are in no answer from the first step on, and no slice changes an answer', async () => {
      const of = await played();
      const before = await answers(of);
      assert.ok([...before].filter(([, answer]) => text(answer).includes(canary)).length > 30, 'answers had words');
      await granted(store.erasure.begin(of.organization));
      const begun = await answers(of);
      assert.deepEqual([...begun].filter(([, answer]) => text(answer).toUpperCase().includes(canary)).map(([name]) => name), []);
      assert.ok(Number((await context.query(url, 'select count(*) as left_over from call_record where organization = $1 and model is not null',
        [of.organization]))[0]!['left_over']) === 250, 'and yet no word was erased');
      for (let slice = 1; await store.erasure.eraseSlice(); slice += 1) {
        // Of records, of sums, and of attributions.
        if (slice !== 1 && slice % 6 > 0) continue;
        for (const [name, answer] of await answers(of)) assert.equal(text(answer), text(begun.get(name)), `${name}, slice ${slice}`);
      }
      for (const [name, answer] of await answers(of)) assert.equal(text(answer), text(begun.get(name)), `${name}, at the end`);
    });

    test('go also with a notice that was being raised while the erasure began', async () => {
      const organization = await newOrganization();
      await granted(store.erasure.begin(organization));
      await context.run(url, [`insert into notice (id, organization, type, dedupe, at_ms, body)
        values ('notice_${organization}', '${organization}', 'run.over_budget', 'run/${canary}', 1, '{"run":"${canary}"}')`]);
      while (await store.erasure.eraseSlice()) { /* a slice */ }
      assert.deepEqual(await context.query(url, 'select id from notice where organization = $1', [organization]), []);
    });

    test('are hidden in the rest of a walk that began before', async () => {
      const { organization } = await played();
      const span = { organization, fromMs: 0, toMs: startMs + 1_000 * 24 * hourMs };
      const walk = store.callWalk.walk(span);
      const month = store.monthWalk.calls({ ...span, last: 10_000 });
      await granted(store.erasure.begin(organization as OrganizationId));
      for (const page of [(await walk.next()).value, (await month.next()).value]) assert.doesNotMatch(text(page), /CANARY/);
    });
  });
}
