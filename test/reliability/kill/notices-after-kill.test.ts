/**
 * What a killed platform had to report, the one started in its place reports, at once and once (decision 0102): the only platform is killed
 * ten times while caps are reached. And after a restore an event has the `webhook-id` that it had before.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { standAtNoon } from '@metergate/testkit/clock.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { unusedPort } from '@metergate/testkit/unused-port.ts';
import pg from 'pg';

// A cap of a month reports once.
standAtNoon();

interface Told { readonly id: string; readonly cap: string; readonly atMs: number }

/** A receiver of webhooks, and the reached caps that were reported to it. */
async function receiver(): Promise<{ readonly url: string; readonly told: Told[]; readonly server: Server }> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => { body += text; }).on('end', () => {
      const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: { cap: string } };
      if (type === 'cap.reached') told.push({ id: String(request.headers['webhook-id']), cap: data.cap, atMs: Date.parse(timestamp) });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told, server };
}

async function json(system: System, ...args: string[]): Promise<Record<string, string>> {
  const result = await system.cli([...args, '--json']);
  assert.equal(result.code, 0, result.stderr);
  return result.json() as Record<string, string>;
}

/** A key whose cap of a dollar one call reaches. */
async function cappedKey(system: System): Promise<{ readonly key: string; readonly cap: string }> {
  const { id, key } = await system.createKey();
  const { id: cap } = await json(system, 'cap', 'set', '--org', 'default', '--scope', 'key', '--key', id, '--window', 'month', '--limit', '1');
  return { key, cap: cap! };
}

/** A call of two dollars and a half. */
async function spend(system: System, key: string): Promise<void> {
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
  system.openai.respond({
    headers: [['content-type', 'application/json']], body: JSON.stringify({ model: 'gpt-4o-2024-08-06', choices: [], usage }),
  });
  await eventually(async () => {
    const answer = await fetch(`${system.gatewayUrl}/v1/chat/completions`, {
      method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{"model":"gpt-4o","messages":[]}',
    });
    const said = await answer.text();
    // On a busy machine the store may be late to say whose key it is, or to confirm its cap.
    assert.ok([200, 500, 503].includes(answer.status), said);
    return answer.status === 200;
  }, 'the call was never admitted');
}

const until = (what: string, holds: () => boolean): Promise<true> => eventually(holds, () => what);

const leaseQuery = `select until_ms from work_lease where name = 'notices'`;

/** Kills the product ten times while 47 caps are reached; `leaseUntil`: when the lease of a killed platform would have ended; 0: it had none yet. */
async function killedTenTimes(begun: System, leaseUntil: () => Promise<number>): Promise<void> {
  const { url, told, server } = await receiver();
  let system = begun;
  try {
    await json(system, 'webhook', 'create', '--org', 'default', '--url', url);
    const keys = [];
    while (keys.length < 47) keys.push(await cappedKey(system));
    let atOnce = 0;
    for (let kill = 0; kill < 10; kill += 1) {
      const here = keys.slice(kill * 5, kill * 5 + 5);
      for (const { key } of here) await spend(system, key);
      await system.kill9();
      const untilMs = await leaseUntil();
      system = await system.restart();
      const caps = new Set(here.map(({ cap }) => cap));
      await until(`the caps before kill ${kill + 1} are told`, () => told.filter(({ cap }) => caps.has(cap)).length >= caps.size);
      if (told.some(({ cap, atMs }) => caps.has(cap) && atMs < untilMs)) atOnce += 1;
    }
    assert.deepEqual(new Set(told.map(({ cap }) => cap)), new Set(keys.map(({ cap }) => cap)), 'each cap is told');
    assert.equal(new Set(told.map(({ id }) => id)).size, keys.length, 'under one id each');
    // A busy machine may take longer to start than a lease lasts, but not always.
    assert.ok(atOnce > 0, 'no platform waited for the lease of the one before it to end');
  } finally {
    await system.stop();
    server.closeAllConnections();
    server.close();
  }
}

test('the only platform, killed ten times, reports every cap that was reached, on SQLite', async () => {
  const system = await startSystem();
  const path = join(system.dataDirectory, 'metergate.db');
  await killedTenTimes(system, async () => {
    const store = new DatabaseSync(path);
    const lease = store.prepare(leaseQuery).get() as { until_ms: number } | undefined;
    store.close();
    return lease?.until_ms ?? 0;
  });
});

test('the only platform, killed ten times, reports every cap that was reached, on PostgreSQL', async () => {
  const postgres = await testPostgres();
  try {
    const databaseUrl = await postgres.createDatabase();
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    const env = { SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: masterKey, SVC_PLATFORM_PORT: String(await unusedPort()) };
    const system = await startSystem({ env });
    await killedTenTimes(system, async () => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const { rows } = await client.query<{ until_ms: string }>(leaseQuery);
      await client.end();
      return Number(rows[0]?.until_ms ?? 0);
    });
  } finally {
    await postgres.stop();
  }
});

test('an event that is raised again after a restore has the id that it had before', async () => {
  const { url, told, server } = await receiver();
  let system = await startSystem();
  const backup = `${system.dataDirectory}-backup`;
  try {
    await json(system, 'webhook', 'create', '--org', 'default', '--url', url);
    const { key } = await cappedKey(system);
    await system.kill9();
    cpSync(system.dataDirectory, backup, { recursive: true });
    system = await system.restart();
    await spend(system, key);
    await until('the cap is told', () => told.length === 1);
    await system.kill9();
    rmSync(system.dataDirectory, { recursive: true });
    cpSync(backup, system.dataDirectory, { recursive: true });
    system = await system.restart();
    await spend(system, key);
    await until('the cap is told again', () => told.length === 2);
    assert.equal(told[0]!.id, told[1]!.id);
    assert.ok(told[0]!.atMs < told[1]!.atMs, 'it was raised twice');
  } finally {
    await system.stop();
    rmSync(backup, { recursive: true, force: true });
    server.closeAllConnections();
    server.close();
  }
});
