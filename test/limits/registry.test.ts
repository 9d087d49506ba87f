/**
 * A node that holds as many runs of an organization as it can, half of its registry (rule 14; spec: Errors 402): the next new run
 * is refused to the letter, runs that it holds continue, and there is room again when one has ended.
 */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { eraseOrganization } from '@metergate/platform/use-cases/erasure.ts';
import { closeRun } from '@metergate/platform/use-cases/runs.ts';
import { revokeServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { assertRefusal } from '../running-product.ts';
import { limitHeaders, noLimitHeaders, productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_RUN_REGISTRY_MAX: '10' } });
const full = {
  status: 402, code: 'run_registry_full', type: 'insufficient_quota', message: 'This gateway node is holding as many runs as it can. Retry shortly.',
};
const begun: [Tenant, string][] = [];

function run(id: string, ttl?: string): { headers: HeaderPair[] } {
  return { headers: [['x-svc-run-id', id], ...(ttl === undefined ? [] : [['x-svc-run-ttl', ttl] as const])] };
}

async function begin(tenant: Tenant, ids: readonly string[], ttl?: string): Promise<void> {
  for (const id of ids) {
    // A busy machine may be late to confirm a new run.
    await tenant.until((answer) => answer.status === 200, run(id, ttl));
    begun.push([tenant, id]);
  }
}

/** Closes all runs that a test left, and waits until the node knows of it. */
afterEach(async () => {
  for (const [tenant, id] of begun.splice(0)) {
    await closeRun(product.context(), { organization: tenant.id, run: id });
    await tenant.until((answer) => answer.status === 402, run(id));
  }
});

test('the sixth live run, if half of the registry is five, is refused to the letter, not forwarded or recorded; five continue', async () => {
  const tenant = await product.tenant();
  await begin(tenant, ['a', 'b', 'c', 'd', 'e']);
  const heard = product.system.openai.requests.length;
  for (let again = 0; again < 3; again += 1) {
    const refusal = await tenant.call(0, { headers: [...run('f').headers, ['x-svc-run-budget', '5']] });
    assertRefusal(refusal, full);
    assert.deepEqual(limitHeaders(refusal), noLimitHeaders);
  }
  assert.equal(product.system.openai.requests.length, heard);
  await product.store.runs.get({ organization: tenant.id as never, id: 'e' });
  const made = await product.store.runs.list({ organization: tenant.id as never, limit: 100 });
  assert.deepEqual(made.map(({ id }) => id).sort(), ['a', 'b', 'c', 'd', 'e']);
  for (const id of ['a', 'b', 'c', 'd', 'e']) assert.equal((await tenant.call(0, run(id))).status, 200);
  assert.equal((await tenant.call(0)).status, 200, 'a call without a run does not notice');
  await closeRun(product.context(), { organization: tenant.id, run: 'c' });
  await tenant.until((answer) => answer.status === 200, run('f'));
  begun.push([tenant, 'f']);
  assertRefusal(await tenant.call(0, run('g')), full);
});

test('expired runs make room without a request for them', async () => {
  const tenant = await product.tenant();
  await begin(tenant, ['a', 'b', 'c', 'd'], '3600');
  await begin(tenant, ['e'], '1');
  await tenant.until((answer) => answer.status === 200, run('f'));
  begun.push([tenant, 'f']);
  assert.equal((await tenant.call(0, run('e'))).status, 402);
});

test('if more runs begin at once than fit, exactly five are made and the others refused', async () => {
  const tenant = await product.tenant();
  const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
  const answers = await Promise.all(ids.map((id) => tenant.call(0, run(id))));
  const made = ids.filter((_, at) => answers[at]!.status === 200);
  begun.push(...made.map((id): [Tenant, string] => [tenant, id]));
  assert.equal(made.length, 5);
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, full);
});

test('one organization takes no more than half: another that comes later finds room at once', async () => {
  const [one, other] = [await product.tenant(), await product.tenant()];
  await begin(one, ['a', 'b', 'c', 'd', 'e']);
  assertRefusal(await one.call(0, run('f')), full);
  await begin(other, ['v', 'w', 'x', 'y', 'z']);
  assertRefusal(await other.call(0, run('0')), full);
  assert.equal((await one.call(0, run('a'))).status, 200);
});

test('the runs of an erased organization take no room, whether or not its keys were revoked before', async () => {
  const live = async (): Promise<number> => Number(/^metergate_live_runs (\d+)$/m.exec(await wholeMetrics(product.system))![1]);
  for (const revoked of [false, true]) {
    const before = await live();
    const tenant = await product.tenant();
    for (const id of ['a', 'b']) await tenant.until((answer) => answer.status === 200, run(id));
    await eventually(async () => await live() === before + 2, 'they are not both live');
    if (revoked) {
      await revokeServiceKey(product.context(), tenant.keyId);
      await tenant.until((answer) => answer.status === 401);
    }
    await eraseOrganization(product.context(), tenant.id);
    await tenant.until((answer) => answer.status === 401);
    await eventually(async () => await live() === before, () => 'they are not forgotten');
  }
});
