/**
 * `node bench/idle-store.ts [--cells 1,2,4] [--seconds 10] [--texts]`: what idle processes ask of their PostgreSQL: statements a second of one
 * gateway node by itself, and of one platform by itself, with so many cells, the default one among them. `--texts`: each statement, with how often.
 * Nobody calls, and nothing is changed.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { openWithCells } from '@metergate/store/store.ts';
import { startCluster, type Cluster } from '@metergate/testkit/cluster.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import pg from 'pg';

const { values } = parseArgs({ options: {
  cells: { type: 'string', default: '1,2,4' }, seconds: { type: 'string', default: '10' }, texts: { type: 'boolean', default: false },
} });
/** The start, its first looks, and the minute for which a platform does not trust its clock yet are not of interest. */
const settleMs = 8_000;

const postgres = await startPostgres(null, { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '10000' });
const figures = new pg.Client({ connectionString: postgres.url });
await figures.connect();
await figures.query('create extension pg_stat_statements');
try {
  for (const cells of values.cells.split(',').map(Number)) {
    const databaseUrl = await postgres.createDatabase();
    const cluster = await startCluster(databaseUrl);
    try {
      await measure(cluster, cells);
    } finally {
      await cluster.stop();
    }
  }
} finally {
  await figures.end();
  await postgres.stop();
}

async function measure(cluster: Cluster, cells: number): Promise<void> {
  await makeCells(cluster, cells);
  const inCells = `${cells} cell${cells === 1 ? '' : 's'}`;
  const platform = await cluster.process(['platform']);
  await count(`a platform, ${inCells}`);
  platform.signal('SIGTERM');
  await platform.ended;
  await cluster.node();
  await count(`a gateway node, ${inCells}`);
}

async function makeCells({ databaseUrl, masterKey }: Cluster, cells: number): Promise<void> {
  const { store } = await openWithCells({ url: databaseUrl, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
  for (let number = 1; number < cells; number += 1) {
    const added = await store.cells.add(`cell_${number}`, '');
    if (isRefusal(added)) throw new Error(`bench: no cell was made: ${added.refused.message}`);
  }
  await store.close();
}

/** What is asked for cells with the same statements is counted together. */
async function count(name: string): Promise<void> {
  await pause(settleMs);
  await figures.query('select pg_stat_statements_reset()');
  await pause(Number(values.seconds) * 1_000);
  const { rows } = await figures.query<{ text: string; calls: string }>(`select regexp_replace(s.query, '\\s+', ' ', 'g') as text,
    sum(s.calls) as calls from pg_stat_statements as s join pg_database as d on d.oid = s.dbid
    where d.datname <> 'postgres' group by 1 order by 2 desc, 1`);
  const second = (calls: string): string => (Number(calls) / Number(values.seconds)).toFixed(1);
  console.log(`${name}: ${second(String(rows.reduce((sum, { calls }) => sum + Number(calls), 0)))} statements a second`);
  if (values.texts) for (const { text, calls } of rows) console.log(`  ${second(calls).padStart(5)}  ${text.slice(0, 170)}`);
}
