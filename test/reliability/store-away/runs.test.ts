/**
 * Runs while the store cannot write (promise 5; rule 3b): within a second a run that the node does not hold cannot be confirmed,
 * those it holds continue, and a caller who leaves meanwhile leaves nothing behind.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection, requestBytes } from '@metergate/testkit/raw-client.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { assertRefusal, bearer } from '../../running-product.ts';
import { limitHeaders, metered, noLimitHeaders, productForFile, type Tenant } from '../../limits/tenant.ts';

const product = productForFile();
const unconfirmed = {
  status: 503, code: 'budget_unverifiable', type: 'insufficient_quota', message: 'Run spend cannot be confirmed right now. Retry in a moment.',
};

function run(id: string, ...more: HeaderPair[]): { headers: HeaderPair[] } {
  return { headers: [['x-svc-run-id', id], ...more] };
}

/** Holds the store's write lock, as another process may, until `work` is done. */
async function locked(work: () => Promise<void>): Promise<void> {
  const database = new DatabaseSync(join(product.system.dataDirectory, 'metergate.db'), { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  try {
    await work();
  } finally {
    database.exec('ROLLBACK');
    database.close();
  }
}

/**
 * Waits until the node has noticed that the store takes nothing any more: until then it begins runs by itself, as with a healthy store. The
 * records of those runs cannot be shipped, so it does notice.
 */
async function noticed(tenant: Tenant): Promise<void> {
  let probe = 0;
  await eventually(async () => (await tenant.call(0, run(`probe-${probe += 1}`))).status === 503, () => `${probe} probes were answered`);
}

/** The figure of one line of `/metrics`. */
async function metric(name: string): Promise<number> {
  const text = await wholeMetrics(product.system);
  const line = text.split('\n').find((each) => each.startsWith(name));
  assert.ok(line !== undefined, `${name} in\n${text}`);
  return Number(line.split(' ').at(-1));
}

test('an unseen run is 503 to the letter while the store is away; held runs continue with their budgets; afterwards it is made', async () => {
  const tenant = await product.tenant();
  await tenant.until((answer) => answer.status === 200, run('held', ['x-svc-run-budget', '3']));
  assert.equal((await tenant.call(1, run('held'))).status, 200);
  await locked(async () => {
    await noticed(tenant);
    const heard = product.system.openai.requests.length;
    const refusals = await Promise.all(Array.from({ length: 5 }, () => tenant.call(1, run('new', ['x-svc-run-budget', '3']))));
    for (const refusal of refusals) {
      assertRefusal(refusal, unconfirmed);
      assert.deepEqual(limitHeaders(refusal), { ...noLimitHeaders, scope: 'run', window: 'run', retryAfter: '1' });
    }
    assert.equal(product.system.openai.requests.length, heard);
    const held = await tenant.call(2, run('held'));
    assert.deepEqual([held.status, limitHeaders(held).effective], [200, '3.000000']);
    assert.equal((await tenant.call(1, run('held'))).status, 402, 'reached is known without the store');
    assert.equal((await tenant.call(1)).status, 200);
  });
  await tenant.until((answer) => answer.status === 200, run('new'));
});

test('policy refuses without asking the store', async () => {
  const tenant = await product.tenant({ maxRunBudget: '0' });
  await tenant.call(0);
  await locked(async () => {
    assert.equal((await tenant.call(0, run('zero'))).status, 402);
  });
});

test('callers who leave while the store is asked about their run leave no call, no live run and no held body', async () => {
  const tenant = await product.tenant();
  await tenant.call(0);
  const body = `{"model":"metered","tokens":0,"pad":"${'x'.repeat(200_000)}"}`;
  let live = 0;
  const heard = product.system.openai.requests.length;
  await locked(async () => {
    await noticed(tenant);
    live = await metric('metergate_live_runs');
    for (let caller = 0; caller < 5; caller += 1) {
      const connection = await RawConnection.open(product.system.gatewayUrl);
      connection.send(requestBytes({ target: '/v1/chat/completions', headers: [bearer(tenant.key), ...run(`left-${caller}`).headers], body }, 'x'));
      const pipelined = { target: '/v1/chat/completions', headers: [bearer(tenant.key), ...run(`behind-${caller}`).headers], body: metered(0) };
      await connection.sendAll(requestBytes(pipelined, 'x'));
      // The gateway is processing it once another caller, who came later, has been answered.
      assert.equal((await tenant.call(0)).status, 200);
      connection.abort();
    }
  });
  await eventually(async () => await metric('metergate_held_body_bytes') === 0 && await metric('metergate_live_runs') === live,
    () => 'something of them is still held');
  const forwarded = product.system.openai.requests.slice(heard).filter(({ body: sent }) => sent.length > 100_000);
  assert.equal(forwarded.length, 0);
});
