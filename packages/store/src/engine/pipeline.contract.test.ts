/**
 * Transactions sent ahead of their answers: all is committed or nothing, and a failed connection is not used again. Statements have names, and where
 * those do not come through, or a table has changed, a transaction is done again without, once and as a whole.
 */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { openPipelinePool } from './postgres-pool.ts';

let postgres: TestPostgres;
let url: string;
let pipeline: Pipeline;
before(async () => {
  postgres = await testPostgres();
  url = await postgres.createDatabase();
  pipeline = createPipeline(() => openPipelinePool(url), () => {});
  await pipeline.transact((send) => send('create table counted (value bigint not null)'), () => null);
});
after(async () => {
  await pipeline?.close();
  await postgres?.stop();
});

const values = () => pipeline.transact((send) => send('select value from counted order by value'), (_send, rows) => rows.map(({ value }) => value));

test('the reads are available when the writes are decided, and both are in one transaction', async () => {
  const result = await pipeline.transact(
    (send) => Promise.all([send('insert into counted values (1) returning value'), send('select count(*) as rows from counted')]),
    (send, [[inserted], [count]]) => {
      void send('insert into counted values ($1)', [Number(inserted!['value']) + Number(count!['rows'])]);
      return 'done';
    });
  assert.deepEqual([result, await values()], ['done', [1n, 2n]]);
});

test('a statement that fails, in either half, and a decision that throws leave nothing behind', async () => {
  await assert.rejects(pipeline.transact((send) => Promise.all([send('insert into counted values (7)'), send('select 1 / 0')]), () => null), /zero/);
  await assert.rejects(pipeline.transact((send) => send('insert into counted values (8)'), (send) => void send('select 1 / 0')), /zero/);
  await assert.rejects(pipeline.transact((send) => send('insert into counted values (9)'), () => { throw new Error('undecided'); }), /undecided/);
  assert.deepEqual(await values(), [1n, 2n]);
});

const planned = `select generic_plans, custom_plans, statement from pg_prepared_statements
  where name like 'metergate%' and statement like 'insert into named%'`;
const insert = 'insert into named (value) values ($1)';

/** A pipeline with its table, the notices it got, and the rows in the table. */
async function naming(t: TestContext) {
  const codes: string[] = [];
  const own = createPipeline(() => openPipelinePool(url), (code) => codes.push(code));
  t.after(() => own.close());
  const put = (value: number) => own.transact((send) => send('select count(*) as rows from named'), (send) => {
    void send(insert, [value]);
    return value;
  });
  const ask = (text: string) => own.transact((send) => send(text), (_send, rows) => rows);
  await pipeline.transact((send) => send('drop table if exists named'), (send) => void send('create table named (value bigint not null)'));
  return { codes, own, put, ask, values: async () => (await ask('select value from named order by value')).map(({ value }) => Number(value)) };
}

test('a statement is planned once for a connection, for any values, by an index, and the session keeps no setting', async (t) => {
  const { put, ask, codes } = await naming(t);
  for (let value = 0; value < 9; value += 1) await put(value);
  assert.deepEqual(await ask(planned), [{ generic_plans: 9n, custom_plans: 0n, statement: insert }]);
  assert.deepEqual(codes, []);
  const settings = "current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans, current_setting('jit') as jit";
  const pool = openPipelinePool(url);
  t.after(() => pool.end());
  const inSession = createPipeline(() => pool, () => {});
  assert.deepEqual(await inSession.transact((send) => send(`select ${settings}`), (_send, rows) => rows),
    [{ plans: 'force_generic_plan', scans: 'off', jit: 'off' }]);
  const outside = (await pool.query<{ plans: string; scans: string }>(`select ${settings}`)).rows[0]!;
  assert.deepEqual([outside.plans, outside.scans], ['auto', 'on']);
});

test('a session that does not know the names: the transaction is done again without, once and as a whole, and so are all others', async (t) => {
  const { put, ask, values, codes } = await naming(t);
  await put(1);
  // As a pooler does that gives the connection another session.
  await ask('deallocate all');
  await put(2);
  assert.deepEqual(codes, ['26000']);
  for (const value of [3, 4]) await put(value);
  assert.deepEqual(await values(), [1, 2, 3, 4]);
  assert.deepEqual(await ask(planned), []);
  assert.deepEqual(codes, ['26000'], 'it is told once');
});

test('a session where another client made the name known: likewise', async (t) => {
  const { put, ask, codes } = await naming(t);
  await put(1);
  const names = (await ask("select name from pg_prepared_statements where statement like 'insert into named%'")).map(({ name }) => name);
  const other = openPipelinePool(url);
  t.after(() => other.end());
  const again = createPipeline(() => other, (code) => codes.push(code));
  await other.query(`prepare ${names[0]} as select 1`);
  await again.transact((send) => send('select count(*) as rows from named'), (send) => void send(insert, [2]));
  assert.deepEqual([codes, other.totalCount], [['42P05'], 1]);
  const rows = await again.transact((send) => send('select value from named order by value'), (_send, found) => found);
  assert.deepEqual(rows, [{ value: 1n }, { value: 2n }]);
});

test('a table that an upgrade changed, again and again: each transaction is done once, and statements have names afterwards', async (t) => {
  const { own, ask, values, codes } = await naming(t);
  const putAll = (value: number) => own.transact((send) => send('select * from named'), (send) => void send(insert, [value]));
  await putAll(1);
  for (const round of [1, 2]) {
    await pipeline.transact((send) => send(`alter table named add column more_${round} bigint`), () => null);
    for (let count = 0; count < 3; count += 1) await putAll(round);
    assert.deepEqual(await ask(planned), [{ generic_plans: 2n, custom_plans: 0n, statement: `${insert} /* ${round} */` }]);
  }
  assert.deepEqual([await values(), codes], [[1, 1, 1, 1, 2, 2, 2], []]);
});

test('what the server does not support is refused, and names stay as they are', async (t) => {
  const { own, put, ask, codes } = await naming(t);
  await put(1);
  for (let count = 0; count < 2; count += 1) {
    await assert.rejects(own.transact((send) => send(`do $$ begin raise exception 'no' using errcode = '0A000'; end $$`), () => null),
      { code: '0A000' });
  }
  await put(2);
  assert.deepEqual([(await ask(planned)).map(({ statement }) => statement), codes], [[insert], []]);
});

test('a statement that the server does not do is refused as it would be without a name', async (t) => {
  const { own, values, codes } = await naming(t);
  let decided = 0;
  await assert.rejects(own.transact((send) => send('select 1'), (send) => {
    decided += 1;
    void send(insert, [5]);
    void send('select value from named for update of unnamed');
  }), { code: '42P01' });
  assert.deepEqual([decided, codes, await values()], [1, [], []]);
});
