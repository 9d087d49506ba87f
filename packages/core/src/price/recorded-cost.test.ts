/**
 * Costs of recorded traffic against the calculation of the package that the list was made from. Rule 6.
 * Its sums are floating-point numbers, ours are rounded to nano-dollars: they may differ by less than two of them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calcPrice } from '@pydantic/genai-prices';
import { corpusOrFixtures, readWires } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { wires, type Wire } from '../wire/wire.ts';
import { costOf } from './cost.ts';
import { createPriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { sampleReading } from './test-support/sample-list.ts';

/** As the package has it: our amendments are other prices. */
const amendedSellers = new Set(['deepseek']);
const book = createPriceBook({ list: priceList, overlay: null });
/** Wires whose exchanges, recorded or our own, name a model that the list knows. */
const mustPrice = new Set<string>(['openai-chat-completions', 'openai-embeddings', 'openai-responses', 'anthropic-messages']);
const instants = ['2025-06-01T12:00:00Z', '2026-09-23T03:00:00Z', '2026-09-23T20:00:00Z'].map((text) => Date.parse(text));

function wireOf({ wire }: Exchange): Wire {
  return wire.startsWith('anthropic') ? 'anthropic' : wire.startsWith('openai') ? 'openai' : 'upstream';
}

/** What the package makes of the same figures: it counts cached and written tokens into the input on every wire. */
function theirs({ expected, host }: Exchange, wire: Wire, atMs: number): number | null {
  const cached = expected.cached ?? 0;
  const written = expected.cacheWrite ?? 0;
  const usage = {
    input_tokens: (expected.input ?? 0) + (wire === 'anthropic' ? cached + written : 0), output_tokens: expected.output ?? 0,
    cache_read_tokens: cached, cache_write_tokens: written, output_reasoning_tokens: expected.reasoning ?? 0,
  };
  return calcPrice(usage, expected.model!, { providerApiUrl: `https://${host}/v1`, timestamp: new Date(atMs) })?.total_price ?? null;
}

describe('recorded calls cost what the list\'s own source computes', () => {
  for (const name of readWires) {
    const exchanges = corpusOrFixtures(name).filter(({ expected }) => expected.model !== null && expected.input !== null);
    it(`${name}: ${exchanges.length} exchanges`, () => {
      let compared = 0;
      for (const exchange of exchanges) {
        const wire = wireOf(exchange);
        const provider = wire === 'upstream' ? null : wire;
        const { model, input, output, cached, cacheWrite, reasoning } = exchange.expected;
        const reading = sampleReading({ input, output, cached, cacheWrite, reasoning }, { model, cachedInInput: wires[wire].cachedInInput });
        for (const atMs of instants) {
          const upstreamHost = provider === null ? exchange.host : null;
          const ours = costOf({ reading, provider, upstreamHost, book, fallback: null, atMs });
          const expected = theirs(exchange, wire, atMs);
          if (amendedSellers.has(exchange.host.split('.').at(-2)!)) continue;
          if (ours.cost === null) {
            assert.ok(expected === null || expected === 0, `${exchange.name}: ${model} is unpriced, the source says ${expected}`);
            continue;
          }
          const near = expected !== null && Math.abs(Number(ours.cost) - expected * 1e9) < 2;
          assert.ok(near, `${exchange.name}: ${model} ${ours.cost} ${expected}`);
          compared++;
        }
      }
      assert.ok(compared > 0 || !mustPrice.has(name), 'nothing was priced');
    });
  }
});
