/** Which numbers are figures (rules: Record). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonScanner } from '../json/json-scanner.ts';
import { watched } from '../json/watched-value.ts';
import { CostPlaces } from './reported-cost.ts';
import { tokenFigure, wholeNumberIn } from './token-figure.ts';

const whole: [string, number | null][] = [
  ['0', 0], ['-0', 0], ['-0.0e5', 0], ['0e999999999999', 0], ['12', 12], ['1.0', 1], ['1e3', 1000], ['1.2E+1', 12], ['1500e-2', 15],
  ['10e-1', 1],
  ['9007199254740991', 9007199254740991], ['9007199254740991.0', 9007199254740991], ['9007199254740992', null],
  ['9007199254740991.4', null],
  ['0.99999999999999999999', null], ['1.5', null], ['1e-1', null], ['-1', null], ['-5e0', null], ['1e16', null], ['1e308', null],
    ['1e400', null],
  ['1e99999999999999999999', null], ['1e-99999999999999999999', null], ['99999999999999999999', null], ['0.5e1', 5],
];
for (const [text, value] of whole) {
  test(`rules: Record: the number ${text} is ${value === null ? 'no figure' : `the figure ${value}`}`, () => assert.equal(wholeNumberIn(text),
    value));
}

function placeHolding(json: string) {
  const place = watched();
  new JsonScanner(watched({ it: place })).push(new TextEncoder().encode(`{"it":${json}}`));
  return place;
}

test('rules: Record: null and absent are no report; anything but a number is not a figure', () => {
  assert.equal(tokenFigure(placeHolding('null')), null);
  assert.equal(tokenFigure(watched()), null);
  for (const json of ['"100"', 'true', '[]', '{}', '""', '-1', '1.5',
    `1${'0'.repeat(5000)}`]) assert.equal(tokenFigure(placeHolding(json)), 'not_a_figure', json);
});

test('rule 6: a cost is a finite number from 0 as written; the first place that holds one counts', () => {
  const costs: [string, string, string | null][] = [
    ['0.000123', '9', '0.000123'], ['1.50e-3', '9', '1.50e-3'], ['0', '9', '0'], ['-0.0', '9', '0'],
    ['null', '0.2', '0.2'], ['-1', '0.2', '0.2'], ['"0.1"', '0.2', '0.2'], ['1e400', '-1', null], ['null', 'null', null], ['{}', '"x"',
      null],
  ];
  for (const [cost, total, expected] of costs) {
    assert.equal(costIn(`{"cost":${cost},"total_cost":${total}}`), expected, `${cost} ${total}`);
  }
});

/** What a usage object reports as its cost. */
function costIn(usage: string): string | null {
  const places = new CostPlaces();
  new JsonScanner(watched(places.fields)).push(new TextEncoder().encode(usage));
  return places.read();
}

test('rule 6: a cost that is an object, and a router\'s fee with what the provider charges the caller\'s own key', () => {
  assert.equal(costIn('{"cost":{"input_tokens_cost":0.001,"request_cost":0.005,"total_cost":0.012}}'), '0.012');
  assert.equal(costIn('{"cost":0.00001,"is_byok":true,"cost_details":{"upstream_inference_cost":2e-4}}'), '0.00021');
  assert.equal(costIn('{"cost":1,"is_byok":true,"cost_details":{"upstream_inference_cost":2}}'), '3');
  assert.equal(costIn('{"cost":0.5,"is_byok":false,"cost_details":{"upstream_inference_cost":0.5}}'), '0.5');
  assert.equal(costIn('{"cost":0.00001,"is_byok":true,"cost_details":{"upstream_inference_cost":null}}'), null);
});
