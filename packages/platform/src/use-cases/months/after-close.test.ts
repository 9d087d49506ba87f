/**
 * After a month is closed nothing moves it: whatever is learned, repriced, removed, renamed or erased later, what was closed reads the same on both
 * engines, down to the bytes of what is handed out. Decision 145.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { playedCall } from '@metergate/core/books/reconcile/test-support/played-call.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { batchOf, granted } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { setAllocationRules } from '../allocation/allocation-rules.ts';
import { listBudgets, setBudget } from '../budgets/month-budgets.ts';
import { loadPrices } from '../prices.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { repriceCalls } from '../repricing/reprice-calls.ts';
import { createServiceKey, revokeServiceKey } from '../service-keys.ts';
import { makeLedger } from '../statements/ledger.ts';
import { makeStatement } from '../statements/month-statement.ts';
import { makeTeamPage } from '../statements/team-page.ts';
import { showTeamStatement, type TeamStatement } from '../statements/team-statement.ts';
import { adjustedUsage } from './adjusted-usage.ts';
import { checkMonth } from './check-month.ts';
import { closeAndShow, exportMonth, reopenMonth, showMonth } from './months.ts';

const contractStore = contractStores();
const [september, october, november] = [8, 9, 10].map((month) => Date.UTC(2026, month, 1)) as [number, number, number];
const dayMs = 86_400_000;
function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}

for (const on of bothEngines) {
  describe(`after a closing on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const at = (nowMs: number) => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs });
    let segments = 0;
    const ship = (records: readonly CallRecord[]) => store.calls.ship(batchOf(`seg_after_${segments += 1}`, records));

    /** All that is shown of the closed September. The keys at a file's head may become more. */
    async function told(organization: OrganizationId) {
      const asked = { organization, monthMs: september };
      const pieces: Uint8Array[] = [];
      for await (const { bytes } of shown(await exportMonth(at(november), asked)).pieces) pieces.push(bytes);
      const file = Buffer.concat(pieces);
      assert.equal((await checkMonth((async function* () { yield file; })(), null)).valid, true);
      const usage = (by: 'day' | 'model' | 'month') =>
        adjustedUsage(at(november), { organization, by: [by], sinceMs: september, untilMs: october });
      return {
        month: shown(await showMonth(at(november), asked)), file: file.toString().replace(/,"keys":.*/, ''),
        teams: shown(await showTeamStatement(at(november), asked)), teamPage: shown(await makeTeamPage(at(november), asked)).html,
        page: shown(await makeStatement(at(november), asked)).html,
        ledger: shown(await makeLedger(at(november), asked, { byteOrderMark: false, decimalComma: false })).text,
        days: shown(await usage('day')), models: shown(await usage('model')), months: shown(await usage('month')),
        budgets: shown(await listBudgets(at(november), asked)).map(({ spent, expected, state }) => [spent, expected, state]),
      };
    }

    test('neither calls nor bills, prices, rules, keys and removal for age move it; it cannot be closed again without its records', async () => {
      const organization = await newOrganization();
      const key = shown(await createServiceKey(at(september), { organization, name: 'ada' })).id as ServiceKeyId;
      const call = (startedAtMs: number, given: Partial<CallRecord> = {}) => playedCall(new Date(startedAtMs).toISOString(), {
        id: `req_${randomBytes(16).toString('hex')}` as CallRecord['id'], organization, key, labels: ['team:search'], project: 'web',
        ...given,
      });
      // The chain is cut at a place that was signed: after each thousand records.
      const own = Array.from({ length: 1_100 }, (_, index) => call(september + index * 60_000, index % 3 === 0 ? { labels: ['team:ads'] } : {}));
      for (let from = 0; from < own.length; from += 200) await ship(own.slice(from, from + 200));
      await ship([call(october + 1)]);
      await setAllocationRules(at(october), organization, { rules: [{ byLabel: 'team:*' }], markup: '5' });
      shown(await setBudget(at(october), { organization, scope: 'label', subject: 'team:ads', amount: '1' }));
      shown(await closeAndShow(at(october + dayMs), { organization, monthMs: september }));
      const closed = await told(organization);
      assert.equal(closed.month.figures.calls, own.length);

      const bill = (difference: bigint) => store.corrections.record({
        organization, provider: 'openai', fromMs: september, toMs: september + dayMs, bill: 'ab'.repeat(32),
        days: [{ dayMs: september, model: 'gpt-4o-2024-08-06', ours: nanoDollars(5n), theirs: (5n + difference) as NanoDollars }],
      });
      const prices = JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-4o-2024-08-06', input: '77', output: '88' }] });
      const later: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
        ['late calls', () => ship([call(september + 5), call(september + 7 * dayMs)])],
        ['a bill', () => bill(70n)], ['the bill again', () => bill(-20n)],
        ['prices', async () => shown(await loadPrices(at(november), prices))],
        ['calls priced again', async () => {
          const made = shown(await repriceCalls(at(november), { organization, monthMs: september, prices: 'current', dryRun: false }));
          assert.ok(made.written > 1_000);
        }],
        ['other rules', async () => shown(await setAllocationRules(at(november), organization, { rules: [], rest: { team: 'all' } }))],
        ['no rules', async () => shown(await setAllocationRules(at(november), organization, null))],
        ['a key that is revoked', async () => shown(await revokeServiceKey(at(november), key))],
        ['another key for receipts', () => store.receipts.rotateKey(organization)],
        ['the closing of the next month', async () => shown(await closeAndShow(at(november + dayMs), { organization, monthMs: october }))],
        ['its reopening', async () => shown(await reopenMonth(at(november), { organization, monthMs: october }))],
        ['records that are removed for their age', async () => {
          await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
          let removed = 0;
          for (let more = true; more;) {
            const slice = await store.retention.removeSlice(organization, { nowMs: november + 40 * dayMs, rowsMax: 500 });
            removed += slice.records;
            ({ more } = slice);
          }
          assert.ok(removed >= 1_000, String(removed));
        }],
      ];
      for (const [what, change] of later) {
        await change();
        assert.deepEqual(await told(organization), closed, what);
      }
      shown(await reopenMonth(at(november), { organization, monthMs: september }));
      const none = await exportMonth(at(november), { organization, monthMs: september });
      assert.ok(isRefusal(none), 'what was withdrawn is not given as the books');
      assert.match(none.refused.message, /^2026-09 was opened again .* as version 1\.$/);
      shown(await exportMonth(at(november), { organization, monthMs: september, version: 1 }));
      const again = await closeAndShow(at(november), { organization, monthMs: september });
      assert.equal(isRefusal(again) ? again.refused.code : null, 'month_incomplete', 'it lacks records by now');
      assert.equal(shown(await showMonth(at(november), { organization, monthMs: september, version: 1 })).adjustedCost, closed.month.adjustedCost);
    });

    test('a transcription that had no cost has one after repricing, in the month that is closed next', async () => {
      const organization = await newOrganization();
      const declared = { name: 'mistral', url: 'https://api.mistral.ai', credential: '', auth: 'none', dialect: null, provider: null } as const;
      const acting = store.acting({ actor: { kind: 'operator', id: null, name: 'ada' }, detail: {} });
      assert.equal(await acting.namedUpstreams.declare(organization, declared), null);
      // After the declaration, whose moment is that of the test.
      const [january, february, march] = [0, 1, 2].map((month) => Date.UTC(2_100, month, 1)) as [number, number, number];
      const unpriced = { cost: null, costGaps: [], costSource: 'unpriced', pricedBy: null, priceList: null } as const;
      await ship([january, february].map((startedAtMs) => ({
        ...playedCall(new Date(startedAtMs).toISOString(), {
          id: `req_${randomBytes(16).toString('hex')}` as CallRecord['id'], organization, wire: 'upstream', endpoint: 'other', model: null,
          path: '/upstreams/mistral/v1/audio/transcriptions', requestedModel: 'voxtral-mini-2602', units: { seconds: 3_600 },
        }), ...unpriced,
      })));
      const closed = shown(await closeAndShow(at(february), { organization, monthMs: january }));
      assert.deepEqual([closed.adjustedCost, closed.figures.unpricedCalls], ['0.000000000', 1]);
      for (const monthMs of [january, february]) {
        const made = shown(await repriceCalls(at(february), { organization, monthMs, prices: 'list', dryRun: false }));
        assert.deepEqual([made.corrected, made.after], [1, '0.180000000']);
      }
      assert.deepEqual(shown(await showMonth(at(march), { organization, monthMs: january })), closed);
      const { figures, correction, late, adjustedCost } = shown(await closeAndShow(at(march), { organization, monthMs: february }));
      assert.deepEqual([figures.cost, correction, late, adjustedCost],
        ['0.000000000', '0.180000000', [{ month: '2100-01', calls: 0, cost: '0.000000000', correction: '0.180000000' }], '0.360000000']);
    });

    test('erasure takes the words of it, and leaves every figure', async () => {
      const organization = await newOrganization();
      const call = (label: string) => playedCall('2026-09-03T00:00:00Z', {
        id: `req_${randomBytes(16).toString('hex')}` as CallRecord['id'], organization, labels: [label], project: 'secret-project',
      });
      await ship([call('team:search'), call('team:search'), call('team:ads')]);
      await setAllocationRules(at(october), organization, { rules: [{ byLabel: 'team:*' }], accounts: [{ team: 'ads', account: 'secret-account' }] });
      shown(await closeAndShow(at(october + dayMs), { organization, monthMs: september }));
      const figuresOf = ({ teams, totals }: TeamStatement) =>
        ({ totals, teams: teams.map(({ calls, cost, charge }) => [calls, cost, charge]).sort() });
      const asked = { organization, monthMs: september };
      const before = shown(await showTeamStatement(at(november), asked));
      await granted(store.erasure.begin(organization));
      while (await store.erasure.eraseSlice());
      const after = shown(await showTeamStatement(at(november), asked));
      assert.deepEqual(figuresOf(after), figuresOf(before));
      const page = shown(await makeTeamPage(at(november), asked)).html;
      const { text } = shown(await makeLedger(at(november), asked, { byteOrderMark: false, decimalComma: false }));
      for (const words of [JSON.stringify(after), page, text]) assert.doesNotMatch(words, /secret|search|"ads"/);
    });
  });
}
