/** What calls used, as the overview's stats show it: of all calls, or summed from rows of usage. */
import type { Shown } from '../../api/client.ts';
import { sumDollars } from '../../shown/amounts.ts';

export type UsedFigures = Pick<
  Shown<'Overview'>['total'],
  'calls' | 'cost' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'reasoningTokens' | 'unknownCalls' | 'unpricedCalls' | 'gapCalls'
>;

/** Rows by day: no call is in two of them. */
export function usedTogether(rows: readonly Shown<'Usage'>[]): UsedFigures {
  const sum = (name: Exclude<keyof UsedFigures, 'cost'>): number => rows.reduce((total, row) => total + row[name], 0);
  return {
    calls: sum('calls'),
    cost: rows.length === 0 ? '0.000000000' : sumDollars(rows.map(({ cost }) => cost)),
    inputTokens: sum('inputTokens'),
    cachedTokens: sum('cachedTokens'),
    outputTokens: sum('outputTokens'),
    reasoningTokens: sum('reasoningTokens'),
    unknownCalls: sum('unknownCalls'),
    unpricedCalls: sum('unpricedCalls'),
    gapCalls: sum('gapCalls'),
  };
}
