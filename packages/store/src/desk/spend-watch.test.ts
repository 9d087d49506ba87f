/** What operators learn about sums that differ from their records: each once, with both figures, and the count of the last walk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { SpendDifference } from '../spend/spend-reconciler.ts';
import { createSpendWatch } from './spend-watch.ts';

function difference(at: number, calls = 3): SpendDifference {
  return {
    organization: 'org_a' as OrganizationId, scope: 'project', subject: `p"${at}\n`, dayMs: Date.UTC(2026, 10, 1),
    kept: { spent: nanoDollars(1_500_000_000n), calls, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0 },
    derived: { spent: nanoDollars(2_000_000_000n), calls: calls + 1, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0 },
  };
}

function context() {
  const said: string[] = [];
  const counts: number[] = [];
  let differences: SpendDifference[] = [];
  const watch = createSpendWatch({
    reconciler: {
      async reconcile(between) {
        return await between() ? { organizations: 1, records: 1, differences } : null;
      },
    },
    warn: (sentence) => void said.push(sentence), found: (count) => void counts.push(count), betweenSlices: async () => {},
  });
  return { said, counts, watch, find: (found: SpendDifference[]) => { differences = found; } };
}

test('a difference is reported once, on one line, though calls continue; again only after it was gone or has changed', async () => {
  const { said, counts, watch, find } = context();
  for (const found of [[], [difference(1)], [difference(1, 8)], [], [difference(1)]]) {
    find(found);
    await watch.look();
  }
  assert.deepEqual(counts, [0, 1, 1, 0, 1]);
  assert.equal(said.length, 2);
  assert.equal(said[0], 'The spend kept of project "p\\"1\\n" of org_a on 2026-11-01 is not that of its records: '
    + '$1.500000000 of 3 calls is kept, $2.000000000 of 4 calls is recorded. Caps work with what is kept; restore it, or report this.');
});

test('many differences are reported as ten sentences and a number; a stopped walk reports nothing', async () => {
  const { said, counts, watch, find } = context();
  find(Array.from({ length: 25 }, (_, at) => difference(at)));
  await watch.look();
  assert.deepEqual([said.length, said.at(-1)], [11, '15 more sums of spend differ from their records.']);
  watch.stop();
  await watch.look();
  assert.deepEqual([said.length, counts], [11, [25]]);
});
