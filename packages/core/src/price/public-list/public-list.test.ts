/** A public price list in its own form → our sellers; what is wrong is named with its place, and nothing is dropped in silence. Rule 6e. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleList } from '../test-support/sample-list.ts';
import { isSimpleExpression } from './expression.ts';
import { PublicListFault } from './fault.ts';
import { listChanges } from './list-changes.ts';
import { publicSellers } from './public-list.ts';

const model = { id: 'm', match: { equals: 'M' }, prices: { input_mtok: 1.5, output_mtok: 6 } };
const seller = { id: 'shop', name: 'Shop', api_pattern: 'https://api\\.shop\\.com', models: [model] };
const withModel = (more: object): unknown => [{ ...seller, models: [{ ...model, ...more }] }];

test('a list with dates, hours, steps and rules becomes ours', () => {
  const prices = [
    { prices: { input_mtok: { base: 1, tiers: [{ start: 300, price: 3 }, { start: 200, price: 2.5 }] }, web_searches_kcount: 10, video: 1 } },
    { constraint: { start_date: '2026-03-13' }, prices: { input_mtok: 0.1 } },
    { constraint: { start_time: '16:30:00Z', end_time: '00:30:00Z', type: 'time_of_date' }, prices: { input_audio_hours: 0.36 } },
  ];
  const match = { or: [{ starts_with: 'A' }, { and: [{ contains: 'b' }, { regex: '^c-\\d{8}$' }] }, { ends_with: 'z' }] };
  assert.deepEqual(publicSellers({ units: {}, providers: withModel({ match, prices }) }), [{
    id: 'shop', name: 'Shop', host: 'api\\.shop\\.com', models: [{
      id: 'm', rule: { any: [{ starts: 'a' }, { all: [{ contains: 'b' }, { regex: '^c-\\d{8}$' }] }, { ends: 'z' }] },
      prices: [
        { input: { base: 1_000_000, above: [{ tokens: 200, rate: 2_500_000 }, { tokens: 300, rate: 3_000_000 }] }, webSearch: 10_000_000_000 },
        { from: '2026-03-13', input: 100_000 },
        { daily: { fromSecond: 59_400, toSecond: 1_800 }, hour: 360_000_000_000 },
      ],
    }],
  }]);
});

describe('what is wrong is named with its place', () => {
  const faults: readonly (readonly [string, unknown, RegExp])[] = [
    ['no list', 7, /^The list must be an object/],
    ['no sellers', {}, /^providers must be an array/],
    ['no seller', [7], /^\[0\] must be an object/],
    ['no id', [{ ...seller, id: undefined }], /^\[0\]\.id must be text/],
    ['an id of another form', [{ ...seller, id: 'A b' }], /^\[0\]\.id must be a short name/],
    ['a seller twice', [seller, seller], /^\[1\] is a second seller with the id shop/],
    ['an address that is none', [{ ...seller, api_pattern: 'ftp://x' }], /^\[0\]\.api_pattern: the address pattern of shop/],
    ['a slow address', [{ ...seller, api_pattern: 'https://(a+)+b' }], /api_pattern/],
    ['no models', [{ ...seller, models: {} }], /^\[0\]\.models must be an array/],
    ['no name rule', withModel({ match: undefined }), /^\[0\]\.models\[0\]\.match must be an object/],
    ['an unknown name rule', withModel({ match: { like: 'x' } }), /match: a rule for model names is not understood/],
    ['two name rules in one', withModel({ match: { equals: 'x', contains: 'y' } }), /not understood/],
    ['a slow expression', withModel({ match: { or: [{ regex: '^(a+)+$' }] } }), /match\.or\[0\]\.regex: this regular expression is not used/],
    ['no expression', withModel({ match: { regex: '(' } }), /regex/],
    ['no prices', withModel({ prices: null }), /prices must be an object/],
    ['a price in words', withModel({ prices: { input_mtok: '1.5' } }), /^\[0\]\.models\[0\]\.prices must|input_mtok must be an object|price/],
    ['a negative price', withModel({ prices: { output_mtok: -1 } }), /prices\.output_mtok must be a price/],
    ['a price beyond all', withModel({ prices: { output_mtok: 1e20 } }), /prices\.output_mtok/],
    ['a step of nothing', withModel({ prices: { input_mtok: { base: 1, tiers: [{ start: 0, price: 1 }] } } }), /tiers\[0\]\.start must be/],
    ['a day that is none', withModel({ prices: [{ constraint: { start_date: '2026-02-30' }, prices: {} }] }), /start_date must be a date/],
    ['an unknown condition', withModel({ prices: [{ constraint: { region: 'eu' }, prices: {} }] }), /prices\[0\]\.constraint: when this price holds/],
    ['two conditions in one', withModel({ prices: [{ constraint: { start_date: '2026-02-01', region: 'eu' }, prices: {} }] }), /not understood/],
  ];
  for (const [what, value, sentence] of faults) {
    test(what, () => assert.throws(() => publicSellers(value), (error) => error instanceof PublicListFault && sentence.test(error.message)));
  }
});

test('expressions that may take long on a caller\'s text are not simple', () => {
  for (const source of ['^(a|b)+$', '(a+)+', '(?:.*)*', '.*.*.*x', 'a{1000}', '(a{2}){3}', '(?<n>a)', 'a**', 'a??', '\\1', '[', 'a'.repeat(301)]) {
    assert.equal(isSimpleExpression(source), false, source);
  }
  for (const source of ['^gpt-\\d{4}-\\d{2}$', '(.*\\.)?googleapis\\.com', '^(?!.*-[tT](?:$|-))', 'bedrock\\.[a-z0-9-]+\\.com', 'a\\[fast=true\\]']) {
    assert.equal(isSimpleExpression(source), true, source);
  }
});

test('of two lists, what was added, removed, renamed, moved and changed in price is listed, and nothing else', () => {
  const [first, ...others] = sampleList.providers;
  const models = first!.models;
  const list = (...own: typeof models) => ({ ...sampleList, hash: 'f'.repeat(64), providers: [{ ...first!, models: own }, ...others] });
  const atMs = Date.parse('2026-09-23T12:00:00Z');
  assert.deepEqual(listChanges(sampleList, list(...models), atMs), []);
  const [one, two, three] = models;
  const dearer = { ...one!, prices: [{ input: 9_000_000, output: 1_000_000 }] };
  const changes = listChanges(sampleList, list(dearer, { ...two!, rule: { is: 'x' } }, { ...three!, id: 'new' }, ...models.slice(3)), atMs);
  assert.deepEqual(changes.map(({ kind, model: id, to }) => [kind, id, to?.input ?? null]), [
    ['changed', one!.id, '9'], ['names', two!.id, changes[1]!.from!.input], ['added', 'new', changes[2]!.to!.input], ['removed', three!.id, null],
  ]);
  const moved = { ...sampleList, providers: sampleList.providers.map((each) => (each === first ? { ...each, host: 'elsewhere' } : each)) };
  assert.deepEqual(listChanges(sampleList, moved, atMs).map(({ kind, provider, model: id }) => [kind, provider, id]), [['address', first!.id, null]]);
  const without = { ...sampleList, providers: others };
  assert.deepEqual(new Set(listChanges(sampleList, without, atMs).map(({ kind }) => kind)), new Set(['removed']));
});
