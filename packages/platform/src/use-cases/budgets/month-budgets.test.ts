/**
 * Budgets of months on both engines: what was spent by organization, project, person and label equals this test's own records, and what is expected
 * follows the rule; a closed month stays as it was closed. Decision 148.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { batchOf, granted, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import type { UsageQuery } from '@metergate/store/usage/usage-query.ts';
import { closeAndShow } from '../months/months.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { listBudgets, removeBudget, setBudget, type ShownBudget } from './month-budgets.ts';

const contractStore = contractStores();
const [october, november, december] = [9, 10, 11].map((month) => Date.UTC(2026, month, 1)) as [number, number, number];
const dayMs = 86_400_000;
const dollars = (amount: bigint): string => formatDollars(amount as NanoDollars);
const refused = (answer: unknown): string | null => (isRefusal(answer) ? answer.refused.code : null);
function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}

for (const on of bothEngines) {
  describe(`budgets on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const at = (nowMs: number) => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs });
    let segments = 0;
    const ship = (records: readonly CallRecord[]) => store.calls.ship(batchOf(`seg_budget_${on.title}_${segments += 1}`, records));
    const find = (budgets: readonly ShownBudget[], scope: string): ShownBudget => budgets.find((each) => each.scope === scope)!;

    test('spent is what the calls cost, whatever the budget is for; expected is that and the pace until the end', async () => {
      const organization = await newOrganization();
      const call = (startedAtMs: number, cost: bigint, given: Partial<CallRecord> = {}) => sampleRecord(organization, {
        startedAtMs, project: null, labels: [], cost: nanoDollars(cost), ...given,
      });
      await ship([
        call(november + 1, 100n, { project: 'web' }), call(november + dayMs, 200n, { project: 'web', labels: ['team:ads', 'x'] }),
        call(november + 2 * dayMs, 300n, { labels: ['team:ads'] }), call(november + 2 * dayMs, 0n, { cost: null, costSource: 'unpriced' }),
        call(october + 30 * dayMs, 7_000n, { project: 'web', labels: ['team:ads'] }),
      ]);
      const set = (scope: ShownBudget['scope'], subject: string | null, amount: string) =>
        setBudget(at(november + 3 * dayMs), { organization, scope, subject, amount });
      for (const [scope, subject] of [['organization', null], ['project', 'web'], ['label', 'team:ads']] as const) {
        shown(await set(scope, subject, '1'));
      }
      const listed = shown(await listBudgets(at(november + 3 * dayMs), { organization }));
      assert.deepEqual(listed.map(({ scope, spent, state, unpricedCalls }) => [scope, spent, state, unpricedCalls]), [
        ['organization', dollars(600n), 'within', 1], ['project', dollars(300n), 'within', 0], ['label', dollars(500n), 'within', 0],
      ]);
      const pace = (sum: bigint, days: bigint): bigint => (sum * 27n) / days;
      assert.deepEqual(listed.map(({ expected }) => expected), [
        dollars(600n + pace(7_600n, 4n)), dollars(300n + pace(7_300n, 4n)), dollars(500n + pace(7_500n, 4n)),
      ]);
      assert.deepEqual(find(listed, 'project').left, dollars(1_000_000_000n - 300n));
      const small = shown(await set('label', 'team:ads', '0.000000500'));
      assert.deepEqual([small.id, small.state], [find(listed, 'label').id, 'spent'], 'set again it keeps its id');
      assert.equal(shown(await set('project', 'web', '0.000001000')).state, 'over_expected');
    });

    test('what people spent is two reports, however many keys they had, ended ones too', async () => {
      const organization = await newOrganization();
      const nowMs = november + 3 * dayMs;
      const person = async (email: string, keys: number) => {
        const { id } = await granted(store.members.create({ organization, email, passwordHash: 'x', role: 'member' }));
        return Promise.all(Array.from({ length: keys }, async () => (await granted(store.serviceKeys.create({
          organization, name: null, project: null, expiresAtMs: null, hash: randomBytes(32).toString('hex'), prefix: 'svc_live_x', person: id,
        }))).id));
      };
      const [ada, bob, none] = [await person('ada@example.com', 5), await person('bob@example.com', 2), await person('carl@example.com', 1)];
      const call = (key: ServiceKeyId, cost: bigint, day: number) =>
        sampleRecord(organization, { key, startedAtMs: november + day * dayMs, cost: nanoDollars(cost) });
      await ship([...ada.map((key, day) => call(key, 100n, day % 2)), ...bob.map((key) => call(key, 7n, 2)), call(none[0]!, 3n, 1)]);
      await granted(store.serviceKeys.revoke(ada[0]!));
      for (const subject of ['ada@example.com', 'bob@example.com', 'nobody@example.com']) {
        shown(await setBudget(at(nowMs), { organization, scope: 'person', subject, amount: '1' }));
      }
      let reports = 0;
      const usageReports = { usage: (query: UsageQuery) => (reports += 1, store.usageReports.usage(query)) };
      const listed = async (months: { readonly nowMs: number; readonly monthMs: number }) => shown(await listBudgets(
        { ...at(months.nowMs), store: { ...store, usageReports } }, { organization, monthMs: months.monthMs }))
        .map(({ subject, spent, expected }) => [subject, spent, expected]);
      const pace = (sum: bigint, days: bigint): string => dollars(sum + (sum * 27n) / days);
      assert.deepEqual(await listed({ nowMs, monthMs: november }), [
        ['ada@example.com', dollars(500n), pace(500n, 3n)], ['bob@example.com', dollars(14n), pace(14n, 1n)],
        ['nobody@example.com', dollars(0n), dollars(0n)],
      ]);
      assert.equal(reports, 2);
      shown(await closeAndShow(at(december), { organization, monthMs: november }));
      assert.deepEqual((await listed({ nowMs: december, monthMs: november })).map(([, spent]) => spent), [500n, 14n, 0n].map(dollars));
    });

    test('an amount for one month comes before that of every month; of a month that has not begun nothing is expected', async () => {
      const organization = await newOrganization();
      const now = at(november + dayMs);
      await ship([sampleRecord(organization, { startedAtMs: november, cost: nanoDollars(50n) })]);
      const every = shown(await setBudget(now, { organization, scope: 'organization', amount: '5' }));
      const own = shown(await setBudget(now, { organization, scope: 'organization', amount: '9', month: '2026-12', at: [80, 50, 80] }));
      const months = async (monthMs: number) => shown(await listBudgets(now, { organization, monthMs }))
        .map(({ id, amount, month, everyMonth, spent, expected, at: percent }) => [id, amount, month, everyMonth, spent, expected, percent]);
      assert.deepEqual(await months(november), [[every.id, '5.000000000', '2026-11', true, dollars(50n), dollars(50n + 29n * 50n), []]]);
      assert.deepEqual(await months(december), [[own.id, '9.000000000', '2026-12', false, dollars(0n), null, [50, 80]]]);
      assert.deepEqual(await months(october), [[every.id, '5.000000000', '2026-10', true, dollars(0n), dollars(0n), []]]);
      const other = await newOrganization();
      assert.equal(refused(await removeBudget(now, own.id, other)), 'unknown_budget');
      shown(await removeBudget(now, own.id, organization));
      assert.equal((await months(december))[0]![0], every.id);
    });

    test('of a closed month they show what was closed, and erasure takes them', async () => {
      const organization = await newOrganization();
      const record = (cost: bigint) =>
        sampleRecord(organization, { startedAtMs: october + dayMs, project: 'web', labels: ['a', 'b'], cost: nanoDollars(cost) });
      await ship([record(10n), record(20n)]);
      for (const [scope, subject] of [['organization', null], ['project', 'web'], ['label', 'b']] as const) {
        shown(await setBudget(at(november), { organization, scope, subject, amount: '1' }));
      }
      const spent = async () => shown(await listBudgets(at(december), { organization, monthMs: october })).map((each) => [each.spent, each.expected]);
      const whole = [dollars(30n), dollars(30n)];
      assert.deepEqual(await spent(), [whole, whole, whole]);
      shown(await closeAndShow(at(november + dayMs), { organization, monthMs: october }));
      await ship([record(70n)]);
      assert.deepEqual(await spent(), [whole, whole, whole]);
      await granted(store.erasure.begin(organization));
      while (await store.erasure.eraseSlice());
      assert.deepEqual(await store.monthBudgets.list(organization), []);
      assert.equal(refused(await store.monthBudgets.set({
        organization, scope: 'label', subject: 'b', monthMs: null, amount: nanoDollars(1n), at: [],
      })), 'unknown_organization');
    });

    test('what is wrong is refused, and changes nothing', async () => {
      const organization = await newOrganization() as OrganizationId;
      const wrong: readonly (readonly [Record<string, unknown>, RegExp])[] = [
        [{ scope: 'team' }, /organization, project, person, label/], [{ scope: 'project' }, /must name it/], [{ subject: 'x' }, /names nothing/],
        [{ month: '2026-13' }, /such as 2026-11/], [{ month: '11' }, /such as 2026-11/], [{ amount: '-1' }, /amount of a budget/],
        [{ at: [0] }, /percent/], [{ scope: 'label', subject: 'a\0' }, /control/],
      ];
      for (const [given, sentence] of wrong) {
        const answer = await setBudget(at(november), { organization, scope: 'organization', amount: '1', ...given } as never);
        assert.ok(isRefusal(answer), JSON.stringify(given));
        assert.match(answer.refused.message, sentence);
      }
      assert.deepEqual(shown(await listBudgets(at(november), { organization })), []);
      assert.equal(refused(await setBudget(at(november), { organization: 'nobody', scope: 'organization', amount: '1' })), 'unknown_organization');
    });
  });
}
