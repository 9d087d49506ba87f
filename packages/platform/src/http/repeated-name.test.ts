/** Names that appear twice in one JSON object are found; the same name in different objects is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { repeatedName } from './repeated-name.ts';

/** What it finds, and in how many slices. */
const found = (text: string): readonly [name: string | null, slices: number] => {
  const walk = repeatedName(text);
  for (let slices = 1; ; slices += 1) {
    const { done, value } = walk.next();
    if (done === true) return [value, slices];
  }
};
const nameIn = (text: string): string | null => found(text)[0];

test('a name twice in one object is found at any depth, however it is spelled', () => {
  for (const [text, name] of [
    ['{"a":1,"a":2}', 'a'], ['{"a":{"b":[{"c":1,"c":2}]}}', 'c'], ['[{"x":1},{"x":2,"y":{},"x":[]}]', 'x'],
    [String.raw`{"limit":1,"l\u0069mit":2}`, 'limit'], ['{"":1,"":2}', ''], [String.raw`{"a\"":1,"a\"":2}`, 'a"'], ['{"a":[1,{"b":2}],"a":3}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ] as const) assert.equal(nameIn(text), name, text);
});

test('no repetition is found in values, other objects, or names inside strings', () => {
  for (const text of [
    '{}', '[]', '"a"', '1', '{"a":"a"}', '{"a":{"a":{"a":1}}}', '[{"a":1},{"a":1}]', '{"a":"\\"a\\":1,\\"a\\":2"}', '{"a":["a","a"],"b":"a"}',
    '{"a":"{\\"b\\":1","b":"}"}',
  ]) assert.equal(nameIn(text), null, text);
});

test('what JSON.stringify writes never has one', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => { assert.equal(nameIn(JSON.stringify(value)), null); }));
});

test('a text of megabytes takes slices, within a string too, and nothing is lost between them', () => {
  const texts = ['x'.repeat(3_000_000), '"'.repeat(1_500_001), `y${'"'.repeat(1_500_001)}`, '{"a":1,"a":2}'.repeat(200_000)];
  for (const file of texts) {
    const body = JSON.stringify({ provider: 'openai', file });
    const [name, slices] = found(body);
    assert.deepEqual([name, slices >= Math.floor(body.length / 500_002)], [null, true]);
    assert.equal(nameIn(`${body.slice(0, -1)},"file":""}`), 'file');
  }
  assert.ok(found(`[${'{},'.repeat(600_000)}{}]`)[1] >= 3);
});
