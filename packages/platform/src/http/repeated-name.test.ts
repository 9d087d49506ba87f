/** Names that appear twice in one JSON object are found; the same name in different objects is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { repeatedName } from './repeated-name.ts';

test('a name twice in one object is found at any depth, however it is spelled', () => {
  for (const [text, name] of [
    ['{"a":1,"a":2}', 'a'], ['{"a":{"b":[{"c":1,"c":2}]}}', 'c'], ['[{"x":1},{"x":2,"y":{},"x":[]}]', 'x'],
    [String.raw`{"limit":1,"l\u0069mit":2}`, 'limit'], ['{"":1,"":2}', ''], [String.raw`{"a\"":1,"a\"":2}`, 'a"'], ['{"a":[1,{"b":2}],"a":3}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ] as const) assert.equal(repeatedName(text), name, text);
});

test('no repetition is found in values, other objects, or names inside strings', () => {
  for (const text of [
    '{}', '[]', '"a"', '1', '{"a":"a"}', '{"a":{"a":{"a":1}}}', '[{"a":1},{"a":1}]', '{"a":"\\"a\\":1,\\"a\\":2"}', '{"a":["a","a"],"b":"a"}',
    '{"a":"{\\"b\\":1","b":"}"}',
  ]) assert.equal(repeatedName(text), null, text);
});

test('what JSON.stringify writes never has one', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => { assert.equal(repeatedName(JSON.stringify(value)), null); }));
});
