/** Words after an erasure: what was compared before it and is written after it leaves nothing of an organization that is gone. Rule 23. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { granted, hashOf, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`what comes after an erasure on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);

    test('corrections of a bill and a Baseline are refused', async () => {
      const organization = await newOrganization();
      const record = () => store.corrections.record({
        organization, provider: 'openai', fromMs: 0, toMs: 86_400_000, bill: 'ab'.repeat(32),
        days: [{ dayMs: 0, model: 'a-secret-model', ours: nanoDollars(1n), theirs: nanoDollars(2n) }],
      });
      assert.equal((await granted(record())).length, 1);
      await granted(store.erasure.begin(organization));
      assert.equal(await refusalCode(record()), 'unknown_organization');
      assert.equal(await refusalCode(store.baselines.create({ organization, key: { hash: hashOf('tap'), prefix: 'svc_tap_x' }, unread: null })),
        'unknown_organization');
      const left = await context.query(url, 'select model from correction where organization = $1', [organization]);
      assert.deepEqual(left.map(({ model }) => model), [''], 'the amount stays, the name went');
    });
  });
}
