/**
 * The last cent (promise 4; 200 parallel calls on it): a cap or a run budget is exceeded at most by what was in flight when it was
 * reached, afterwards there are only refusals, and what is spent equals the sum of the records to the nano-dollar.
 * `METERGATE_SPEND_CALLS` sets over how many calls the equality is checked; 5,000 by default.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowAt } from '@metergate/core/spend/window.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { bearer } from '../running-product.ts';
import { metered, meteredAnswer, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const parallel = 200;
const calls = Number(process.env['METERGATE_SPEND_CALLS'] ?? 5_000);

/** One call of a dollar on each connection; those that are admitted are all at the provider at the same time. */
async function burst(tenant: Tenant, headers: readonly HeaderPair[]): Promise<number[]> {
  const statuses = await Promise.all(Array.from({ length: parallel }, async () => (await tenant.call(1, { headers })).status));
  return statuses.sort((one, other) => one - other);
}

for (const [what, headers, arm] of [
  ['a cap', [], (tenant: Tenant) => tenant.cap({ scope: 'organization', window: 'month', limit: '10' })],
  ['a run budget', [['x-svc-run-id', 'last'], ['x-svc-run-budget', '10']], null],
] as const) {
  test(`200 parallel calls on the last dollar of ${what}: at most those in flight pass, then nothing does`, async () => {
    const tenant = await product.tenant();
    await arm?.(tenant);
    await tenant.until((answer) => answer.status === 200 && answer.head.includes('x-svc-budget-scope'), { headers });
    for (let call = 0; call < 9; call += 1) assert.equal((await tenant.call(1, { headers })).status, 200);
    const before = product.system.openai.requests.length;
    const first = await burst(tenant, headers);
    const passed = first.filter((status) => status === 200).length;
    assert.ok(passed >= 1);
    assert.ok(first.every((status) => status === 200 || status === 402), String(first));
    assert.equal(product.system.openai.requests.length - before, passed);
    assert.deepEqual(new Set(await burst(tenant, headers)), new Set([402]), 'once reached, nothing passes');
    assert.equal(await settled(tenant, tenant.answered), BigInt(9 + passed) * 1_000_000_000n);
  });
}

test('all that is in flight when a cap is reached is delivered and counted', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '1' });
  await tenant.until((answer) => answer.head.includes('x-svc-budget-scope'));
  const opened = gate();
  let waiting = 0;
  const all = gate();
  product.system.openai.respond(async (request) => {
    waiting += 1;
    if (waiting === 50) all.open();
    await opened.opened;
    return meteredAnswer(request);
  });
  const under = Array.from({ length: 50 }, () => tenant.call(1));
  await all.opened;
  opened.open();
  assert.deepEqual(new Set((await Promise.all(under)).map(({ status }) => status)), new Set([200]));
  product.system.openai.respond(meteredAnswer);
  assert.equal((await tenant.call(0)).status, 402);
  assert.equal(await settled(tenant, tenant.answered), 50_000_000_000n);
});

test(`over ${calls} calls with odd costs, on 20 connections, spent equals the sum of the records`, async () => {
  const tenant = await product.tenant({ plan: 'enterprise', requestsPerMinute: 1e10, tokensPerMinute: 1e10 });
  await tenant.set({ fallbackPrice: { input: '0.333333333', output: '7.000000001' } });
  await tenant.cap({ scope: 'organization', window: 'year', limit: '1000000' });
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'lifetime', limit: '1000000' });
  await tenant.until((answer) => answer.head.includes('x-svc-budget-scope'));
  let left = calls;
  await Promise.all(Array.from({ length: 20 }, async (_, connection) => {
    const caller = await RawConnection.open(product.system.gatewayUrl);
    for (let call = 0; left > 0; call += 1) {
      left -= 1;
      const answer = await caller.call({
        target: '/v1/chat/completions', headers: [bearer(tenant.key)], body: metered((connection * 7919 + call * 1_049) % 100_003),
      });
      assert.equal(answer.status, 200);
    }
    await caller.close();
  }));
  await settled(tenant, tenant.answered + calls);
});

/** What the caps and the runs show, once all `count` calls are recorded and every sum equals that of the records. */
async function settled(tenant: Tenant, count: number): Promise<bigint> {
  let found = '';
  return eventually(async () => {
    const records = await keptCalls(product.store, tenant.id as never);
    const sum = records.reduce((total, { cost }) => total + (cost ?? 0n), 0n);
    const nowMs = Date.now();
    const sums = (await product.store.spend.sumsOfAll([{ organization: tenant.id as never, key: tenant.keyId as never }], nowMs))[0]!;
    const shown = [sums.organization.lifetime.spent, sums.key.lifetime.spent];
    // Midnight may have been among the calls.
    const since = (window: 'day' | 'year') => records.filter(({ startedAtMs }) => startedAtMs >= windowAt(window, nowMs).startMs)
      .reduce((total, { cost }) => total + (cost ?? 0n), 0n);
    const isOfToday = sums.key.day.spent === since('day') && sums.organization.year.spent === since('year');
    for (const run of await product.store.runs.list({ organization: tenant.id as never, limit: 100 })) shown.push(run.spent);
    if (records.length === count && isOfToday && shown.every((spent) => spent === sum)) return sum;
    found = `${records.length} of ${count} records, sum ${sum}, shown ${shown.join(' ')}, today's ${sums.key.day.spent}`;
    assert.ok(records.length <= count, found);
    return null;
  }, () => found);
}
