/**
 * Single refused calls, from outside: found by the id that an SDK's error shows, with key, run, code and budget; a flood of one key hides no other
 * key's; another organization finds none of them; nothing of a request but its run's id is kept. Decision 159.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import OpenAI from 'openai';
import { listRefusals, showRefusal, type ShownRefusal } from '@metergate/platform/use-cases/refusal-log.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { RefusalFilter } from '@metergate/store/usage/refusal-log.ts';
import { headerValue, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const run = (id: string, budget?: string): { headers: HeaderPair[] } =>
  ({ headers: [['x-svc-run-id', id], ...(budget === undefined ? [] : [['x-svc-run-budget', budget] as const])] });

/** The kept refusals, once there are as many. */
async function kept(tenant: Tenant, filter: RefusalFilter, count: number): Promise<readonly ShownRefusal[]> {
  return eventually(async () => {
    const found = await listRefusals(product.context(), { organization: tenant.id, filter });
    assert.ok(!isRefusal(found));
    return found.length >= count && found;
  }, () => `not ${count} refusals`);
}

test('a refused call is found by the id that the SDK shows, and by the one that the gateway gave it', async () => {
  const tenant = await product.tenant();
  await tenant.until(({ status }) => status === 200, run('nightly', '1'));
  await tenant.call(2, run('nightly'));
  const client = new OpenAI({ apiKey: tenant.key, baseURL: `${product.system.gatewayUrl}/v1`, maxRetries: 0 });
  const before = Date.now();
  const error = await client.chat.completions.create(
    { model: 'metered', messages: [{ role: 'user', content: 'canary-question' }] },
    { headers: { 'x-svc-run-id': 'nightly', 'x-canary': 'canary-header' } },
  ).then(() => assert.fail('not refused'), (cause: unknown) => cause as InstanceType<typeof OpenAI.APIError>);
  assert.equal(error.status, 402);
  const [entry] = await kept(tenant, { request: error.requestID! }, 1);
  const { id, answerId, refusedAt, ...rest } = entry!;
  assert.deepEqual(rest, { key: tenant.keyId, run: 'nightly', code: error.code, scope: 'run', window: 'run' });
  assert.equal(answerId, error.requestID);
  assert.equal(id, error.headers?.get('x-svc-request-id'));
  assert.ok(Date.parse(refusedAt) >= before - 1_000 && Date.parse(refusedAt) <= Date.now() + 1_000, refusedAt);
  for (const known of [id, answerId]) assert.deepEqual(await showRefusal(product.context(), tenant.id, known), entry);

  const neighbour = await product.tenant();
  const never = `req_${'0'.repeat(32)}`;
  assert.deepEqual(await showRefusal(product.context(), neighbour.id, id), await showRefusal(product.context(), tenant.id, never));
  const { stdout } = await product.system.cli(['refusals', '--org', tenant.id, '--log', '--json']);
  assert.ok(stdout.includes(id) && !/canary|svc_/.test(stdout), stdout);
  assert.match((await product.system.cli(['refusals', '--org', tenant.id, '--request', answerId])).stdout, /budget_exceeded +run +nightly/);
});

test('a flood of one key hides no refusal of another, whatever the runs are named', async () => {
  const tenant = await product.tenant();
  const quiet = await tenant.newKey();
  await tenant.until(({ status }) => status === 200);
  await tenant.until(({ status }) => status === 200, { key: quiet.key });
  const hostile = "';drop/**/table/**/refusal_entry;--%_<script>";
  const flood = await Promise.all(Array.from({ length: 60 }, () => tenant.call(0, run(hostile, 'no amount'))));
  assert.ok(flood.every(({ status }) => status === 400));
  const one = await tenant.call(0, { ...run('calm', '-1'), key: quiet.key });
  assert.equal(one.status, 400);
  const [entry] = await kept(tenant, { key: quiet.id }, 1);
  assert.deepEqual([entry!.run, entry!.code, entry!.id], ['calm', 'invalid_run_budget', headerValue(one.headers, 'x-svc-request-id')]);
  const flooded = await kept(tenant, { run: hostile }, 1);
  assert.ok(flooded.length < 60 && flooded.every(({ key }) => key === tenant.keyId), `${flooded.length} of 60`);
});
