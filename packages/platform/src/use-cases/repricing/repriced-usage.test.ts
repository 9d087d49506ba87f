/** `usage --prices` on both engines: what calls to declared upstreams would have cost, where they go now. Decision 313. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { showComparedUsage } from '../compared-usage.ts';
import { loadPrices } from '../prices.ts';
import { isRefusal } from '../refusal.ts';

const contractStore = contractStores();
const startedAtMs = Date.UTC(2026, 9, 5, 10);
const prices = (rates: object): string => JSON.stringify({ prices: [
  { host: 'lab.example.com', model: '*', ...rates }, { host: 'own.example.com', model: '*', ...rates },
] });

for (const on of bothEngines) {
  describe(`usage by other prices on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const context = { store, randomBytes: (n: number) => randomBytes(n), nowMs: startedAtMs + 3_600_000 };

    test('calls to declared upstreams have the cost that they would have where they go now', async () => {
      const organization = await newOrganization();
      const declared = { credential: '', auth: 'none', dialect: null, provider: null } as const;
      assert.equal(await store.namedUpstreams.declare(organization, { ...declared, name: 'lab', url: 'https://lab.example.com/v1' }), null);
      assert.equal(await store.upstreams.declare(organization, { url: 'https://own.example.com', credential: '' }), null);
      const loaded = await loadPrices(context, prices({ input: '1', output: '2' }));
      assert.ok(!isRefusal(loaded));
      const call = (upstream: string | null, given: Partial<CallRecord> = {}): CallRecord => sampleRecord(organization, {
        startedAtMs, wire: 'upstream', path: `${upstream === null ? '/upstream' : `/upstreams/${upstream}`}/v1/chat/completions`,
        model: 'house-1', requestedModel: 'house-1', inputTokens: 100, outputTokens: 10, cachedTokens: null, reasoningTokens: null,
        audioInputTokens: null, serviceTier: null, toolCalls: null, units: null, cost: nanoDollars(120_000n), costSource: 'priced',
        pricedBy: 'model', priceList: loaded.overlay, ...given,
      });
      const unpriced = { cost: null, costSource: 'unpriced', pricedBy: null, priceList: null } as const;
      await store.calls.ship(batchOf(`seg_${organization}`, [
        call('lab'), call('lab', unpriced), call('lab', { cost: nanoDollars(1n) }), call('lab', { costSource: 'upstream' }),
        call(null), call(null, unpriced), call('removed'), call('removed', unpriced),
      ]));
      const shown = async (by: readonly UsageDimension[], filter: Record<string, string> = {}) => {
        const query = { organization, by, filter, sinceMs: startedAtMs, untilMs: startedAtMs + 1 };
        const rows = await showComparedUsage(context, query, { prices: { file: prices({ input: '3', output: '4' }) } });
        assert.ok(!isRefusal(rows), JSON.stringify(rows));
        return rows.map((row) => [row[by[0]!] ?? null, row.repricedCalls, row.repricedCost, row.repricedFrom, row.notRepricedCalls])
          .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
      };
      // 100 × 3 and 10 × 4 millionths of a dollar each; two of `lab` keep theirs: it is not that of its prices, or the upstream reported it.
      const [lab, own] = [['lab', 2, '0.000680000', '0.000120000', 2], [null, 2, '0.000680000', '0.000120000', 0]];
      assert.deepEqual(await shown(['upstream']), [lab, own, ['removed', 0, '0.000000000', '0.000000000', 2]]);
      assert.deepEqual(await shown(['model']), [['house-1', 4, '0.001360000', '0.000240000', 4]]);
      assert.deepEqual(await shown(['upstream'], { upstream: 'lab' }), [lab]);
      await store.namedUpstreams.declare(organization, { ...declared, name: 'lab', url: 'https://elsewhere.example.com/v1' });
      assert.deepEqual(await shown(['upstream'], { upstream: 'lab' }), [['lab', 0, '0.000000000', '0.000000000', 4]], 'nobody has prices there');
    });
  });
}
