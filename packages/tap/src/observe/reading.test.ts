/**
 * Readings of answers in the forms that wires and SDKs give them. Rule 27: the wire's own numbers; each stop word in the event's six.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingInto } from './reading.ts';
import { stopReasonOf } from './stop-reason.ts';
import type { SeenFigures, StopReason } from '../seen-call.ts';

function read(...parts: unknown[]): Partial<SeenFigures> {
  const figures: SeenFigures = {
    provider: 'other', model: 'asked', request_id: null, input_tokens: 0, output_tokens: 0, cached_tokens: 0,
    stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
  };
  const see = readingInto(figures);
  for (const part of parts) see(part);
  return figures;
}

const words: Readonly<Record<StopReason, readonly string[]>> = {
  stop: ['stop', 'end_turn', 'stop_sequence', 'completed', 'STOP'],
  length: ['length', 'max_tokens', 'max_output_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'model_length'],
  tool_calls: ['tool_calls', 'function_call', 'tool_use', 'tool-calls'],
  content_filter: ['content_filter', 'content-filter', 'refusal', 'SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'],
  error: ['error', 'failed'],
  other: ['pause_turn', 'cancelled', 'queued', 'OTHER', 'LANGUAGE', 'unknown', 'constructor', '__proto__'],
};
for (const [reason, told] of Object.entries(words)) {
  test(`stop words that are ${reason}`, () => {
    for (const word of told) assert.equal(stopReasonOf(word), reason, word);
  });
}

const call = { id: 'c1', function: { name: 'look', arguments: '' } };
const delta = (tool: object): object => ({ choices: [{ index: 0, delta: { tool_calls: [tool] } }] });
const answers: readonly (readonly [string, readonly unknown[], Partial<SeenFigures>])[] = [
  [
    'a second choice decides nothing but its tools',
    [{ choices: [{ index: 1, finish_reason: 'length', message: { tool_calls: [call] } }, { index: 0, finish_reason: 'stop', message: {} }] }],
    { stop_reason: 'stop', tool_calls: 1 },
  ],
  [
    'tool calls in a stream, named once',
    [delta({ ...call, index: 0 }), delta({ index: 0, function: { arguments: '{}' } }), delta({ id: 'c2', index: 1, function: { name: 'look' } })],
    { tool_calls: 2 },
  ],
  [
    'tool calls without ids, by their place',
    [0, 1, 1].map((index) => delta({ index, function: { name: 'look' } })),
    { tool_calls: 2 },
  ],
  [
    'a legacy function call',
    [{ choices: [{ index: 0, finish_reason: 'function_call', message: { function_call: { name: 'look' } } }] }],
    { stop_reason: 'tool_calls', tool_calls: 1 },
  ],
  [
    'figures that are none are not read',
    [{ usage: { prompt_tokens: -1, completion_tokens: 1.5, prompt_tokens_details: { cached_tokens: '4' } } }],
    { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
  ],
  ['a model without a name is the one asked for', [{ model: '' }, { model: null }, { model: 7 }], { model: 'asked' }],
  [
    'cumulative usage of a message stream',
    [
      { type: 'message_start', message: { id: 'm', model: 'served', usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 9, input_tokens: null } },
    ],
    { request_id: 'm', input_tokens: 5, cached_tokens: 2, output_tokens: 9, stop_reason: 'content_filter' },
  ],
  [
    'calls of tools that the provider runs itself are not the host\'s',
    [{ type: 'message', content: [{ type: 'server_tool_use', id: 's' }, { type: 'tool_use', id: 't' }] }],
    { tool_calls: 1 },
  ],
  [
    'a response that is cut for its tokens',
    [{ object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    { stop_reason: 'length' },
  ],
  [
    'a response that is filtered',
    [{ object: 'response', status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    { stop_reason: 'content_filter' },
  ],
  ['a response in the background', [{ object: 'response', status: 'queued', usage: null }], { stop_reason: 'other' }],
  [
    'a prompt that Google blocked',
    [{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } }],
    { stop_reason: 'content_filter', input_tokens: 4, output_tokens: 0 },
  ],
  ['thoughts of Google without an answer yet', [{ usageMetadata: { promptTokenCount: 4, thoughtsTokenCount: 3 } }], { output_tokens: 3 }],
  [
    'sums of the AI SDK, where the wire\'s usage is not there',
    [{ type: 'finish', usage: { inputTokens: { total: 8, cacheRead: 3 }, outputTokens: { total: 2 } }, finishReason: { unified: 'length' } }],
    { input_tokens: 8, output_tokens: 2, cached_tokens: 3, stop_reason: 'length' },
  ],
  [
    'the wire\'s usage before the sums of the AI SDK',
    [{
      type: 'finish', usage: { inputTokens: { total: 8 }, raw: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 2 } },
      finishReason: 'stop',
    }],
    { input_tokens: 5, output_tokens: 2, cached_tokens: 3, stop_reason: 'stop' },
  ],
  [
    'an id of a part is not the answer\'s',
    [{ type: 'text-delta', id: '0' }, { type: 'response-metadata', id: 'r', modelId: 'served' }, { id: 'later' }],
    { request_id: 'r', model: 'served' },
  ],
  [
    'anything else',
    [null, undefined, 7, 'x', [], {}, { choices: 7, usage: 'x', output: null, content: 'text', data: [] }],
    { model: 'asked', tool_calls: 0, stop_reason: 'other' },
  ],
];
for (const [name, parts, expected] of answers) {
  test(`reading ${name}`, () => {
    const figures = read(...parts);
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, figures[key as keyof SeenFigures]])), expected);
  });
}

test('tool calls beyond what an event can hold are not counted', () => {
  const many = Array.from({ length: 10_050 }, (_, n) => ({ type: 'tool_use', id: `t${n}` }));
  assert.equal(read({ type: 'message', content: many }).tool_calls, 10_000);
});

test('getters of the host\'s classes are not called', () => {
  class Answer {
    id = 'a';
    model = 'served';
    get data(): never {
      return assert.fail('asked for');
    }
  }
  assert.equal(read(new Answer()).request_id, 'a');
});
