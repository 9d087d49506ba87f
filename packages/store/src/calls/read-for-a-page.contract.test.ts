/** What PostgreSQL reads for a page of calls: as many records as the page has, wherever it begins and however long it is. */
import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { openPostgresPool } from '../engine/postgres-pool.ts';
import type { Schema } from '../schema/schema.ts';
import { contractStores, onPostgres } from '../test-support/contract-store.ts';
import { batchOf, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { callPagesIn, type CallPageQuery } from './call-pages.ts';

const contractStore = contractStores();
const calls = 6_000;
const minuteMs = 60_000;

/** One node of `explain (analyze, format json)`. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describe('what a page of calls reads on PostgreSQL', async () => {
  const { store, context, url, newOrganization } = await contractStore(onPostgres);
  const organization = await newOrganization();
  const records = Array.from({ length: calls }, (_, index) => sampleRecord(organization, {
    startedAtMs: startMs + index * minuteMs, labels: index % 2 === 0 ? ['half'] : [],
    ...(index % 4 === 1 ? { outcome: 'cut', usage: 'unknown', cost: null } : index % 4 === 2 ? { status: 503, usage: 'none', cost: null } : {}),
    ...(index === 100 ? { costGaps: ['service_tier'] } : {}),
  }));
  await store.calls.ship(batchOf(`seg_${organization}`, records));
  await context.query(url, 'analyze');

  /** Sends the page's statements once more, explained: the records of calls that it read, and those that it gives. */
  async function readFor(query: Omit<CallPageQuery, 'organization'>): Promise<{ readonly read: number; readonly given: number }> {
    const sent: CompiledQuery[] = [];
    const dialect = new PostgresDialect({ pool: openPostgresPool(url) });
    const db = new Kysely<Schema>({ dialect, log: (event) => void sent.push(event.query) });
    const engine = { kind: 'postgres', read: (ask: (on: typeof db) => Promise<unknown>) => ask(db) } as Engine;
    const page = await callPagesIn({ engine } as Parameters<typeof callPagesIn>[0]).page({ organization, ...query });
    await db.destroy();
    let read = 0;
    for (const { sql, parameters } of sent) {
      const [row] = await context.query(url, `explain (analyze, format json) ${sql}`, parameters as SQLInputValue[]);
      read += recordsRead((row!['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[])[0]!.Plan);
    }
    return { read, given: page!.length };
  }

  const middle = records[calls / 2]!;
  const searches: readonly Partial<CallPageQuery>[] = [
    {}, { filter: { outcome: 'completed' } }, { filter: { outcome: 'cut' } }, { filter: { usage: 'reported' } }, { filter: { usage: 'unknown' } },
    { filter: { status: 'error' } }, { filter: { status: { from: 500, below: 600 } } },
    { filter: { lacks: 'any' } }, { filter: { lacks: 'unknown' } },
  ];
  for (const after of [undefined, middle]) {
    for (const limit of [1, 200, 600]) {
      test(`pages of ${limit} from the ${after === undefined ? 'newest' : 'middle'} on read little more than they give`, async () => {
        for (const search of searches) {
          const { read, given } = await readFor({ ...search, limit, ...(after === undefined ? {} : { after }) });
          assert.equal(given, limit, JSON.stringify(search));
          // At most the calls between two that fit, and the one that the page continues from.
          assert.ok(read <= given * 3 + 5, `${JSON.stringify(search)}: ${read} read for ${given}`);
        }
      });
    }
  }

  test('the calls of a label are read on the days of the page alone', async () => {
    for (const after of [undefined, middle]) {
      const { read, given } = await readFor({ filter: { label: 'half' }, limit: 200, ...(after === undefined ? {} : { after }) });
      assert.equal(given, 200);
      assert.ok(read <= 2 * 24 * 60 + 1, `${read} read`);
    }
  });

  test('the few calls that a price has gaps for are read on the days that have such calls', async () => {
    const { read, given } = await readFor({ filter: { lacks: 'gaps' }, limit: 200 });
    assert.equal(given, 1);
    assert.ok(read <= 24 * 60, `${read} read`);
    assert.deepEqual(await readFor({ filter: { lacks: 'unpriced' }, limit: 200 }), { read: 0, given: 0 });
  });
});

function recordsRead(node: PlanNode): number {
  const own = node['Relation Name'] === 'call_record' ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, each) => sum + recordsRead(each), 0);
}
