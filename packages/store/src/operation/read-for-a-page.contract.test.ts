/** What a page of the audit trail reads: little more than it gives, whatever it is filtered by and wherever it begins. */
import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { openPostgresPool } from '../engine/postgres-pool.ts';
import { EmbeddedDialect } from '../engine/sqlite-dialect.ts';
import { openSqliteFile } from '../engine/sqlite-file.ts';
import type { Schema } from '../schema/schema.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { auditTrailIn, type AuditQuery } from './audit-trail.ts';

const contractStore = contractStores();
const rows = 20_000;
const limit = 100;

/** One node of `explain (analyze, format json)`. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Reading {
  readonly given: string[];
  readonly read: number;
  readonly steps: string[];
}

type Search = Omit<AuditQuery, 'organization' | 'limit'>;

for (const engineOf of bothEngines) {
  describe(`what a page of the audit trail reads on ${engineOf.title}`, async () => {
    const { context, url, newOrganization } = await contractStore(engineOf);
    const organization = await newOrganization();
    // A rare subject and a rare kind at the old end; half of the rows are of one subject, half of one kind, and few of both.
    const owners = [['aud', organization], ['all', null]] as const;
    await context.run(url, owners.map(([prefix, owner]) => `insert into audit_event (id, organization, at_ms, actor_kind, action, subject, detail)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
      select '${prefix}_' || i,
        ${owner === null ? 'null' : `'${owner}'`}, i * 1000, 'operator',
        case when i <= 20 then 'removeCap' when i % 2 = 0 then 'setKey' else 'setCap' end,
        case when i between 11 and 30 then 'key_rare' when i % 2 = 0 or i < 200 then 'key_even' else 'key_odd' end, '{}' from n`));
    await context.query(url, 'analyze');

    /** Asks for the page, and for the plans of its statements: rows read on PostgreSQL, the steps on SQLite. */
    async function readFor(search: Search, owner: AuditQuery['organization'] = organization): Promise<Reading> {
      const sent: CompiledQuery[] = [];
      const sqlite = context.name === 'sqlite';
      const dialect = sqlite ? new EmbeddedDialect(await openSqliteFile(url.slice('sqlite:'.length), { create: false }))
        : new PostgresDialect({ pool: openPostgresPool(url) });
      const db = new Kysely<Schema>({ dialect, log: (event) => void sent.push(event.query) });
      const engine = { kind: context.name, read: (ask: (on: typeof db) => Promise<unknown>) => ask(db) } as Engine;
      const page = await auditTrailIn({ engine } as Parameters<typeof auditTrailIn>[0]).list({ organization: owner, limit, ...search });
      await db.destroy();
      let read = 0;
      const steps: string[] = [];
      for (const { sql, parameters } of sent) {
        const plan = await context.query(url, `explain ${sqlite ? 'query plan' : '(analyze, format json)'} ${sql}`, parameters as SQLInputValue[]);
        if (sqlite) steps.push(...plan.map((step) => String(step['detail'])));
        else read += rowsRead((plan[0]!['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[])[0]!.Plan);
      }
      return { given: page!.map(({ id }) => id), read, steps };
    }

    const since = { sinceMs: (rows - 300) * 1000 };
    const searches: readonly Search[] = [
      {}, { subject: 'key_rare' }, { subject: 'key_even' }, { action: 'removeCap' }, { action: 'setKey' }, since, { sinceMs: 1000 },
      { subject: 'key_even', action: 'setCap' }, { subject: 'key_rare', action: 'removeCap' }, { subject: 'nobody' },
      { ...since, subject: 'key_rare' }, { ...since, subject: 'key_even' }, { ...since, action: 'removeCap' }, { ...since, action: 'setKey' },
      { ...since, subject: 'key_odd', action: 'setCap' },
    ];
    const places = [undefined, rows - 150, rows / 2, 15];
    for (const [[prefix, owner], place] of owners.flatMap((each) => places.map((place) => [each, place] as const))) {
      const of = owner === null ? 'the whole product' : 'an organization';
      test(`from ${place ?? 'the newest'} on, the trail of ${of} reads no more than its page and few more`, async () => {
        for (const search of searches) {
          const { given, read, steps } = await readFor({ ...search, ...(place === undefined ? {} : { after: `${prefix}_${place}` }) }, owner);
          const said = `${JSON.stringify(search)}: ${read} read for ${given.length}; ${steps.join('; ')}`;
          const looked = search.sinceMs === undefined ? 0 : search.sinceMs === since.sinceMs ? 301 * 2 : 1_001;
          assert.ok(read <= given.length + looked + 1, said);
          assert.ok(steps.every((step) => step.startsWith('SEARCH audit_event USING')), said);
          if (search.subject !== undefined) assert.ok(steps.length === 0 || steps.at(-1)!.includes('by_subject'), said);
          else if (search.action !== undefined) assert.ok(steps.length === 0 || steps.at(-1)!.includes('by_action'), said);
        }
      });
    }

    test('a row whose clock was ahead of later rows is still found by its time', async () => {
      await context.run(url, [`update audit_event set at_ms = ${rows * 1000 + 5} where id = 'aud_40'`]);
      assert.deepEqual((await readFor({ sinceMs: rows * 1000 })).given, [`aud_${rows}`, 'aud_40']);
    });
  });
}

function rowsRead(node: PlanNode): number {
  const own = node['Relation Name'] === 'audit_event' ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}
