/** Edits of tools' settings: every other byte stays, what cannot be read is left, and the way back gives the bytes before. Decision 196. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { editDotenv } from './dotenv-text.ts';
import { isUnfit, type Edited, type Unfit } from './edited.ts';
import { editJson, jsonAt } from './json-text.ts';
import { spliced, unspliced, withoutPieces } from './splice.ts';
import { editToml } from './toml-text.ts';
import { editYaml, editYamlEntries } from './yaml-text.ts';

function edited(text: string, edit: (text: string) => Edited | Unfit): string {
  const result = edit(text);
  if (isUnfit(result)) assert.fail(`${JSON.stringify(text)} ${result.unfit}`);
  const after = spliced(text, result.splices);
  assert.equal(unspliced(after, result.splices), text, 'the way back');
  return after;
}

const json = (text: string) => editJson(text, [{ path: ['env', 'A'], value: 'x' }, { path: ['env', 'B'], value: 'y' }]);

test('JSON: members are added where their object is, in its own manner, and values replaced in place', () => {
  for (const [text, after] of [
    ['', '{\n  "env": {\n    "A": "x",\n    "B": "y"\n  }\n}\n'],
    ['{}', '{\n  "env": {\n    "A": "x",\n    "B": "y"\n  }\n}'],
    ['{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "env": {\n    "A": "x",\n    "B": "y"\n  }\n}\n'],
    ['{\r\n\t"env": {\r\n\t\t"Z": "1"\r\n\t}\r\n}', '{\r\n\t"env": {\r\n\t\t"Z": "1",\r\n\t\t"A": "x",\r\n\t\t"B": "y"\r\n\t}\r\n}'],
    ['{"env":{"B":"old"},"c":[1,{"env":2}]}', '{"env":{"B":"y", "A": "x"},"c":[1,{"env":2}]}'],
    ['{ // why\n  "env": { "A": "1" /* here */ },\n}\n', '{ // why\n  "env": { "A": "x", "B": "y" /* here */ },\n}\n'],
  ] as const) assert.equal(edited(text, json), after);
});

test('JSON: what is no object, is cut off, or names a thing twice is left', () => {
  for (const text of ['[]', '"a"', '{', '{"a":}', '{"env":{"A":"1"', '{"a":1}}', '{a:1}', "{'a':1}", '{"env":[]}', '{"env":"x"}',
    '{"env":{},"env":{}}', '{,}',
    `${'['.repeat(300)}${']'.repeat(300)}`, 'nonsense', '{"a":01}', '{"a":"\u0001"}']) assert.ok(isUnfit(json(text)), text);
});

test('JSON: any object keeps its other values and comes back to the byte', () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, 2, 4, '\t'), (value, space) => {
    const { env: _env, ...others } = value;
    const text = JSON.stringify(others, null, space);
    const after = edited(text, json);
    assert.deepEqual(JSON.parse(after), { ...JSON.parse(text) as object, env: { A: 'x', B: 'y' } });
    assert.deepEqual(jsonAt(after, ['env', 'A']), { value: 'x' });
  }), { numRuns: 300 });
});

const toml = (text: string) => editToml(text, {
  pair: { name: 'model_provider', value: 'metergate' }, table: { name: ['model_providers', 'metergate'], pairs: { base_url: 'http://gw/v1' } },
});

test('TOML: a pair before the first table, a table at the end, an earlier value replaced', () => {
  const table = '[model_providers.metergate]\nbase_url = "http://gw/v1"\n';
  for (const [text, after] of [
    ['', `model_provider = "metergate"\n\n${table}`],
    ['model = "x"', `model_provider = "metergate"\nmodel = "x"\n\n${table}`],
    ['# why\nmodel_provider = "old" # mine\n[a]\nmodel_provider = "b"\n',
      `# why\nmodel_provider = "metergate" # mine\n[a]\nmodel_provider = "b"\n\n${table}`],
    ['x = """\nmodel_provider = "no"\n[model_providers.metergate]\n"""\n[model_providers.other]\ny = [1,\n 2, # two\n]\nz = { a = 1 }\n', null],
  ] as const) {
    const result = edited(text, toml);
    if (after !== null) assert.equal(result, after);
    else assert.ok(result.startsWith('model_provider = "metergate"\nx = """') && result.endsWith(table));
  }
});

test('TOML: what cannot be read, or has our names already, is left', () => {
  for (const text of ['a = ', 'a = "x', 'a = x y', '[a', '= 1', 'a = [1, 2', 'a = {b = 1', 'a = """x', '[model_providers.metergate]\n',
    '[model_providers."metergate"]\n',
    'model_providers.metergate.name = "x"\n', '[model_providers]\nmetergate = { name = "x" }\n', 'model_providers = { metergate = {} }\n',
    'model_provider = "a"\nmodel_provider = "b"\n', 'a = 1 b = 2\n']) assert.ok(isUnfit(toml(text)), text);
});

test('variables: lines are replaced or added, whatever stands around them', () => {
  const env = (text: string) => editDotenv(text, { A: 'x', B: 'y' });
  for (const [text, after] of [
    ['', 'A=x\nB=y\n'], ['Z=1', 'Z=1\nA=x\nB=y\n'], ['export A="old" # mine\r\n#B=2\r\n', 'A=x\r\n#B=2\r\nB=y\r\n'], ['AA=1\nB=\n',
      'AA=1\nB=y\nA=x\n'],
  ] as const) assert.equal(edited(text, env), after);
  for (const text of ['A=1\nA=2\n', 'A="1\n2"\n', 'A=1\0']) assert.ok(isUnfit(env(text)), JSON.stringify(text));
});

test('YAML: settings at the top, and in chosen entries of a list', () => {
  const top = (text: string) => editYaml(text, { key: 'k', 'set-env': ['A=b'] });
  assert.equal(edited('', top), 'key: "k"\nset-env:\n  - "A=b"\n');
  assert.equal(edited('# why\nkey: old # mine\nmodel: x\n', top), '# why\nkey: "k" # mine\nmodel: x\nset-env:\n  - "A=b"\n');
  for (const text of ['- a\n', '{a: 1}\n', 'a: [1\n', 'a: 1\na: 2\n', 'set-env:\n  - Z=1\n', 'key: |\n  x\n',
    'a: 1\n...\nb: 2\n---\n']) assert.ok(isUnfit(top(text)), text);
  const entries = (text: string) => editYamlEntries(text, 'models', ({ provider }) => (provider === 'openai' ? { apiBase: 'http://gw/v1',
    apiKey: 'k' } : null));
  const text = 'name: me\nmodels:\n  # first\n  - name: a\n    provider: openai\n    apiKey: old\n  - provider: other\n    name: b\n';
  assert.deepEqual(parse(edited(text, entries)), {
    name: 'me', models: [{ apiBase: 'http://gw/v1', name: 'a', provider: 'openai', apiKey: 'k' }, { provider: 'other', name: 'b' }] });
  assert.ok(isUnfit(entries('models: [{provider: openai}]\n')));
  assert.equal(edited('models:\n  - provider: other\n', entries), 'models:\n  - provider: other\n');
});

test('the way back where the file changed meanwhile: other changes stay; where our piece changed, nothing is guessed', () => {
  const result = toml('model = "x"\n[a]\nb = 1\n') as Edited;
  const after = spliced('model = "x"\n[a]\nb = 1\n', result.splices);
  assert.equal(withoutPieces(`${after}\n[projects."/x"]\ntrust = 1\n`, result.splices), 'model = "x"\n[a]\nb = 1\n\n[projects."/x"]\ntrust = 1\n');
  assert.equal(withoutPieces(after.replace('http://gw', 'http://other'), result.splices), null);
  assert.equal(withoutPieces(after + after, result.splices), null);
});
