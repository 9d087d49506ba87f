/** Transactions sent ahead of their answers: all is committed or nothing, and a failed connection is not used again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { openPipelinePool } from './postgres-pool.ts';

let postgres: TestPostgres;
let pipeline: Pipeline;
before(async () => {
  postgres = await testPostgres();
  const url = await postgres.createDatabase();
  pipeline = createPipeline(() => openPipelinePool(url));
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
