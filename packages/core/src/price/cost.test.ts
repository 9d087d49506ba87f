/** What a call costs, by tables computed by hand and against an oracle of exact fractions. Rules 5 to 7; rules: Record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { formatDollars, nanoDollarsMax } from '../money.ts';
import type { Reading, TokenFigures } from '../usage/reading.ts';
import { wires } from '../wire/wire.ts';
import { costOf, type Cost, type PricedCall } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type LoadedOverlay } from './price-book.ts';
import { sampleList, sampleListId, sampleReading } from './test-support/sample-list.ts';

const atMs = Date.parse('2026-09-23T12:00:00Z');
const book = createPriceBook({ list: sampleList, overlay: null });

function costOn(wire: 'openai' | 'anthropic', reading: Reading, other: Partial<PricedCall> = {}): Cost {
  const { cachedInInput } = wires[wire];
  return costOf({ reading: { ...reading, cachedInInput }, provider: wire, upstreamHost: null, book, fallback: null, atMs, ...other });
}

function upstreamCost(reading: Reading, other: Partial<PricedCall> = {}): Cost {
  return costOf({ reading, provider: null, upstreamHost: 'shop.example', book, fallback: null, atMs, ...other });
}

function dollars(cost: Cost): string | null {
  return cost.cost === null ? null : formatDollars(cost.cost);
}

function overlayOf(prices: readonly object[]): LoadedOverlay {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok('overlay' in parsed, 'refusal' in parsed ? parsed.refusal : '');
  return { overlay: parsed.overlay, hash: 'fedcba9876543210'.repeat(4) };
}

/** Why, model, figures, cost. */
type Row = [why: string, model: string, tokens: Partial<TokenFigures>, cost: string | null];

describe('first wire: cached and reasoning are parts of prompt and completion (spec: Usage fields; rule 6)', () => {
  const rows: Row[] = [
    ['prompt and completion', 'plain',
      { input: 1000, output: 200 }, '0.004500000'],
    ['cached at its own price', 'plain',
      { input: 1000, cached: 400, output: 200, reasoning: 50 }, '0.004000000'],
    ['all of the prompt cached', 'plain',
      { input: 1000, cached: 1000, output: 0 }, '0.001250000'],
    ['more cached than prompt leaves nothing uncached, never less', 'plain',
      { input: 10, cached: 1000, output: 0 }, '0.001250000'],
    ['cached without a price is paid as input', 'no-cached',
      { input: 1000, cached: 400, output: 0 }, '0.002000000'],
    ['cache writes are part of the prompt', 'writes',
      { input: 1000, cached: 100, cacheWrite: 200, output: 0 }, '0.003840000'],
    ['reasoning with its own price is taken out of the output', 'thinker',
      { input: 0, output: 100, reasoning: 40 }, '0.000600000'],
    ['more reasoning than output counts as the output', 'thinker',
      { input: 0, output: 100, reasoning: 400 }, '0.000300000'],
    ['embeddings report no completion', 'embedding-3',
      { input: 1_000_000 }, '0.020000000'],
    ['embeddings that report a completion of 0', 'embedding-3',
      { input: 50, output: 0 }, '0.000001000'],
    ['output without a price', 'embedding-3',
      { input: 50, output: 1 }, null],
    ['a listed model without token prices', 'sound',
      { input: 50, output: 1 }, null],
    ['a price of 0 is a price', 'free',
      { input: 50, output: 1 }, '0.000000000'],
    ['a price for the call comes on top', 'asked',
      { input: 100, output: 100 }, '0.012200000'],
    ['a model nobody lists', 'nobody',
      { input: 50, output: 1 }, null],
  ];
  for (const [why, model, tokens, cost] of rows) {
    it(`${why}: ${cost ?? 'null'}`, () => {
      const result = costOn('openai', sampleReading(tokens, { model }));
      assert.equal(dollars(result), cost);
      assert.equal(result.costSource, cost === null ? 'unpriced' : 'priced');
      assert.equal(result.priceList, cost === null ? null : sampleListId);
    });
  }
});

describe('second wire: cache reads and writes come on top of the input (rule 6)', () => {
  const rows: Row[] = [
    ['reads and writes on top', 'claude',
      { input: 10, cached: 3, cacheWrite: 2, output: 5 }, '0.000113400'],
    ['one-hour writes cost more', 'claude',
      { input: 10, cached: 3, cacheWrite: 2, cacheWriteOneHour: 1, output: 5 }, '0.000115650'],
    ['all writes for one hour', 'claude',
      { input: 10, cached: 3, cacheWrite: 2, cacheWriteOneHour: 2, output: 5 }, '0.000117900'],
    ['more one-hour writes than writes', 'claude',
      { input: 10, cached: 3, cacheWrite: 2, cacheWriteOneHour: 9, output: 5 }, '0.000117900'],
    ['cached larger than input is no fault here', 'claude',
      { input: 1, cached: 1000, output: 1 }, '0.000318000'],
    ['reads and writes without a price are paid as input', 'bare',
      { input: 10, cached: 3, cacheWrite: 2, cacheWriteOneHour: 1, output: 0 }, '0.000045000'],
    ['the step is chosen by all that went in', 'claudelong',
      { input: 1, cached: 200_000, output: 0 }, '0.060006000'],
    ['up to the step the lower price holds', 'claudelong',
      { input: 1, cached: 199_999, output: 0 }, '0.060002700'],
  ];
  for (const [why, model, tokens, cost] of rows) {
    it(`${why}: ${cost ?? 'null'}`, () => assert.equal(dollars(costOn('anthropic', sampleReading(tokens, { model }))), cost));
  }
});

describe('steps by the size of the whole input (rule 6)', () => {
  const rows: [number, number, string][] = [
    [199_999, 0, '0.203999000'], [200_000, 0, '0.204000000'], [200_001, 0, '0.406002000'], [500_000, 0, '1.006000000'],
    [500_001, 0, '1.506003000'], [200_001, 200_000, '0.046002000'],
  ];
  for (const [input, cached, cost] of rows) {
    it(`${input} tokens in, ${cached} of them cached, 1000 out: ${cost}`, () => {
      assert.equal(dollars(costOn('openai', sampleReading({ input, cached, output: 1000 }, { model: 'long' }))), cost);
    });
  }
});

describe('the price of the instant of admission (rule 6)', () => {
  const rows: [string, string, string][] = [
    ['dated', '2026-08-20T23:59:59.999Z', '0.005000000'], ['dated', '2026-08-21T00:00:00.000Z', '0.004000000'],
    ['nightly', '2026-09-23T22:59:59.999Z', '0.002000000'], ['nightly', '2026-09-23T23:00:00.000Z', '0.001000000'],
    ['nightly', '2026-09-24T00:29:59.999Z', '0.001000000'], ['nightly', '2026-09-24T00:30:00.000Z', '0.002000000'],
  ];
  for (const [model, at, cost] of rows) {
    it(`${model} at ${at}: ${cost}`, () => {
      assert.equal(dollars(costOn('openai', sampleReading({ input: 1000, output: 1 }, { model }), { atMs: Date.parse(at) })), cost);
    });
  }
});

describe('rounded once, half to even (rule 5)', () => {
  const rows: [number, number, bigint][] = [
    [1, 0, 0n], [1, 1, 1n], [2, 0, 1n], [3, 0, 2n], [5, 0, 2n], [7, 0, 4n],
    [0, 499, 0n], [0, 500, 0n], [0, 501, 1n], [0, 1500, 2n], [1, 1000, 2n],
  ];
  for (const [input, output, nano] of rows) {
    it(`${input} × 0.5 + ${output} × 0.001 nano-dollars = ${nano}`, () => {
      assert.equal(costOn('openai', sampleReading({ input, output }, { model: 'half' })).cost, nano);
    });
  }
});

describe('states of usage (rules: Record; rule 7)', () => {
  const figures = { input: 1000, output: 200 };
  for (const usage of ['none', 'unknown'] as const) {
    it(`${usage}: no cost, whatever figures came`, () => {
      const reading = sampleReading(figures, { usage, reportedCost: '1' });
      assert.deepEqual(costOn('openai', reading),
        { cost: null, costGaps: [], costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null });
      assert.deepEqual(upstreamCost(reading), { cost: null, costGaps: [], costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null });
    });
  }
  it('partial: priced as far as it was reported', () => {
    const reading = sampleReading({ input: 10, cached: 3, cacheWrite: 2, output: 1 }, { usage: 'partial', model: 'claude' });
    assert.equal(dollars(costOn('anthropic', reading)), '0.000053400');
  });
  it('reported without one figure: nothing to price', () => {
    assert.deepEqual(costOn('openai', sampleReading({})),
      { cost: null, costGaps: [], costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null });
  });
  it('no model: unpriced, never 0', () => {
    const nobody = costOn('openai', sampleReading(figures, { model: null }));
    assert.deepEqual(nobody, { cost: null, costGaps: [], costSource: 'unpriced', pricedBy: null, priceList: null, cacheSavings: null });
  });
  it('the other provider lists it: still unpriced', () => {
    assert.equal(costOn('openai', sampleReading(figures, { model: 'claude' })).costSource, 'unpriced');
  });
  it('the largest figures saturate at the 64-bit bound', () => {
    const most = Number.MAX_SAFE_INTEGER;
    assert.equal(costOn('openai', sampleReading({ input: most, output: most })).cost, nanoDollarsMax);
  });
});

describe('declared upstream: its own cost first (rule 6)', () => {
  const rows: [string, string][] = [
    ['0', '0.000000000'], ['0.0000123', '0.000012300'], ['1e-7', '0.000000100'], ['4.5E-10', '0.000000000'], ['12.5', '12.500000000'],
  ];
  for (const [reportedCost, cost] of rows) {
    it(`${reportedCost} is the cost: ${cost}`, () => {
      const result = upstreamCost(sampleReading({ input: 1000, output: 200 }, { reportedCost }));
      assert.deepEqual([dollars(result), result.costSource, result.priceList], [cost, 'upstream', null]);
    });
  }
  it('needs neither a model nor a token figure', () => {
    assert.equal(dollars(upstreamCost(sampleReading({}, { model: null, reportedCost: '0.25' }))), '0.250000000');
  });
  for (const reportedCost of ['-1', '1e308', '1e400', 'NaN']) {
    it(`${reportedCost} is no cost: the list prices the call`, () => {
      const result = upstreamCost(sampleReading({ input: 1000, output: 200 }, { reportedCost }));
      assert.deepEqual([dollars(result), result.costSource], ['0.004500000', 'priced']);
    });
  }
  it('a named provider cannot report a cost', () => {
    const result = costOn('openai', sampleReading({ input: 1000, output: 200 }, { reportedCost: '0.1' }));
    assert.deepEqual([dollars(result), result.costSource], ['0.004500000', 'priced']);
  });
});

describe('which price goes first (rules 6 and 7)', () => {
  const fallback = { inputNanoPerMillion: 1_000_000_000n, outputNanoPerMillion: 3_000_000_000n };
  const overlay = overlayOf([
    { provider: 'openai', model: 'plain', input: '1', output: '1' },
    { host: 'shop.example', model: 'plain', input: '2', output: '2' },
  ]);
  const both = createPriceBook({ list: sampleList, overlay });
  const tokens = { input: 1000, output: 200 };
  it('named: overlay before list', () => {
    const result = costOn('openai', sampleReading(tokens), { book: both, fallback });
    assert.deepEqual([dollars(result), result.costSource, result.priceList], ['0.001200000', 'priced', 'overlay/fedcba9876543210']);
  });
  it('named: list before fallback', () => {
    const result = costOn('openai', sampleReading(tokens), { fallback });
    assert.deepEqual([dollars(result), result.costSource], ['0.004500000', 'priced']);
  });
  it('named: fallback for a model with no price, and the record says so', () => {
    const result = costOn('openai', sampleReading(tokens, { model: 'nobody' }), { fallback });
    assert.deepEqual([dollars(result), result.costSource, result.priceList], ['0.001600000', 'fallback', null]);
  });
  it('upstream: overlay before fallback', () => {
    const result = upstreamCost(sampleReading(tokens), { book: both, fallback });
    assert.deepEqual([dollars(result), result.priceList], ['0.002400000', 'overlay/fedcba9876543210']);
  });
  it('upstream: fallback before the list', () => {
    assert.deepEqual(upstreamCost(sampleReading(tokens), { fallback }).costSource, 'fallback');
  });
  it('upstream: the list if it knows the host, including the prices that this seller borrows', () => {
    const own = upstreamCost(sampleReading(tokens, { model: 'my-own-model' }), { upstreamHost: 'API.shop.example:443' });
    assert.deepEqual([dollars(own), own.priceList], ['0.001400000', sampleListId]);
    assert.equal(dollars(upstreamCost(sampleReading(tokens))), '0.004500000');
  });
  it('upstream: unpriced if the list does not know the host', () => {
    assert.equal(upstreamCost(sampleReading(tokens), { upstreamHost: 'shop.example.net' }).costSource, 'unpriced');
  });
  it('fallback prices all that went in, the second wire\'s cache reads and writes too', () => {
    const reading = sampleReading({ input: 10, cached: 3, cacheWrite: 2, cacheWriteOneHour: 1, output: 5 }, { model: 'nobody' });
    assert.equal(dollars(costOn('anthropic', reading, { fallback })), '0.000030000');
  });
  it('fallback rounds half to even too', () => {
    const price = { inputNanoPerMillion: 500_000n, outputNanoPerMillion: 0n };
    const costs = [1, 2, 3, 5].map((input) =>
      costOn('openai', sampleReading({ input, output: 0 }, { model: 'nobody' }), { fallback: price }));
    assert.deepEqual(costs.map(({ cost }) => cost), [0n, 1n, 2n, 2n]);
  });
});

describe('against exact fractions', () => {
  const figure = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(0, 1, 199_999, 200_000, 200_001, 2 ** 40));
  const rate = fc.oneof(fc.integer({ min: 0, max: 30_000_000 }), fc.constantFrom(0, 1, 500, 83_333));
  it('the cost is the nearest nano-dollar to the sum of tokens × dollars, even at the half, on both named wires', () => {
    const shape = fc.record({
      wire: fc.constantFrom('openai' as const, 'anthropic' as const), input: figure, output: figure, cached: figure, write: figure,
      rates: fc.record({ input: rate, cached: rate, cacheWrite: rate, output: rate }),
      step: fc.integer({ min: 1, max: 400_000 }), stepRate: rate,
    });
    fc.assert(fc.property(shape, ({ wire, input, output, cached, write, rates, step, stepRate }) => {
      const listed = { ...rates, input: { base: rates.input, above: [{ tokens: step, rate: stepRate }] } };
      const list = {
        ...sampleList, providers: [{ id: wire, name: wire, host: 'x', models: [{ id: 'm', rule: { is: 'm' }, prices: [listed] }] }],
      };
      const cost = costOf({
        reading: sampleReading({ input, output, cached, cacheWrite: write }, { model: 'm', cachedInInput: wires[wire].cachedInInput }),
        provider: wire, upstreamHost: null,
        book: createPriceBook({ list, overlay: null }), fallback: null, atMs,
      }).cost;
      const uncached = wire === 'anthropic' ? input : Math.max(0, input - cached - write);
      const inputRate = uncached + cached + write > step ? stepRate : rates.input;
      // In units of 10⁻¹⁸ dollars, by way of dollars per million tokens: each product is exact.
      const atto = [[uncached, inputRate], [cached, rates.cached], [write, rates.cacheWrite], [output, rates.output]]
        .reduce((sum, [tokens, micro]) => sum + BigInt(tokens!) * BigInt(micro!) * 10n ** 6n, 0n);
      const off = atto - BigInt(cost!) * 10n ** 9n;
      const twice = 2n * (off < 0n ? -off : off);
      assert.ok(twice < 10n ** 9n || (twice === 10n ** 9n && cost! % 2n === 0n));
    }));
  });
});
