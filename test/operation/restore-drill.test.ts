/**
 * The drill of docs/backup.md, on both engines: back up, continue, lose the store, restore, start. The calls since the backup are in the
 * journal and are recorded again, each once; caps know their spend; keys and provider keys open as before.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCluster } from '@metergate/testkit/cluster.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import pg from 'pg';
import { Sharer, storeOf } from '../nodes/shared-fixture.ts';

const answer = { model: 'gpt-4o-mini', choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };

test('embedded: the data directory is put back, the old journal beside it: every call has its record, once', { timeout: 180_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-drill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDirectory, backup] = [join(folder, 'data'), join(folder, 'backup')];
  let system = await startSystem({ dataDirectory });
  t.after(async () => void await system.stop());
  system.openai.respond(() => ({ headers: [['content-type', 'application/json']], body: JSON.stringify(answer) }));
  const { key } = await system.createKey();
  const answered: string[] = [];
  const call = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) {
      const response = await fetch(`${system.gatewayUrl}/v1/chat/completions`, {
        method: 'POST', body: '{"model":"gpt-4o-mini","messages":[]}', headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(response.status, 200);
      await response.text();
      answered.push(response.headers.get('x-svc-request-id')!);
    }
  };
  await call(5);
  await system.calls({ count: 5 });
  await system.kill9();
  cpSync(dataDirectory, backup, { recursive: true });
  system = await system.restart();
  await call(7);
  await system.calls({ count: 12 });
  await system.kill9();

  renameSync(dataDirectory, join(folder, 'lost'));
  cpSync(backup, dataDirectory, { recursive: true });
  rmSync(join(dataDirectory, 'journal'), { recursive: true });
  cpSync(join(folder, 'lost', 'journal'), join(dataDirectory, 'journal'), { recursive: true });
  system = await system.restart();
  await call(1);
  const records = await system.calls({ count: 13 });
  assert.deepEqual(records.map(({ id }) => id as string).sort(), [...answered].sort());
});

test('PostgreSQL: the database is put back, nodes start on their journals: records, sums and caps are whole', { timeout: 240_000 }, async (t) => {
  const postgres = await testPostgres();
  t.after(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase();
  const cluster = await startCluster(databaseUrl);
  t.after(() => cluster.stop());
  const name = new URL(databaseUrl).pathname.slice(1);
  await (await storeOf(cluster)).close();
  const folder = mkdtempSync(join(tmpdir(), 'metergate-drill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDirectory = join(folder, 'node');

  const before = await storeOf(cluster);
  const made = await Sharer.of(cluster, before, 'drill');
  await made.cap(1_000);
  const first = await cluster.node({ dataDirectory });
  for (let count = 0; count < 10; count += 1) await made.admitted(first, 1);
  await made.spent();
  first.signal('SIGKILL');
  await first.ended;
  await before.close();
  await administer(databaseUrl, [`create database ${name}_backup template ${name}`]);

  const between = await storeOf(cluster);
  const going = new Sharer(between, made.id, made.key);
  const second = await cluster.node({ dataDirectory });
  for (let count = 0; count < 10; count += 1) await going.admitted(second, 1);
  await going.spent(20);
  second.signal('SIGKILL');
  await second.ended;
  await between.close();
  await administer(databaseUrl, [`drop database ${name}`, `alter database ${name}_backup rename to ${name}`]);

  const after = await storeOf(cluster);
  t.after(() => after.close());
  const third = await cluster.node({ dataDirectory });
  const restored = new Sharer(after, made.id, made.key);
  await restored.admitted(third, 1);
  assert.deepEqual(await restored.spent(21), { sum: 21, cap: 21, records: 21, interrupted: 0 });
});

/** Connected to another database, so that nobody uses this one. */
async function administer(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const url = new URL(databaseUrl);
  const [, name] = url.pathname.split('/');
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
