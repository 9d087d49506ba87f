/** Google's Interactions API as its documents show it: what is read of answers and streams that end, break off, or go on in the background. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsageReader } from './reader.ts';
import type { Reading } from './reading.ts';

function readingOf(sent: object | readonly object[], ending: 'whole' | 'cut' = 'whole'): Reading {
  const streamed = Array.isArray(sent);
  const reader = createUsageReader({ wire: 'upstream', endpoint: 'other', streamed, dialect: 'gemini-interactions' });
  const text = streamed ? sent.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join('') : JSON.stringify(sent);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 37) reader.push(bytes.subarray(at, at + 37));
  return reader.finish(ending);
}
const shown = ({ usage, usageReason, model, finishReason, work, tokens }: Reading): unknown[] =>
  [usage, usageReason, model, finishReason, work, tokens.input, tokens.output];

const model = 'gemini-3.5-flash';
const usage = { total_input_tokens: 9, total_output_tokens: 779, total_thought_tokens: 912, total_tokens: 1700 };
const begins = { event_type: 'interaction.created', interaction: { id: 'v1_1', model, status: 'in_progress' } };
const running = { event_type: 'step.stop', index: 0, usage: { total_input_tokens: 9, total_output_tokens: 5 } };
const ends = { event_type: 'interaction.completed', interaction: { id: 'v1_1', model, status: 'completed', usage } };

test('an interaction that has ended has its usage, and is not work in progress', () => {
  for (const status of ['completed', 'requires_action', 'incomplete', 'failed', 'cancelled', 'budget_exceeded']) {
    assert.deepEqual(shown(readingOf({ id: 'v1_1', model, status, usage })), ['reported', null, model, status, null, 9, 1691]);
  }
  assert.deepEqual(shown(readingOf([begins, running, ends])), ['reported', null, model, 'completed', null, 9, 1691]);
  // The connection is over with the last event, whatever follows.
  assert.deepEqual(shown(readingOf([begins, ends], 'cut')), ['reported', null, model, 'completed', null, 9, 1691]);
});

test('work in the background has its id, and is deferred', () => {
  for (const status of ['in_progress', 'queued']) {
    assert.deepEqual(shown(readingOf({ id: 'v1_1', agent: 'deep-research', status })),
      ['unknown', 'deferred', 'deep-research', status, 'v1_1', null, null]);
  }
});

test('a stream that breaks off keeps the figures so far, marked as partial, and the id by which its end can be asked for', () => {
  assert.deepEqual(shown(readingOf([begins, running], 'cut')), ['partial', 'cut', model, 'in_progress', 'v1_1', 9, 5]);
  assert.deepEqual(shown(readingOf([begins], 'cut')), ['unknown', 'cut', model, 'in_progress', 'v1_1', null, null]);
});

test('something that is not a figure, and an answer without usage, are unknown', () => {
  assert.deepEqual(shown(readingOf({ id: 'v1_1', model, status: 'completed', usage: { ...usage, total_input_tokens: -1 } })).slice(0, 2),
    ['unknown', 'not_a_figure']);
  assert.deepEqual(shown(readingOf({ id: 'v1_1', model, status: 'completed' })).slice(0, 2), ['unknown', 'absent']);
});
