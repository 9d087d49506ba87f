/** The operator's price file: read exactly, or refused in one sentence that names the place. Rule 6. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { parseOverlay, type Overlay } from './overlay.ts';
import { dollarsPerMillion } from './rates.ts';

const good = { provider: 'openai', model: 'gpt-x', input: '1', output: '2' };

function overlay(prices: readonly object[]): Overlay {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok('overlay' in parsed, 'refusal' in parsed ? parsed.refusal : '');
  return parsed.overlay;
}

function refusal(text: string): string {
  const parsed = parseOverlay(text);
  assert.ok('refusal' in parsed, `taken: ${text.slice(0, 80)}`);
  return parsed.refusal;
}

describe('prices are taken exactly', () => {
  const rows: [unknown, bigint][] = [
    ['2.50', 2_500_000n], ['2.5', 2_500_000n], [2.5, 2_500_000n], [0, 0n], ['0', 0n], ['0.000001', 1n], [0.000001, 1n], [0.1, 100_000n],
    ['999999999.999999', 999_999_999_999_999n], [-0, 0n], ['007', 7_000_000n],
  ];
  for (const [input, pico] of rows) {
    it(`${JSON.stringify(input)} is ${pico} pico-dollars a token`, () => {
      assert.equal(overlay([{ ...good, input }]).prices[0]!.rates.input!.base, pico);
    });
  }
  it('text of up to six decimals comes back as it was given', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 10 ** 9 - 1 }), fc.integer({ min: 0, max: 999_999 }), (whole, fraction) => {
      const text = `${whole}.${String(fraction).padStart(6, '0')}`;
      const [price] = overlay([{ ...good, input: text }]).prices;
      assert.equal(dollarsPerMillion(price!.rates.input!.base), text.replace(/\.?0+$/, ''));
    }));
  });
  it('a whole entry', () => {
    const [price] = overlay([{
      host: 'LLM.Example.com', model: ' GPT-X* ', input: '1', cached: '0.1', cacheWrite: '1.25', cacheWriteOneHour: '2', output: '4',
      above: [{ tokens: 1000, input: '2' }, { tokens: 2000, output: '8' }],
    }]).prices;
    assert.deepEqual(price, {
      seller: { kind: 'host', host: 'llm.example.com' }, model: 'gpt-x*', fromMs: null, rates: {
        input: { base: 1_000_000n, above: [{ tokens: 1000, rate: 2_000_000n }] }, cached: { base: 100_000n, above: [] },
        cacheWrite: { base: 1_250_000n, above: [] }, cacheWriteOneHour: { base: 2_000_000n, above: [] },
        output: { base: 4_000_000n, above: [{ tokens: 2000, rate: 8_000_000n }] }, reasoning: null, call: 0n,
        audioInput: null, audioOutput: null, cachedAudio: null, cachedImage: null, imageInput: null, imageOutput: null, hour: null,
          page: null, image: null, character: null, otherTool: null,
        tools: { webSearch: null, webFetch: null, fileSearch: null, codeInterpreter: null },
        serviceTiers: new Map(), regions: new Map(), ofTiers: new Map(), ofRegions: new Map(),
      },
    });
  });
  it('prices of a tier and of a region, in place of factors', () => {
    const [price] = overlay([{
      ...good, cached: '0.5', above: [{ tokens: 1000, input: '3' }],
      serviceTiers: { Priority: { input: '4', above: [{ tokens: 2000, input: '6' }] }, flex: 0.5 }, regions: { eu: { output: '9' } },
    }]).prices;
    const { ofTiers, ofRegions, serviceTiers } = price!.rates;
    assert.deepEqual([...serviceTiers], [['flex', 500_000n]]);
    const [priority, eu] = [ofTiers.get('priority')!, ofRegions.get('eu')!];
    assert.deepEqual([priority.input, priority.cached, priority.output].map((rate) => rate!.base), [4_000_000n, 500_000n, 2_000_000n]);
    assert.deepEqual([priority.input!.above, eu.input!.above], [[{ tokens: 2000, rate: 6_000_000n }], [{ tokens: 1000, rate: 3_000_000n }]]);
    assert.equal(eu.output!.base, 9_000_000n);
  });
  it('a file without prices is valid: it removes the former overlay', () => assert.deepEqual(overlay([]).prices, []));
});

describe('what is wrong is named with its place', () => {
  const entry = (change: object): string => JSON.stringify({ prices: [good, { ...good, model: 'other', ...change }] });
  const rows: [string, string, string][] = [
    ['no JSON', '{', 'not valid JSON'],
    ['no object', '[]', 'The file must be an object'],
    ['null', 'null', 'The file must be an object'],
    ['no prices', '{}', 'prices must be an array'],
    ['an unknown field of the file', '{"prices":[],"price":[]}', 'The file has the unknown field "price"'],
    ['an entry that is no object', '{"prices":[3]}', 'prices[0] must be an object'],
    ['an unknown field of an entry', entry({ inptu: 1 }), 'prices[1] has the unknown field "inptu"'],
    ['__proto__', '{"prices":[{"__proto__":{"input":"1"}}]}', 'prices[0] has the unknown field "__proto__"'],
    ['no input', JSON.stringify({ prices: [{ provider: 'openai', model: 'm', output: '1' }] }), 'prices[0].input is missing'],
    ['no output', JSON.stringify({ prices: [{ provider: 'openai', model: 'm', input: '1' }] }), 'prices[0].output is missing'],
    ['provider and host', entry({ host: 'a.example' }), 'prices[1] needs either provider or host'],
    ['neither', entry({ provider: undefined }), 'prices[1] needs either provider or host'],
    ['a provider nobody knows', entry({ provider: 'opnai' }), 'prices[1].provider is not a provider'],
    ['a provider that is no text', entry({ provider: {} }), 'prices[1].provider is not a provider'],
    ['a URL for a host', entry({ provider: undefined, host: 'https://a.example' }), 'prices[1].host must be a host name'],
    ['a host with a port', entry({ provider: undefined, host: 'a.example:8000' }), 'prices[1].host must be a host name'],
    ['no model', entry({ model: undefined }), 'prices[1].model must be'],
    ['an empty model', entry({ model: ' ' }), 'prices[1].model must be'],
    ['a * within the name', entry({ model: 'a*b' }), 'prices[1].model must be'],
    ['two *', entry({ model: 'a**' }), 'prices[1].model must be'],
    ['the same model twice', entry({ model: 'GPT-X' }), 'prices[1] is for the same model as prices[0]'],
    ['a negative price', entry({ input: '-1' }), 'prices[1].input must be US dollars'],
    ['a negative number', entry({ input: -1 }), 'prices[1].input must be US dollars'],
    ['seven decimals', entry({ cached: '0.0000001' }), 'prices[1].cached must be US dollars'],
    ['a number below a millionth', entry({ cached: 1e-7 }), 'prices[1].cached must be US dollars'],
    ['a number too large', entry({ output: 1e21 }), 'prices[1].output must be US dollars'],
    ['ten digits', entry({ output: '1000000000' }), 'prices[1].output must be US dollars'],
    ['an exponent', entry({ output: '1e3' }), 'prices[1].output must be US dollars'],
    ['a currency sign', entry({ output: '$1' }), 'prices[1].output must be US dollars'],
    ['an empty price', entry({ output: '' }), 'prices[1].output must be US dollars'],
    ['null for a price', entry({ cached: null }), 'prices[1].cached must be US dollars'],
    ['a boolean', entry({ cached: true }), 'prices[1].cached must be US dollars'],
    ['steps that are no list', entry({ above: {} }), 'prices[1].above must be an array'],
    ['a step without tokens', entry({ above: [{ input: '1' }] }), 'prices[1].above[0].tokens must be a whole number'],
    ['a step at half a token', entry({ above: [{ tokens: 1.5 }] }), 'prices[1].above[0].tokens must be a whole number'],
    ['steps that fall', entry({ above: [{ tokens: 2 }, { tokens: 2 }] }), 'prices[1].above[1].tokens must be more'],
    ['a step for an unknown kind', entry({ above: [{ tokens: 2, audio: 1 }] }), 'prices[1].above[0] has the unknown field "audio"'],
    ['a step\'s bad price', entry({ above: [{ tokens: 2, input: 'x' }] }), 'prices[1].above[0].input must be US dollars'],
    ['a step for a price that has no base', entry({ above: [{ tokens: 2, cached: '1' }] }), 'prices[1].cached is missing'],
    ['too many steps', entry({ above: Array.from({ length: 9 }, (_, index) => ({ tokens: index + 1 })) }),
      'prices[1].above has more than 8'],
    ['a tier that is no object', entry({ serviceTiers: [] }), 'prices[1].serviceTiers must be an object'],
    ['a factor that is none', entry({ serviceTiers: { flex: 'half' } }), 'prices[1].serviceTiers must hold factors'],
    ['a tier of null', entry({ regions: { eu: null } }), 'prices[1].regions.eu must be an object'],
    ['a tier without a price', entry({ serviceTiers: { flex: {} } }), 'prices[1].serviceTiers.flex has no price'],
    ['a tier with a fee', entry({ serviceTiers: { flex: { call: '1' } } }), 'prices[1].serviceTiers.flex has the unknown field "call"'],
    ['a tier\'s bad price', entry({ serviceTiers: { flex: { input: '-1' } } }), 'prices[1].serviceTiers.flex.input must be US dollars'],
    ['a tier\'s step without its price', entry({ serviceTiers: { flex: { input: '1', above: [{ tokens: 2, output: '1' }] } } }),
      'prices[1].serviceTiers.flex.output is missing'],
    ['a tier twice', entry({ serviceTiers: { flex: '1', FLEX: '2' } }), 'prices[1].serviceTiers has "flex" twice'],
    ['too many prices', JSON.stringify({ prices: Array.from({ length: 10_001 }, () => 0) }), 'prices has more than 10000'],
    ['too much text', ' '.repeat(4 * 1024 * 1024 + 1), 'larger than'],
  ];
  for (const [what, text, sentence] of rows) it(`${what}: ${sentence}`, () => assert.ok(refusal(text).includes(sentence), refusal(text)));
  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json(), fc.jsonValue().map((value) => JSON.stringify({ prices: [value] }))), (text) => {
      const parsed = parseOverlay(text);
      assert.ok('overlay' in parsed || parsed.refusal.endsWith('.'));
    }));
  });
});
