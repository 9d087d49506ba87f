/** The largest values keep their rows; everything else is one row, and the sums stay the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { rankedUsage, topUsage } from './top-usage.ts';
import { addedUp, type ShownUsage } from './usage.ts';

const row = (names: Partial<ShownUsage>, cost: bigint, calls = 1, tokens = 0): ShownUsage => ({
  ...names, calls, inputTokens: tokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0,
  cost: formatDollars(cost as NanoDollars), cacheSavings: null, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
});
const short = (rows: readonly (ShownUsage & { readonly everythingElse?: number })[]) =>
  rows.map(({ day, key, cost, calls, everythingElse }) => [day, key, cost, calls, everythingElse].filter((each) => each !== undefined).join(' '));

test('the largest come first and the others are one row that says how many it holds', () => {
  const rows = [row({ key: 'a' }, 5n), row({ key: 'b' }, 4n, 9), row({ key: null }, 3n), row({ key: 'd' }, 2n, 2)];
  assert.deepEqual(short(topUsage(['key'], rows, { top: 2, order: 'cost' })),
    ['a 0.000000005 1', 'b 0.000000004 9', ' 0.000000005 3 2']);
  assert.deepEqual(short(topUsage(['key'], rows, { top: 1, order: 'calls' })), ['b 0.000000004 9', ' 0.000000010 4 3']);
  assert.deepEqual(topUsage(['key'], rows, { top: 4, order: 'cost' }), rows);
  assert.deepEqual(addedUp(topUsage(['key'], rows, { top: 1, order: 'tokens' })), addedUp(rows));
});

test('over days a value is ranked by all its days, and everything else has a row for each day', () => {
  const rows = [
    row({ day: '2026-11-02', key: 'a' }, 10n), row({ day: '2026-11-01', key: 'b' }, 6n), row({ day: '2026-11-02', key: 'b' }, 5n),
    row({ day: '2026-11-01', key: 'c' }, 1n), row({ day: '2026-11-02', key: 'd' }, 1n), row({ day: '2026-11-02', key: 'c' }, 1n),
  ];
  assert.deepEqual(short(topUsage(['day', 'key'], rows, { top: 1, order: 'cost' })), [
    '2026-11-01 b 0.000000006 1', '2026-11-02 b 0.000000005 1', '2026-11-01  0.000000001 1 1', '2026-11-02  0.000000012 3 3',
  ]);
});

test('times alone are never put together, and rows can be ranked by each figure', () => {
  const days = [row({ day: '2026-11-01' }, 1n), row({ day: '2026-11-02' }, 2n)];
  assert.deepEqual(topUsage(['day'], days, { top: 1, order: 'cost' }), days);
  assert.deepEqual(rankedUsage([row({ key: 'a' }, 1n, 1, 5), row({ key: 'b' }, 1n, 2, 4)], 'calls').map(({ key }) => key), ['b', 'a']);
  assert.deepEqual(rankedUsage([row({ key: 'a' }, 1n, 1, 4), row({ key: 'b' }, 1n, 2, 5)], 'tokens').map(({ key }) => key), ['b', 'a']);
});
