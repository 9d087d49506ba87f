/** How a recorded cost came about: lines that come to it exactly, or the reason why there are none. Rules 5 to 7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { divideHalfEven, nanoDollars } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import type { Reading, TokenFigures } from '../usage/reading.ts';
import { costOf } from './cost.ts';
import { attoDollarsText, costLines, type CostLines } from './cost-lines.ts';
import { createPriceBook } from './price-book.ts';
import { parseOverlay } from './overlay.ts';
import { sampleList, sampleReading } from './test-support/sample-list.ts';

const startedAtMs = Date.parse('2026-09-23T12:00:00Z');
const parsed = parseOverlay(JSON.stringify({ prices: [
  { provider: 'openai', model: 'tiered', input: '1', output: '2', serviceTiers: { batch: '0.5' }, webSearch: '10' },
  { host: 'shop.example', model: 'sold', input: '3', output: '4' },
] }));
assert.ok('overlay' in parsed, 'refusal' in parsed ? parsed.refusal : '');
const book = createPriceBook({ list: sampleList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
const fallback = { inputNanoPerMillion: 1_000_000_001n, outputNanoPerMillion: 3_000_000_000n };
const atHand = { book, fallback, upstreamUrl: 'https://shop.example/v1' };

interface Sample {
  readonly wire?: CallRecord['wire'];
  readonly reading?: Partial<Reading>;
}

/** A call as it is recorded today. */
function recorded(model: string, tokens: Partial<TokenFigures>, { wire = 'openai', reading: other = {} }: Sample = {}): CallRecord {
  const reading = { ...sampleReading(tokens, { model }), ...other };
  const cost = costOf({
    reading, provider: wire === 'upstream' ? null : wire, upstreamHost: wire === 'upstream' ? atHand.upstreamUrl : null, book, fallback,
    atMs: startedAtMs,
  });
  return {
    wire, endpoint: 'chat.completions', path: '/v1/chat/completions', model, requestedModel: null, usage: 'reported',
    inputTokens: reading.tokens.input, outputTokens: reading.tokens.output,
    cachedTokens: reading.tokens.cached, cacheWriteTokens: reading.tokens.cacheWrite, reasoningTokens: reading.tokens.reasoning,
    audioInputTokens: reading.tokens.audioInput, audioOutputTokens: reading.tokens.audioOutput, serviceTier: reading.serviceTier,
    toolCalls: reading.toolCalls, ...cost, startedAtMs,
  } as CallRecord;
}

function shown(lines: ReturnType<typeof costLines>): readonly string[] {
  assert.ok(typeof lines === 'object', String(lines));
  const text = (atto: bigint | null): string => atto === null ? '?' : attoDollarsText(atto);
  return lines.lines.map(({ of, count, each, paidAs, amount }) =>
    `${count} ${of}${paidAs === null ? '' : ` as ${paidAs}`} × ${text(each)} = ${text(amount)}`);
}

test('each kind of token has its line: how many, at which price, how much', () => {
  assert.deepEqual(shown(costLines(recorded('plain', { input: 1_000, cached: 400, output: 200, reasoning: 50 }), atHand)), [
    '600 input × 0.0000025 = 0.0015', '400 cached × 0.00000125 = 0.0005', '150 output × 0.00001 = 0.0015',
    '50 reasoning as output × 0.00001 = 0.0005',
  ]);
});

test('a price for the call, fees of tools, a factor of the tier and what has no price are separate lines', () => {
  assert.deepEqual(shown(costLines(recorded('asked', { input: 100, output: 100 }), atHand)), [
    '100 input × 0.000001 = 0.0001', '100 output × 0.000001 = 0.0001', '1 call × 0.012 = 0.012',
  ]);
  const toolCalls = { webSearch: 2, webFetch: 0, fileSearch: 3, codeInterpreter: 0 };
  const tiered = costLines(recorded('tiered', { input: 10, output: 10 }, { reading: { serviceTier: 'batch', toolCalls } }), atHand);
  assert.deepEqual(shown(tiered), [
    '10 input × 0.000001 = 0.000005', '10 output × 0.000002 = 0.00001', '2 webSearch × 0.01 = 0.02', '3 fileSearch × ? = ?',
  ]);
  assert.equal((tiered as CostLines).factor, 500_000n);
});

test("the organization's own price is two lines, exact to the last digit; a declared upstream's price is found by its URL", () => {
  const call = recorded('nobody', { input: 7, cached: 3, output: 5 });
  assert.deepEqual(shown(costLines(call, atHand)), ['7 input × 0.000001000000001 = 0.000007000000007', '5 output × 0.000003 = 0.000015']);
  assert.deepEqual(shown(costLines(recorded('sold', { input: 1, output: 1 }, { wire: 'upstream' }), atHand)),
    ['1 input × 0.000003 = 0.000003', '1 output × 0.000004 = 0.000004']);
});

test('lines come to the recorded cost, whatever was rounded', () => {
  const figure = fc.integer({ min: 0, max: 900_000 });
  const model = fc.constantFrom('plain', 'half', 'writes', 'thinker', 'long', 'no-cached', 'asked', 'nobody', 'tiered');
  fc.assert(fc.property(fc.record({ model, input: figure, cached: figure, output: figure, reasoning: figure }),
    ({ model: name, input, cached, output, reasoning }) => {
      const call = recorded(name, { input, cached: Math.min(cached, input), output, reasoning: Math.min(reasoning, output) });
      const lines = costLines(call, atHand) as CostLines;
      const sum = lines.lines.reduce((all, { amount }) => all + amount!, 0n);
      assert.equal(divideHalfEven(sum, 1_000_000_000n), call.cost);
    }));
});

test('if lines would not add up to the recorded cost there are none, and the reason is given', () => {
  const call = recorded('plain', { input: 1_000, output: 200 });
  assert.equal(costLines({ ...call, cost: nanoDollars(call.cost! + 1n) }, atHand), 'other_prices');
  assert.equal(costLines({ ...call, priceList: '2025-01-01/0123456789abcdef' }, atHand), 'other_prices');
  assert.equal(costLines(recorded('nobody', { input: 1, output: 1 }), { ...atHand, fallback: null }), 'other_prices');
  assert.equal(costLines(recorded('sold', { input: 1, output: 1 }, { wire: 'upstream' }), { ...atHand, upstreamUrl: null }), 'other_prices');
  assert.equal(costLines({ ...call, cost: null, costSource: 'unpriced', priceList: null }, atHand), 'no_cost');
  assert.equal(costLines(recorded('x', {}, { wire: 'upstream', reading: { reportedCost: '0.25' } }), atHand), 'reported');
});
