/** A test that fails between a kill and the start after it fails its own file, and none of those that share the product with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSystem } from '@metergate/testkit/system.ts';
import { runningAgain } from './tenant.ts';

test('a product that was left dead is started again for the next file, and one that runs stays', async () => {
  const system = await startSystem();
  assert.equal(await runningAgain(system), system);
  await system.kill9();
  const again = await runningAgain(system);
  try {
    assert.equal((await fetch(`${again.opsUrl}/healthz`)).status, 200);
  } finally {
    await again.stop();
  }
});
