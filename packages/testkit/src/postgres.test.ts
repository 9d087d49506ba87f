/** A test server ends with the process that started it, however that process ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { startPostgres } from './postgres.ts';

const starting = `
  const { startPostgres } = await import(${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)});
  const { url } = await startPostgres();
  console.log(process.pid, new URL(url).port);
  setInterval(() => {}, 1_000_000);`;

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
      .once('connect', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });
}

test('a server whose owner was killed ends, also if nobody reaps the owner', { skip: process.platform === 'win32' }, async (t) => {
  // The shell is replaced by a program that never waits for its child, like process 1 of many containers.
  const parent = spawn('sh', ['-c', '"$0" --input-type=module -e "$1" & exec sleep 600', process.execPath, starting], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await parent.stdout.setEncoding('utf8').take(1).toArray() as [string];
  const [owner, port] = line.trim().split(' ').map(Number) as [number, number];
  assert.equal(await listens(port), true);
  process.kill(owner, 'SIGKILL');
  await eventually(async () => !await listens(port), () => 'the server still listens');
  if (process.platform === 'linux') assert.ok(existsSync(`/proc/${owner}`), 'nobody has taken note of it');
});

test('a server that has logged much keeps running when it refuses a connection, and ends on request', { timeout: 120_000 }, async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("do $$ begin raise log '%', repeat('x', 20000); end $$");
  const elsewhere = new URL(postgres.url);
  elsewhere.pathname = '/no_such_database';
  await assert.rejects(new pg.Client({ connectionString: elsewhere.href }).connect(), /does not exist/);
  assert.equal((await client.query('select 1 as one')).rows[0].one, 1);
  await client.end();
  await postgres.stop();
  assert.equal(await listens(Number(new URL(postgres.url).port)), false);
});
