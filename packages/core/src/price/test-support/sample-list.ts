/**
 * A price list of a few models with round prices, small enough to compute by hand: for tests only.
 * Sellers: the two named ones, and `shop.example` for declared upstreams, which also sells what the first one lists.
 */
import type { Reading, TokenFigures } from '../../usage/reading.ts';
import { noTokens, nothingDue } from '../../usage/reading.ts';
import type { PriceList } from '../price-list.ts';

export const sampleListId = '2026-09-23/0123456789abcdef';

export const sampleList: PriceList = {
  source: { package: 'sample', version: '1.0.0' },
  date: '2026-09-23',
  hash: '0123456789abcdef'.repeat(4),
  providers: [
    {
      id: 'openai', name: 'OpenAI', host: 'api\\.openai\\.com', models: [
        { id: 'plain', rule: { is: 'plain' }, prices: [{ input: 2_500_000, cached: 1_250_000, output: 10_000_000 }] },
        { id: 'no-cached', rule: { is: 'no-cached' }, prices: [{ input: 2_000_000, output: 4_000_000 }] },
        { id: 'writes', rule: { is: 'writes' }, prices: [{ input: 4_000_000, cached: 400_000, cacheWrite: 5_000_000, output: 8_000_000 }] },
        { id: 'embedding', rule: { starts: 'embedding-' }, prices: [{ input: 20_000 }] },
        { id: 'sound', rule: { is: 'sound' }, prices: [{}] },
        { id: 'free', rule: { is: 'free' }, prices: [{ input: 0, output: 0 }] },
        { id: 'half', rule: { is: 'half' }, prices: [{ input: 500, output: 1 }] },
        { id: 'thinker', rule: { is: 'thinker' }, prices: [{ input: 2_000_000, output: 8_000_000, reasoning: 3_000_000 }] },
        { id: 'asked', rule: { is: 'asked' }, prices: [{ input: 1_000_000, output: 1_000_000, call: 12_000_000_000 }] },
        {
          id: 'long', rule: { is: 'long' }, prices: [{
            input: { base: 1_000_000, above: [{ tokens: 200_000, rate: 2_000_000 }, { tokens: 500_000, rate: 3_000_000 }] },
            cached: { base: 100_000, above: [{ tokens: 200_000, rate: 200_000 }] },
            output: { base: 4_000_000, above: [{ tokens: 200_000, rate: 6_000_000 }] },
          }],
        },
        {
          id: 'dated', rule: { is: 'dated' },
          prices: [{ input: 5_000_000, output: 0 }, { from: '2026-08-21', input: 4_000_000, output: 0 }],
        },
        {
          id: 'nightly', rule: { is: 'nightly' }, prices: [
            { input: 2_000_000, output: 0 }, { daily: { fromSecond: 82_800, toSecond: 1_800 }, input: 1_000_000, output: 0 },
          ],
        },
        { id: 'release', rule: { is: 'release-2026-03-05' }, prices: [{ input: 7_000_000, output: 0 }] },
      ],
    },
    {
      id: 'anthropic', name: 'Anthropic', host: 'api\\.anthropic\\.com', models: [
        {
          id: 'claude', rule: { any: [{ is: 'claude' }, { starts: 'claude-' }] },
          prices: [{ input: 3_000_000, cached: 300_000, cacheWrite: 3_750_000, cacheWriteOneHour: 6_000_000, output: 15_000_000 }],
        },
        { id: 'bare', rule: { is: 'bare' }, prices: [{ input: 3_000_000, output: 15_000_000 }] },
        {
          id: 'claudelong', rule: { is: 'claudelong' },
          prices: [{ input: { base: 3_000_000, above: [{ tokens: 200_000, rate: 6_000_000 }] }, cached: 300_000, output: 15_000_000 }],
        },
      ],
    },
    {
      id: 'shop', name: 'Shop', host: '(?:[a-z]+\\.)?shop\\.example', borrows: ['openai'],
      models: [{ id: 'own', rule: { contains: 'own' }, prices: [{ input: 1_000_000, output: 2_000_000 }] }],
    },
    {
      id: 'router_a', name: 'Router A', host: 'router\\.example', path: '/a',
      models: [{ id: 'own', rule: { is: 'own' }, prices: [{ input: 9_000_000, output: 9_000_000 }] }],
    },
  ],
};

/** A reading with these figures, complete unless given otherwise. */
export function sampleReading(tokens: Partial<TokenFigures>, other: Partial<Omit<Reading, 'tokens'>> = {}): Reading {
  const complete = { ...nothingDue, model: 'plain', finishReason: 'stop', usage: 'reported' } as const;
  return { ...complete, ...other, tokens: { ...noTokens, ...tokens } };
}
