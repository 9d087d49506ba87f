/** Which models a call may be asking for, in every reading, and whether lists allow them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areModelPatterns, refusedModelOf, type BodyModels } from './allowed-models.ts';
import { ModelScanner, modelsOfTarget } from './models-asked.ts';

function scanned(text: string | Uint8Array, pieces: number = 1): BodyModels {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const scanner = new ModelScanner();
  const length = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += length) scanner.push(bytes.subarray(at, at + length));
  return scanner.result();
}

test('every `model` of a JSON body counts, however it is written and cut', () => {
  const rows: readonly (readonly [string, BodyModels])[] = [
    ['{"model":"gpt-5"}', ['gpt-5']],
    ['{"model":"a","model":"b"}', ['a', 'b']],
    ['{"\\u006dodel":"b","model":"a"}', ['b', 'a']],
    ['{"model":"\\u0067pt-5"}', ['gpt-5']],
    ['{"messages":[{"model":"x"}],"model":"a"}', ['a']],
    ['{"messages":[]}', []], ['{}', []],
    ['{"model":null}', 'unread'], ['{"model":{"id":"a"}}', 'unread'], ['{"model":["a"],"model":"a"}', 'unread'], ['{"model":5}', 'unread'],
    ['{"model":"a","Model":"b"}', 'unread'], ['{"MODEL":"b"}', 'unread'], ['{"model":"a","mod\\u0045l":"b"}', 'unread'],
    ['{"model":"a","models":["b"]}', 'unread'], ['{"model":"a","fallbacks":null}', 'unread'],
    ['{"model":"a"}{"model":"b"}', 'unread'], ['[{"model":"a"}]', 'unread'], ['{"model":"a"', 'unread'], ['\ufeff{"model":"a"}', 'unread'],
    ["{'model':'a'}", 'unread'], [`{"model":"${'m'.repeat(5_000)}"}`, 'unread'],
    [`{${Array.from({ length: 17 }, () => '"model":"a"').join(',')}}`, 'unread'],
  ];
  for (const [text, models] of rows) for (const pieces of [1, 2, 7, text.length]) assert.deepEqual(scanned(text, pieces), models, text);
  assert.equal(scanned(Buffer.from('{"model":"a"}', 'utf16le')), 'unread');
});

test('what a target names counts in any spelling: engines, deployments, Google, Bedrock, predictions, the query', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['/v1/chat/completions', []], ['/v1/models', []], ['/v1/engines/ada/completions', ['ada']],
    ['/upstream/v1/openai/deployments/gpt-4/chat/completions?api-version=1', ['gpt-4']],
    ['/upstream/v1/OpenAI/Deployments/gpt-4/Chat/completions', ['gpt-4']],
    ['/upstreams/v/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict', []],
    ['/upstream/v1/models/gemini-3:generateContent', ['gemini-3']], ['/upstream/v1/models/gemini-3%3AgenerateContent', ['gemini-3']],
    ['/upstream/v1/mod%65ls/gemini-3:generateContent', ['gemini-3']], ['/upstream/v1//models//gemini-3:x', ['gemini-3']],
    ['/upstream/v1/model/anthropic.claude-v2:0/invoke', ['anthropic.claude-v2:0']],
    ['/upstream/v1/models/meta/llama/predictions', ['meta/llama']],
    ['/v1/realtime/calls?model=gpt-5', ['gpt-5']], ['/v1/x?a=1&mod%65l=b%20c', ['b c']], ['/v1/x?MODEL=a&model=b', ['a', 'b']],
    ['/upstream/v1/models/%zz:generate', ['%zz']],
  ];
  for (const [target, models] of rows) assert.deepEqual(modelsOfTarget(target), models, target);
});

test('a pattern fits as a whole, and both lists must allow every model', () => {
  const allowed = (pattern: string, model: string): boolean => refusedModelOf({ organization: [pattern], key: null }, [], [model]) === null;
  for (const [pattern, model] of [['gpt-5*', 'gpt-5'], ['gpt-5*', 'gpt-5.2-mini'], ['*', ''], ['*mini*', 'gpt-5-mini-x'], ['a*b*c', 'aXbYbc'],
    ['claude-*-4', 'claude-opus-4'], ['a.c', 'a.c'], ['**', 'x'],
    ['gemini-*', 'models/gemini-3'], ['models/*', 'models/x']] as const) assert.ok(allowed(pattern, model), `${pattern} ${model}`);
  for (const [pattern, model] of [['gpt-5*', 'gpt-4'], ['gpt-5', 'gpt-5.2'], ['gpt-5*', 'GPT-5'], ['gpt-5*', ' gpt-5'], ['a*b', 'abc'],
    ['a.c', 'abc'],    ['[a]', 'a'], ['gpt-5*', 'ft:gpt-5'],
    ['gemini-*', 'models/models/gemini-3']] as const) assert.ok(!allowed(pattern, model), `${pattern} ${model}`);
  const lists = { organization: ['a*'], key: ['ab', 'c'] };
  assert.deepEqual(refusedModelOf(lists, [], ['ab']), null);
  assert.deepEqual(refusedModelOf(lists, [], ['ac']), { of: 'key', model: 'ac' });
  assert.deepEqual(refusedModelOf(lists, [], ['c']), { of: 'organization', model: 'c' });
  assert.deepEqual(refusedModelOf(lists, ['ab'], ['ab', 'x']), { of: 'organization', model: 'x' });
  assert.deepEqual(refusedModelOf(lists, ['x'], ['ab']), { of: 'organization', model: 'x' });
  assert.equal(refusedModelOf(lists, ['ab'], []), null);
  assert.equal(refusedModelOf(lists, [], 'none'), null);
  assert.deepEqual(refusedModelOf(lists, [], []), { of: 'organization', model: null });
  assert.deepEqual(refusedModelOf({ organization: null, key: ['a'] }, ['a'], 'unread'), { of: 'key', model: null });
  assert.equal(refusedModelOf({ organization: null, key: null }, ['x'], 'unread'), null);
});

test('a list has names and patterns, each once', () => {
  assert.ok(areModelPatterns(['gpt-5*', 'claude-*', '日本']));
  for (const wrong of [[], ['a', 'a'], [''], ['a b'], ['a,b'], ['a\n'], ['a\0'], ['x'.repeat(257)], ['\ud800'],
    Array.from({ length: 65 }, (_, at) => `m${at}`)]) assert.ok(!areModelPatterns(wrong), JSON.stringify(wrong));
});
