/**
 * A month that was priced again, from outside: on request caps count what its calls cost by the other prices, at once and in the running node, and a
 * node that starts later begins with it. Decision 132.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();

/** A token of the model costs that many dollars from now on, for whoever prices by this file. */
function pricesAt(dollars: number): string {
  const file = join(product.system.dataDirectory, `prices-${dollars}.json`);
  const price = { provider: 'openai', model: 'metered', input: `${dollars}000000`, output: '0' };
  writeFileSync(file, JSON.stringify({ prices: [price] }));
  return file;
}

async function reprice(tenant: Tenant, dollars: number, ...more: string[]): Promise<void> {
  const month = new Date().toISOString().slice(0, 7);
  const ran = await product.system.cli(['reprice', '--month', month, '--org', tenant.id, '--prices', pricesAt(dollars), ...more, '--json']);
  assert.equal(ran.code, 0, ran.stderr);
}

async function recorded(tenant: Tenant, calls: number): Promise<void> {
  await eventually(async () => (await keptCalls(product.store, tenant.id as never)).length >= calls);
}

test('a cap refuses by corrected costs, admits again without them, and a restart keeps it', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'lifetime', limit: '10' });
  assert.equal((await tenant.call(4)).status, 200);
  await recorded(tenant, 1);
  await reprice(tenant, 3, '--caps', '--dry-run');
  await reprice(tenant, 3);
  assert.deepEqual([(await tenant.caps())[0]!.spent, (await tenant.call(0)).status], ['4.000000000', 200]);
  await reprice(tenant, 3, '--caps');
  assert.equal((await tenant.caps())[0]!.spent, '12.000000000');
  await tenant.until(({ status }) => status === 402);
  await product.system.kill9();
  product.system = await product.system.restart();
  assert.equal((await tenant.call(0)).status, 402);
  await reprice(tenant, 2, '--caps');
  await tenant.until(({ status }) => status === 200);
  // What is left of the cap is exact: two dollars.
  assert.equal((await tenant.call(1)).status, 200);
  assert.equal((await tenant.call(1)).status, 200);
  assert.equal((await tenant.call(0)).status, 402);
  await reprice(tenant, 2);
  await tenant.until(({ status }) => status === 200);
  // Once the last calls are shipped.
  await eventually(async () => (await tenant.caps())[0]!.spent === '6.000000000');
});
