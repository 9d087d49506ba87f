/** Several people set the same thresholds or budget at the same moment, each from what was there: one change stands, the others are refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const changed = (): StoreRefusal => refuse('changed_meanwhile', 'It changed. Nothing was saved.');

/** How the answers of changes sent at once ended. */
async function endings(answers: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.all(answers.map(refusalCode))).toSorted();
}

for (const on of bothEngines) {
  describe(`the same change at once on ${on.title}`, async () => {
    const { store, another, newOrganization } = await contractStore(on);
    const stores = [store, await another()];
    const four = [0, 1, 2, 3].map((number) => [stores[number % 2]!, number + 1] as const);
    const oneOfFour = ['changed_meanwhile', 'changed_meanwhile', 'changed_meanwhile', 'granted'];

    test('thresholds of a cap, first ones and others', async () => {
      const organization = await newOrganization();
      const wanted = { organization, scope: 'organization', subject: null, window: 'day', limit: nanoDollars(1n), mode: 'refuse' } as const;
      const { id: cap } = await granted(store.caps.set(wanted));
      let was: readonly number[] | null = null;
      for (const round of [10, 20, 30]) {
        const check = (there: { readonly at: readonly number[] } | null) => (String(there?.at) === String(was ?? undefined) ? null : changed());
        const answers = four.map(([of, number]) => of.capAlerts.set({ organization, cap, at: [round + number] }, check));
        assert.deepEqual(await endings(answers), oneOfFour);
        was = (await store.capAlerts.list(organization))[0]!.at;
      }
      const { id } = (await store.capAlerts.list(organization))[0]!;
      assert.deepEqual(await endings(four.map(([of]) => of.capAlerts.remove(id))), ['granted', ...new Array<string>(3).fill('unknown_alert')]);
    });

    test('a budget, the first one and others', async () => {
      const organization = await newOrganization();
      let was: bigint | null = null;
      for (const round of [10, 20, 30]) {
        const check = (there: { readonly amount: bigint } | null) => ((there?.amount ?? null) === was ? null : changed());
        const answers = four.map(([of, number]) => of.monthBudgets.set(
          { organization, scope: 'organization', subject: null, monthMs: null, amount: nanoDollars(BigInt(round + number)), at: [] }, check));
        assert.deepEqual(await endings(answers), oneOfFour);
        was = (await store.monthBudgets.list(organization))[0]!.amount;
      }
      const { id } = (await store.monthBudgets.list(organization))[0]!;
      assert.deepEqual(await endings(four.map(([of]) => of.monthBudgets.remove(id))), ['granted', ...new Array<string>(3).fill('unknown_budget')]);
    });
  });
}
