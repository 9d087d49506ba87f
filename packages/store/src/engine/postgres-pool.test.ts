/**
 * A PostgreSQL that fails over silently: connections stay open without answers, new ones are served. Queries after the first timeout are
 * answered. Connections that were made to a standby meanwhile end with their first write.
 */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { openPostgresPool } from './postgres-pool.ts';

const answerMs = 300;
/** Of connections that have gone silent. */
const silent = new Set<Socket>();
const open = new Set<Socket>();
/** Told of bytes that a silent connection swallowed. */
let swallowed = (): void => {};
let dialled = 0;
let postgres: TestPostgres;
let relay: Server;
/** The server, by way of the relay. */
let url: URL;

before(async () => {
  postgres = await testPostgres();
  url = new URL(await postgres.createDatabase());
  const [host, port] = [url.hostname, Number(url.port)];
  relay = createServer((near) => {
    dialled += 1;
    const far = connect(port, host);
    for (const [from, to] of [[near, far], [far, near]] as const) {
      from.on('data', (bytes) => {
        if (!silent.has(near)) to.write(bytes);
        else swallowed();
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
    open.add(near);
  });
  await new Promise<void>((resolve) => { relay.listen(0, '127.0.0.1', resolve); });
  url.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
});
after(async () => {
  for (const socket of open) socket.destroy();
  relay?.close();
  await postgres?.stop();
});

test('connections that have gone silent are given up, lent out or idle, and the next query dials anew', { timeout: 120_000 }, async (t) => {
  // A busy machine may take longer for an answer than a server may be silent here.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pool = openPostgresPool(url.href, answerMs);
  /** As Kysely does: the connection is acquired, queried and released without reporting the outcome. */
  const ask = async (): Promise<unknown> => {
    const client = await pool.connect();
    try {
      return (await client.query('select 1 as one')).rows[0];
    } finally {
      client.release();
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  assert.equal(dialled, 8);
  for (const socket of open) silent.add(socket);
  const asked = new Promise<void>((resolve) => { swallowed = resolve; });
  const unanswered = assert.rejects(ask(), /timeout/);
  await asked;
  t.mock.timers.tick(answerMs - 1);
  assert.equal(pool.totalCount, 8, 'it is still waited for');
  t.mock.timers.tick(1);
  await unanswered;
  await eventually(() => pool.totalCount === 0);
  assert.deepEqual(await Promise.all(Array.from({ length: 8 }, ask)), Array.from({ length: 8 }, () => ({ one: 1n })));
  await pool.end();
});

test('a slow statement within the bound keeps its connection', async () => {
  const pool = openPostgresPool(url.href, 60_000);
  const before = dialled;
  for (const query of ['select pg_sleep(0.4)', 'select 1', 'select no_such_column']) await pool.query(query).catch(() => {});
  assert.equal(dialled, before + 1);
  await pool.end();
});

test('a connection whose server takes no writes is given up with the idle ones, after its transaction was rolled back', async () => {
  const standby = new URL(url);
  standby.searchParams.set('options', '-c default_transaction_read_only=on');
  const other = openPostgresPool(standby.href, 5_000);
  await Promise.all(Array.from({ length: 3 }, async () => other.query('select pg_sleep(0.05)')));
  assert.equal(other.totalCount, 3);
  const client = await other.connect();
  await client.query('begin');
  await assert.rejects(client.query('create table written (one int)'), { code: '25006' });
  await client.query('rollback');
  client.release();
  await eventually(() => other.totalCount === 0);
  const before = dialled;
  await assert.rejects(other.query('create table written (one int)'), { code: '25006' });
  await eventually(() => other.totalCount === 0);
  assert.equal(dialled, before + 1, 'the next query dials anew');
  await other.end();
});
