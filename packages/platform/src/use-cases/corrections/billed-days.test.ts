/**
 * A bill and other prices for the same calls, on both engines: adjusted usage and the month come to the bill, whatever its names of the models, and
 * whether the answers name one. Decision 326.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { playedCall } from '@metergate/core/books/reconcile/test-support/played-call.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { batchOf } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { setAllocationRules } from '../allocation/allocation-rules.ts';
import { adjustedUsage } from '../months/adjusted-usage.ts';
import { closeAndShow, showMonth } from '../months/months.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { repriceCalls } from '../repricing/reprice-calls.ts';
import { showTeamStatement } from '../statements/team-statement.ts';
import { recordCorrections } from './corrections.ts';

const contractStore = contractStores();
const october = Date.UTC(2026, 9, 1);
const november = Date.UTC(2026, 10, 1);
const later = november + 5 * 86_400_000;
const file = JSON.stringify({ prices: [
  { provider: 'openai', model: 'gpt-image-1', input: '10', output: '80', imageInput: '20', imageOutput: '80' },
  { provider: 'openai', model: 'gpt-4o-2024-08-06', input: '5', output: '20' },
  { provider: 'openai', model: 'gpt-4o-2024-11-20', input: '5', output: '20' },
] });
const image: Partial<CallRecord> = {
  endpoint: 'other', path: '/v1/images/generations', model: null, requestedModel: 'gpt-image-1', inputTokens: 20, outputTokens: 4_160,
  cachedTokens: null, units: { imageOutputTokens: 4_160 } as CallRecord['units'],
};
const chat = { inputTokens: 1_000, outputTokens: 1_000 };

function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}

/** A cost export of 15 October. Name: null: without names of models. */
function billOf(lines: readonly (readonly [name: string | null, dollars: number])[]): string {
  const start = Date.UTC(2026, 9, 15) / 1_000;
  const results = lines.map(([name, value]) => ({
    object: 'organization.costs.result', amount: { value, currency: 'usd' }, line_item: name, project_id: null,
  }));
  return JSON.stringify({
    object: 'page', data: [{ object: 'bucket', start_time: start, end_time: start + 86_400, results }], has_more: false, next_page: null,
  });
}

for (const on of bothEngines) {
  describe(`days with a bill on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const context = { store, randomBytes: (n: number) => randomBytes(n), nowMs: later };
    const ship = async (organization: OrganizationId, calls: readonly Partial<CallRecord>[]) => {
      const records = calls.map((given) => playedCall('2026-10-15T10:00:00Z', {
        id: `req_${randomBytes(16).toString('hex')}` as CallRecord['id'], organization, ...given,
      }));
      await store.calls.ship(batchOf(`seg_${organization}`, records));
      return records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
    };
    async function adjustedTotal(organization: OrganizationId, by: 'month' | 'model' = 'month') {
      const rows = shown(await adjustedUsage(context, { organization, by: [by], sinceMs: october, untilMs: november }));
      return formatDollars(nanoDollars(rows.reduce((sum, { adjustedCost }) => sum + BigInt(adjustedCost.replace('.', '')), 0n)));
    }
    async function repriced(organization: OrganizationId) {
      return shown(await repriceCalls(context, { organization, monthMs: october, prices: { file }, dryRun: false }));
    }

    const bills: readonly (readonly [what: string, calls: readonly Partial<CallRecord>[], lines: Parameters<typeof billOf>[0]])[] = [
      ['of answers that name no model', [image, chat, chat, chat], [['gpt-image-1, image output', 0.2], ['gpt-4o-2024-08-06, output', 0.05]]],
      ['with one name for two models', [chat, { ...chat, model: 'gpt-4o-2024-11-20' }], [['gpt-4o, output', 0.25]]],
      ['without names', [image, chat], [[null, 0.25]]],
      ['that is equal but for one line', [image, chat], [['gpt-4o-2024-08-06, output', 0.0125], ['gpt-image-1, image output', 0.2375]]],
      ['with a name that is not known', [chat], [['house special', 0.25]]],
    ];
    for (const [what, calls, lines] of bills) {
      test(`a bill ${what} counts in the place of other prices`, async () => {
        const organization = await newOrganization();
        await ship(organization, calls);
        const text = billOf(lines);
        shown(await recordCorrections(context, { organization, provider: 'openai', text }));
        assert.equal(await adjustedTotal(organization), '0.250000000');
        assert.equal((await repriced(organization)).written, calls.length);
        assert.deepEqual([await adjustedTotal(organization), await adjustedTotal(organization, 'model')], ['0.250000000', '0.250000000']);
        assert.equal(shown(await showMonth(context, { organization, monthMs: october })).adjustedCost, '0.250000000');
        assert.equal(shown(await closeAndShow(context, { organization, monthMs: october })).adjustedCost, '0.250000000');
      });
    }

    const changes: readonly (readonly [what: string, change: (organization: OrganizationId) => Promise<unknown>, paid: object])[] = [
      ['a bill', async (organization) => {
        const text = billOf([['gpt-image-1, image output', 0.2], ['gpt-4o-2024-08-06, output', 0.0125]]);
        shown(await recordCorrections(context, { organization, provider: 'openai', text }));
      }, { artists: ['0.033500000', '0.200000000'], chat: ['0.000000000', '0.012500000'] }],
      ['other prices', repriced, { artists: ['0.166500000', '0.333000000'], chat: ['0.012500000', '0.025000000'] }],
    ];
    for (const [what, change, expected] of changes) {
      test(`rules, and corrections by ${what}, have a call whose answer names no model under the one that was asked for`, async () => {
        const organization = await newOrganization();
        await ship(organization, [image, { ...chat, labels: ['team:chat'] }]);
        shown(await setAllocationRules(context, organization, { rules: [{ models: ['gpt-image*'], team: 'artists' }, { byLabel: 'team:*' }] }));
        await change(organization);
        const paid = async () => Object.fromEntries(shown(await showTeamStatement(context, { organization, monthMs: october })).teams
          .map(({ team, correction, adjustedCost }) => [team ?? '', [correction, adjustedCost]]));
        assert.deepEqual(await paid(), expected);
        shown(await closeAndShow(context, { organization, monthMs: october }));
        assert.deepEqual(await paid(), expected);
        const models = shown(await adjustedUsage(context, { organization, by: ['model'], sinceMs: october, untilMs: november }));
        assert.deepEqual(models.map(({ model }) => model).toSorted(), ['gpt-4o-2024-08-06', 'gpt-image-1']);
      });
    }

    test('calls of other days and providers count at the other prices', async () => {
      const organization = await newOrganization();
      const cost = await ship(organization, [chat, { ...chat, startedAtMs: Date.UTC(2026, 9, 16, 1) }]);
      shown(await recordCorrections(context, { organization, provider: 'openai', text: billOf([['gpt-4o-2024-08-06, output', 0.02]]) }));
      await repriced(organization);
      // The day of the bill at 0.02, the next one at twice its price.
      assert.equal(await adjustedTotal(organization), formatDollars(nanoDollars(20_000_000n + cost)));
    });
  });
}
