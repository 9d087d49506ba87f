/**
 * A month allocated on both engines: teams by their labels, shared keys by weights, the rest by its own rule; as it stands, as it was closed, and by
 * other rules. What each team pays is held against the sums of this test's own records. Rule 24b; docs/allocation.md.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { batchOf, drawing, granted, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { checkMonth } from '../months/check-month.ts';
import { closeAndShow, exportMonth, showMonth } from '../months/months.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { createServiceKey } from '../service-keys.ts';
import { setAllocationRules, showAllocationRules } from './allocation-rules.ts';
import { showAllocation, tryAllocation } from './month-allocation.ts';

const contractStore = contractStores();
const [september, october, november] = [8, 9, 10].map((month) => Date.UTC(2026, month, 1)) as [number, number, number];
const dayMs = 86_400_000;
const refused = (answer: unknown): string | null => (isRefusal(answer) ? answer.refused.code : null);
function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}
const dollars = (amount: bigint): string => formatDollars(amount as NanoDollars);

for (const on of bothEngines) {
  describe(`allocation on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const at = (nowMs: number) => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs });
    let segments = 0;
    const ship = (records: readonly CallRecord[]) => store.calls.ship(batchOf(`seg_allocation_${on.title}_${segments += 1}`, records));

    /** Twelve teams by label, a shared key, and calls of nobody. */
    function played(organization: OrganizationId, monthMs: number, shared: ServiceKeyId): CallRecord[] {
      const draw = drawing(monthMs / dayMs);
      return Array.from({ length: 180 }, (_, index) => {
        const kind = index % 6 === 0 ? 'shared' : index % 10 === 1 ? 'nobody' : 'team';
        const isPriced = draw(20) > 0;
        return sampleRecord(organization, {
          ...(isPriced ? {} : { costSource: 'unpriced' }), ...(kind === 'shared' ? { key: shared } : {}),
          labels: kind === 'team' ? [`ticket:${draw(90)}`, `team:t${draw(12)}`] : [],
          project: `p${draw(3)}`, model: ['gpt-6', 'gpt-6-mini'][draw(2)]!, wire: 'openai', startedAtMs: monthMs + index * 3_600_000,
          cost: !isPriced ? null : nanoDollars(BigInt(draw(2_000_000_000))),
        });
      });
    }

    const teamOf = ({ labels, key }: CallRecord, shared: string): string | null =>
      key === shared ? 'shared' : labels.find((label) => label.startsWith('team:'))?.slice(5) ?? null;
    function ledger(records: readonly CallRecord[], shared: string): Map<string | null, bigint> {
      const sums = new Map<string | null, bigint>();
      for (const record of records) sums.set(teamOf(record, shared), (sums.get(teamOf(record, shared)) ?? 0n) + (record.cost ?? 0n));
      return sums;
    }
    const rules = {
      rules: [{ byLabel: 'team:*' }, { keys: ['shared'], split: { t0: '3', t1: 1, other: '0.5' } }], markup: '5',
      currency: { code: 'EUR', rate: '0.9137', date: '2026-09-30' },
      accounts: [{ team: 't0', account: 'acct-six', costCentre: '=CC-1' }, { team: null, account: '6999' }],
    };

    test('every team pays what its calls and its part of shared keys cost; a closed month keeps it with its rules', async () => {
      const organization = await newOrganization();
      const shared = shown(await createServiceKey(at(september), { organization, name: 'shared' })).id as ServiceKeyId;
      const asked = { organization, monthMs: september };
      assert.equal(refused(await showAllocation(at(october), asked)), 'no_allocation');
      const set = shown(await setAllocationRules(at(october), organization, rules));
      const records = played(organization, september, shared);
      await ship(records);
      await store.corrections.record({
        organization, provider: 'openai', fromMs: september, toMs: september + dayMs, bill: 'ab'.repeat(32),
        days: [{ dayMs: september, model: 'gpt-6', ours: nanoDollars(5_000n), theirs: nanoDollars(5_000_000n) }],
      });
      const own = ledger(records, shared);
      const open = shown(await showAllocation(at(october), asked));
      const closed = shown(await closeAndShow(at(october + dayMs), asked));
      const frozen = shown(await showAllocation(at(november), asked));
      assert.deepEqual([open.state, frozen.state, frozen.version, frozen.rulesHash], ['open', 'closed', 1, set.hash]);
      assert.deepEqual([frozen.teams, frozen.lines, frozen.totals], [open.teams, open.lines, open.totals], 'closed is as it stood');

      assert.deepEqual([frozen.totals.adjustedCost, frozen.totals.cost, frozen.totals.calls],
        [closed.adjustedCost, closed.figures.cost, closed.figures.calls], 'all teams together pay the month');
      assert.equal(frozen.totals.correction, '0.004995000');
      assert.equal(dollars(frozen.lines.reduce((sum, { cost }) => sum + unformatDollars(cost), 0n)), closed.figures.cost);
      for (const { team, cost, splitCost, unpricedCalls } of frozen.teams) {
        assert.equal(unformatDollars(cost) - unformatDollars(splitCost), own.get(team) ?? 0n, `what ${team} pays for itself`);
        if (team === null) assert.equal(unpricedCalls, records.filter((each) => teamOf(each, shared) === null && each.cost === null).length);
      }
      const splitOf = (name: string): bigint => unformatDollars(frozen.teams.find(({ team }) => team === name)!.splitCost);
      const [poolsMax, all] = [BigInt(6), own.get('shared')!];
      for (const [team, weight] of [['t0', 6n], ['t1', 2n], ['other', 1n]] as const) {
        const off = splitOf(team) * 9n - all * weight;
        assert.ok(off > -9n * poolsMax && off < 9n * poolsMax, `${team} pays its weight`);
      }
      assert.equal(splitOf('t0') + splitOf('t1') + splitOf('other'), all);
      const [first] = frozen.teams.filter(({ team }) => team === 't0');
      assert.deepEqual([first!.account, first!.costCentre, frozen.teams.at(-1)!.account], ['acct-six', '=CC-1', '6999']);
      assert.equal(unformatDollars(frozen.totals.charge), unformatDollars(frozen.totals.adjustedCost) + unformatDollars(frozen.totals.markup));
      assert.ok(unformatDollars(frozen.totals.converted!) * 10_000n - unformatDollars(frozen.totals.charge) * 9_137n <= 5_000n);

      await setAllocationRules(at(november), organization, { rules: [], rest: { team: 'all' } });
      assert.deepEqual(shown(await showAllocation(at(november), asked)), frozen, 'other rules do not move a closed month');
      const trial = shown(await tryAllocation(at(november), asked, { rules: [{ byLabel: 'team:*' }], rest: { split: 'own-shares' } }));
      assert.deepEqual([trial.state, trial.adjustedCost, trial.after.totals.cost], ['closed', closed.adjustedCost, closed.figures.cost]);
      const moves = trial.teams.map(({ moved }) => unformatDollars(moved));
      assert.equal(moves.reduce((sum, move) => sum + move, 0n), 0n, 'what one team gains, others lose');
      assert.equal(trial.teams.at(-1)!.after, null, 'nothing is left over');
      assert.ok(unformatDollars(trial.moved) > 0n);
      const same = shown(await tryAllocation(at(november), asked, rules));
      assert.equal(same.moved, '0.000000000', 'the rules of the closing give what was frozen');

      await erased(organization, frozen.totals.adjustedCost);
    });

    async function erased(organization: OrganizationId, adjustedCost: string): Promise<void> {
      const file = async (): Promise<string> => {
        const pieces: Uint8Array[] = [];
        for await (const { bytes } of shown(await exportMonth(at(november), { organization, monthMs: september })).pieces) pieces.push(bytes);
        return Buffer.concat(pieces).toString();
      };
      const verdictOf = (text: string) => checkMonth((async function* () { yield Buffer.from(text); })(), null);
      const text = await file();
      assert.match(text, /"type":"rules".*"currency":"EUR","rate":"0\.913700000","rateDate":"2026-09-30"/);
      assert.match(text, /acct-six/, 'the rules are in it');
      assert.equal((await verdictOf(text)).valid, true);
      assert.equal((await verdictOf(text.replace(/("type":"team"[^\n]*"adjustedCost":")\d/, '$19'))).fault, 'lines_differ');
      assert.equal((await verdictOf(text.replace('byLabel', 'byLabal'))).fault, 'name_differs');
      assert.equal((await verdictOf(text.replace('"rate":"0.91', '"rate":"0.92'))).fault, 'lines_differ');
      await granted(store.erasure.begin(organization));
      while (await store.erasure.eraseSlice());
      const without = await file();
      assert.equal((await verdictOf(without)).valid, true);
      assert.doesNotMatch(without, /team:|acct-six|CC-1|"t0"/);
      const left = shown(await showAllocation(at(november), { organization, monthMs: september }));
      assert.deepEqual([left.rulesHash, left.totals.adjustedCost, left.teams[0]!.account], [null, adjustedCost, null]);
      assert.equal(refused(await showAllocationRules(at(november), organization)), 'unknown_organization');
      assert.equal(await store.allocation.find(organization), null);
    }

    test('late calls and late corrections of a closed month are paid by the rules of the month that counts them', async () => {
      const organization = await newOrganization();
      await setAllocationRules(at(october), organization, { rules: [{ byLabel: 'team:*' }] });
      const call = (startedAtMs: number, team: string, cost: bigint) =>
        sampleRecord(organization, { labels: [`team:${team}`], model: 'gpt-6', wire: 'openai', startedAtMs, cost: nanoDollars(cost) });
      await ship([call(september, 'a', 30n), call(september, 'b', 10n), call(october, 'c', 5n)]);
      await closeAndShow(at(november), { organization, monthMs: september });
      await ship([call(september, 'd', 7n)]);
      await store.corrections.record({
        organization, provider: 'openai', fromMs: september, toMs: september + dayMs, bill: 'ab'.repeat(32),
        days: [{ dayMs: september, model: 'gpt-6', ours: nanoDollars(100n), theirs: nanoDollars(104n) }],
      });
      const closed = shown(await closeAndShow(at(november + 1), { organization, monthMs: october }));
      const { teams, totals } = shown(await showAllocation(at(november), { organization, monthMs: october }));
      assert.deepEqual(teams.map(({ team, cost, late, lateCorrection }) =>
        [team, cost, late, lateCorrection].map((each) => each!.replace('0.00000000', ''))), [
        ['a', '0', '0', '3'], ['b', '0', '0', '1'], ['c', '5', '0', '0'], ['d', '0', '7', '0'],
      ]);
      assert.equal(totals.adjustedCost, closed.adjustedCost);
      const same = shown(await tryAllocation(at(november), { organization, monthMs: october }, { rules: [{ byLabel: 'team:*' }] }));
      assert.equal(same.moved, '0.000000000');
      const first = shown(await showMonth(at(november), { organization, monthMs: september }));
      assert.equal(first.adjustedCost, '0.000000040');
    });

    test('rules that are wrong are refused with the field that is wrong, and change nothing', async () => {
      const organization = await newOrganization();
      const wrong: readonly (readonly [unknown, RegExp])[] = [
        [{ rules: [{ keys: ['a'] }] }, /byLabel, team or split/], [{ rules: [{ team: 'a', split: 'own-shares' }] }, /one of three ways/],
        [{ rules: [{ byLabel: 'team:' }] }, /asterisk/], [{ rules: [{ split: { a: '0' } }] }, /above 0/], [{ rules: [], markup: '-1' }, /markup/],
        [{ rules: [], markup: '0.00001' }, /4 decimal places/],
        [{ rules: [], currency: { code: 'eur', rate: '1', date: '2026-01-01' } }, /capital letters/],
        [{ rules: [], currency: { code: 'EUR', rate: '0', date: '2026-01-01' } }, /above 0/],
        [{ rules: [], currency: { code: 'EUR', rate: '1', date: '2026-02-30' } }, /such as 2026-10-31/],
        [{ rules: [], accounts: [{ team: 'a' }, { team: 'a' }] }, /twice/], [{ rules: [], rest: {} }, /The rest/],
        [{ rules: [{ team: 'a\0' }] }, /characters/],
      ];
      for (const [given, sentence] of wrong) {
        const answer = await setAllocationRules(at(october), organization, given as never);
        assert.equal(refused(answer), 'invalid_input', JSON.stringify(given));
        assert.match((answer as AdministrationRefusal).refused.message, sentence);
      }
      assert.deepEqual(shown(await showAllocationRules(at(october), organization)), { allocation: null, hash: null });
    });
  });
}
