/** The largest values keep their rows; everything else is one row, and the sums stay the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figurePlaces, noUsage } from '@metergate/core/report/usage-sum.ts';
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import { rankedRows, rankedUsage, topUsage, type UsageOrder } from './top-usage.ts';
import { addedUp, shownRows, type ShownUsage } from './usage.ts';

/** A day or a key; null: without one. */
const row = (names: { readonly day?: string; readonly key?: string | null }, cost: bigint, calls = 1, tokens = 0): UsageRow => {
  const figures = noUsage();
  figures[figurePlaces.cost] = cost;
  [figures[figurePlaces.calls], figures[figurePlaces.inputTokens], figures[figurePlaces.outputTokens]] = [calls, tokens, 1];
  const day = names.day === undefined ? [] : [String(Date.parse(names.day))];
  return { subjects: [...day, ...('key' in names ? [names.key ?? ''] : [])], figures };
};
const short = (rows: readonly (ShownUsage & { readonly everythingElse?: number })[]) =>
  rows.map(({ day, key, cost, calls, everythingElse }) => [day, key, cost, calls, everythingElse].filter((each) => each !== undefined).join(' '));

test('the largest come first and the others are one row that says how many it holds', () => {
  const rows = [row({ key: 'a' }, 5n), row({ key: 'b' }, 4n, 9), row({ key: null }, 3n), row({ key: 'd' }, 2n, 2)];
  assert.deepEqual(short(topUsage(['key'], rows, { top: 2, order: 'cost' })),
    ['a 0.000000005 1', 'b 0.000000004 9', ' 0.000000005 3 2']);
  assert.deepEqual(short(topUsage(['key'], rows, { top: 1, order: 'calls' })), ['b 0.000000004 9', ' 0.000000010 4 3']);
  assert.deepEqual(topUsage(['key'], rows, { top: 4, order: 'cost' }), shownRows(['key'], rows));
  assert.deepEqual(addedUp(topUsage(['key'], rows, { top: 1, order: 'tokens' })), addedUp(shownRows(['key'], rows)));
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

test('with two dimensions both separate values, and calls without one are a value too', () => {
  const rows = [['a', 'x', 5n], ['a', 'y', 4n], ['b', '', 3n], ['', 'x', 2n]].map(([key, label, cost]) =>
    ({ ...row({}, cost as bigint), subjects: [key, label] as string[] }));
  const ranked = topUsage(['key', 'label'], rows, { top: 3, order: 'cost' });
  assert.deepEqual(ranked.map(({ key, label, cost, everythingElse }) => [key, label, cost.slice(-1), everythingElse ?? 'named']),
    [['a', 'x', '5', 'named'], ['a', 'y', '4', 'named'], ['b', null, '3', 'named'], [null, null, '2', 1]]);
});

test('times alone are never put together, and rows can be ranked by each figure', () => {
  const days = [row({ day: '2026-11-01' }, 1n), row({ day: '2026-11-02' }, 2n)];
  assert.deepEqual(topUsage(['day'], days, { top: 1, order: 'cost' }), shownRows(['day'], days));
  const ranked = (rows: readonly UsageRow[], order: UsageOrder): (string | null | undefined)[][] =>
    [shownRows(['key'], rankedRows(rows, order)), rankedUsage(shownRows(['key'], rows), order)].map((each) => each.map(({ key }) => key));
  for (const order of ['calls', 'tokens'] as const) {
    const rows = order === 'calls' ? [row({ key: 'a' }, 1n, 1, 5), row({ key: 'b' }, 1n, 2, 4)]
      : [row({ key: 'a' }, 1n, 1, 4), row({ key: 'b' }, 1n, 2, 5)];
    assert.deepEqual(ranked(rows, order), [['b', 'a'], ['b', 'a']]);
  }
});
