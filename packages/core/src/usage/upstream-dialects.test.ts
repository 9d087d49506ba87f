/** The dialects of named upstreams: which answer is read in which, and what each of them reports, cut anywhere. Decision 151. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsageReader } from './reader.ts';
import type { Reading, ReadingContext } from './reading.ts';
import type { OwnDialect } from './dialect-names.ts';
import { dialectOfOperation, isSuggested } from './upstream-dialects.ts';

type Form = Pick<ReadingContext, 'streamed' | 'inLines'>;
const whole: Form = { streamed: false };
const events: Form = { streamed: true };
const lines: Form = { streamed: true, inLines: true };

function read(dialect: OwnDialect, form: Form, body: string, ending: 'whole' | 'cut' = 'whole'): Reading {
  const bytes = Buffer.from(body);
  const context = { wire: 'upstream', endpoint: 'other', dialect, ...form } as const;
  const readings = [1, 7, bytes.length].map((step) => {
    const reader = createUsageReader(context);
    for (let from = 0; from < bytes.length; from += step) reader.push(bytes.subarray(from, from + step));
    return reader.finish(ending);
  });
  for (const reading of readings) assert.deepEqual(reading, readings[0]);
  return readings[0]!;
}

function summary({ usage, usageReason, model, finishReason, cachedInInput, outputBeside, tokens }: Reading) {
  const { input, output, cached, cacheWrite, reasoning, audioInput } = tokens;
  return { usage, usageReason, model, finishReason, cachedInInput, outputBeside, input, output, cached, cacheWrite, reasoning, audioInput };
}

const nothing = {
  usageReason: null, model: null, outputBeside: 0, cached: null, cacheWrite: null, reasoning: null, audioInput: null, cachedInInput: true,
};
const sse = (...data: unknown[]): string => data.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join('');

const metadata = {
  promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 20, thoughtsTokenCount: 30, toolUsePromptTokenCount: 5,
  totalTokenCount: 155,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 90 }, { modality: 'AUDIO', tokenCount: 7 }, { modality: 'IMAGE', tokenCount: 3 }],
  trafficType: 'ON_DEMAND',
};
const gemini = {
  candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }], usageMetadata: metadata, modelVersion: 'gemini-2.5-pro',
};
const geminiRead = {
  ...nothing, usage: 'reported', model: 'gemini-2.5-pro', finishReason: 'STOP', input: 105, output: 50, cached: 40, reasoning: 30, audioInput: 7,
};

test('Gemini: thoughts are output, what tools read is input, sound and images are counted separately', () => {
  const reading = read('gemini', whole, JSON.stringify(gemini));
  assert.deepEqual(summary(reading), geminiRead);
  assert.deepEqual(reading.units, { imageInputTokens: 3 });
  // What a tool read is counted by kind in a list of its own.
  const toolUsePromptTokensDetails = [{ modality: 'AUDIO', tokenCount: 2 }, { modality: 'IMAGE', tokenCount: 3 }];
  const withTools = read('gemini', whole, JSON.stringify({ ...gemini, usageMetadata: { ...metadata, toolUsePromptTokensDetails } }));
  assert.deepEqual([withTools.tokens.audioInput, withTools.units], [9, { imageInputTokens: 6 }]);
});

test('Gemini: a stream of events and one of a single array count the last, cumulative figures', () => {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 2, totalTokenCount: 102 };
  const first = { candidates: [{ content: {} }], usageMetadata, modelVersion: 'gemini-2.5-pro' };
  assert.deepEqual(summary(read('gemini', events, sse(first, first, gemini))), geminiRead);
  const array = `[${JSON.stringify(first)},\r\n${JSON.stringify(first)}\n,${JSON.stringify(gemini)}]`;
  assert.deepEqual(summary(read('gemini', whole, array)), geminiRead);
  const none = { finishReason: null, cached: null, reasoning: null, audioInput: null };
  const cut = { ...geminiRead, ...none, usage: 'partial', usageReason: 'cut', input: 100, output: 2 };
  assert.deepEqual(summary(read('gemini', events, sse(first), 'cut')), cut);
  assert.deepEqual(summary(read('gemini', whole, `[${JSON.stringify(first)},{"cand`, 'cut')), cut);
});

test('Gemini: what was searched is known from all of a stream; each different query counts, before Gemini 3 the prompt does', () => {
  const searched = (model: string, ...queries: string[]) => ({
    candidates: [{ content: {}, groundingMetadata: { webSearchQueries: queries } }], usageMetadata: metadata, modelVersion: model,
  });
  const calls = (...answers: object[]) => [read('gemini', events, sse(...answers)), read('gemini', whole, JSON.stringify(answers))]
    .map(({ toolCalls }) => toolCalls?.webSearch ?? 0);
  assert.deepEqual(calls(searched('gemini-3-flash-preview', 'a', '', 'b'), searched('gemini-3-flash-preview', 'b', 'c'), gemini), [1, 1]);
  assert.deepEqual(calls(searched('gemini-3-flash-preview', 'a', '', 'b'), searched('gemini-3-flash-preview', 'b', 'c')), [3, 3]);
  assert.deepEqual(calls(searched('models/gemini-2.5-pro', 'a', 'b')), [1, 1]);
  assert.deepEqual(calls(gemini), [0, 0]);
});

test('Gemini: an answer without candidates has no output; one without usage is unknown; one that is none of it too', () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 }, modelVersion: 'g' };
  assert.deepEqual(summary(read('gemini', whole, JSON.stringify(blocked))),
    { ...nothing, usage: 'reported', model: 'g', finishReason: 'SAFETY', input: 9, output: null });
  assert.equal(read('gemini', events, sse(blocked)).usage, 'reported');
  assert.equal(read('gemini', whole, JSON.stringify({ candidates: [{}] })).usage, 'unknown');
  assert.equal(read('gemini', whole, '{"usage":{"prompt_tokens":1,"completion_tokens":1}}').usage, 'unknown');
  assert.equal(read('gemini', whole, JSON.stringify({ usageMetadata: { promptTokenCount: 1.5 } })).usageReason, 'not_a_figure');
  assert.equal(read('gemini', whole, '[1').usageReason, 'not_readable');
});

test('Converse: what was read from and written to the cache comes on top of the input', () => {
  const usage = { inputTokens: 30, outputTokens: 628, totalTokens: 658, cacheReadInputTokens: 1_000, cacheWriteInputTokens: 20 };
  const expected = {
    ...nothing, usage: 'reported', finishReason: 'end_turn', cachedInInput: false, input: 30, output: 628, cached: 1_000, cacheWrite: 20,
  };
  const answer = { output: { message: {} }, stopReason: 'end_turn', usage, metrics: {} };
  assert.deepEqual(summary(read('bedrock-converse', whole, JSON.stringify(answer))), expected);
  const stream = sse(
    { messageStart: { role: 'assistant' } }, { contentBlockDelta: { delta: { text: 'x' } } }, { messageStop: { stopReason: 'end_turn' } },
  );
  assert.deepEqual(summary(read('bedrock-converse', events, stream + sse({ metadata: { usage, metrics: { latencyMs: 1 } } }))), expected);
  assert.deepEqual(read('bedrock-converse', events, stream, 'cut').usageReason, 'cut');
});

test('Cohere: what is billed counts, in both versions and their streams', () => {
  const usage = { billed_units: { input_tokens: 17, output_tokens: 12 }, tokens: { input_tokens: 215, output_tokens: 40 } };
  const expected = { ...nothing, usage: 'reported', finishReason: 'COMPLETE', input: 17, output: 12 };
  assert.deepEqual(summary(read('cohere', whole, JSON.stringify({ id: 'x', finish_reason: 'COMPLETE', message: {}, usage }))), expected);
  assert.deepEqual(summary(read('cohere', whole, JSON.stringify({ text: 'x', finish_reason: 'COMPLETE', meta: usage }))), expected);
  const delta = { type: 'content-delta', index: 0, delta: { message: { content: { text: 'x' } } } };
  assert.deepEqual(summary(read('cohere', events, sse(delta, { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } }))), expected);
  const ended = { is_finished: true, event_type: 'stream-end', response: { text: 'x', finish_reason: 'COMPLETE', meta: usage } };
  const streamed = `${JSON.stringify({ event_type: 'text-generation', text: 'x' })}\n${JSON.stringify(ended)}\n`;
  assert.deepEqual(summary(read('cohere', lines, streamed)), expected);
  assert.deepEqual(summary(read('cohere', whole, JSON.stringify({ embeddings: {}, meta: { billed_units: { input_tokens: 4 } } }))),
    { ...expected, finishReason: null, input: 4, output: null });
});

test('Ollama: the last line of a stream has the counts', () => {
  const last = { model: 'llama3.2', created_at: 'x', done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 298 };
  const expected = { ...nothing, usage: 'reported', model: 'llama3.2', finishReason: 'stop', input: 26, output: 298 };
  const part = { model: 'llama3.2', message: { role: 'assistant', content: 'x' }, done: false };
  assert.deepEqual(summary(read('ollama', whole, JSON.stringify(last))), expected);
  assert.deepEqual(summary(read('ollama', lines, `${JSON.stringify(part)}\n${JSON.stringify(last)}\n`)), expected);
  assert.deepEqual(summary(read('ollama', lines, `${JSON.stringify(part)}\r\n\r\n${JSON.stringify(last)}`)), expected);
  assert.equal(read('ollama', lines, `${JSON.stringify(part)}\n{"mo`, 'cut').usageReason, 'cut');
  assert.equal(read('ollama', lines, `${JSON.stringify(part)}\nno\n`).usageReason, 'not_readable');
  assert.deepEqual(summary(read('ollama', whole, JSON.stringify({ model: 'e', embeddings: [[0.1]], prompt_eval_count: 8 }))),
    { ...expected, model: 'e', finishReason: null, input: 8, output: null });
});

test('Where the path only suggests a dialect, an answer in words that are known by their form counts too', () => {
  const suggested = (dialect: OwnDialect, form: Form, body: string, ending: 'whole' | 'cut' = 'whole'): Reading => {
    const reader = createUsageReader({ wire: 'upstream', endpoint: 'other', dialect, dialectIsSuggested: true, ...form });
    for (const byte of Buffer.from(body)) reader.push(Uint8Array.of(byte));
    return reader.finish(ending);
  };
  const usage = { prompt_tokens: 39, completion_tokens: 74, total_tokens: 113 };
  const expected = { ...nothing, usage: 'reported', model: 'palmyra', finishReason: 'stop', input: 39, output: 74 };
  const answer = { object: 'chat.completion', model: 'palmyra', choices: [{ finish_reason: 'stop', message: {} }], usage };
  assert.deepEqual(summary(suggested('cohere', whole, JSON.stringify(answer))), expected);
  assert.equal(read('cohere', whole, JSON.stringify(answer)).usageReason, 'absent', 'declared, it is read in that dialect alone');
  const stream = sse({ model: 'palmyra', choices: [{ finish_reason: 'stop', delta: {} }] }, { choices: [], usage });
  assert.deepEqual(summary(suggested('cohere', events, stream)), expected);
  assert.deepEqual(summary(suggested('cohere', events, `${stream}data: [DONE]\n\n`, 'cut')), expected);
  const billed = { id: 'x', finish_reason: 'COMPLETE', message: {}, usage: { billed_units: { input_tokens: 17, output_tokens: 12 } } };
  assert.deepEqual(summary(suggested('cohere', whole, JSON.stringify(billed))), summary(read('cohere', whole, JSON.stringify(billed))));
  assert.equal(suggested('ollama', whole, '{"model":"m","message":{}}').usageReason, 'absent');
  assert.deepEqual([isSuggested('cohere', null), isSuggested('cohere', 'cohere'), isSuggested('gemini', null), isSuggested(null, null)],
    [true, false, false, false]);
});

test('Events that are sent as lines of JSON are read as events', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  for (const first of ['', '\n', ': comment\n\n']) {
    const reader = createUsageReader({ wire: 'upstream', endpoint: 'other', dialect: null, ...lines });
    for (const byte of Buffer.from(`${first}${sse({ choices: [], usage })}data: [DONE]\n\n`)) reader.push(Uint8Array.of(byte));
    assert.equal(reader.dialogueEnded, true);
    assert.equal(reader.finish('whole').usage, 'reported', JSON.stringify(first));
  }
});

test('A reader of lines is not used again for events', () => {
  const byForm = { wire: 'upstream', endpoint: 'other', dialect: null } as const;
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  for (const form of [lines, events, whole, events, lines]) {
    const reader = createUsageReader({ ...byForm, ...form });
    reader.push(Buffer.from(form === events ? sse({ choices: [], usage }) : `${JSON.stringify({ choices: [], usage })}\n`));
    assert.equal(reader.finish('whole').usage, 'reported', JSON.stringify(form));
  }
});

test('An operation of one provider alone is read in its dialect; of others, what was declared goes before what the path suggests', () => {
  assert.equal(dialectOfOperation('/v1/models/m:streamgeneratecontent', 'cohere'), 'gemini');
  assert.equal(dialectOfOperation('/v1/model/arn:aws:bedrock:x:1:inference-profile/m/converse-stream', null), 'bedrock-converse');
  assert.equal(dialectOfOperation('/v1/model/m/invoke-with-response-stream', 'bedrock-converse'), 'bedrock-anthropic');
  assert.equal(dialectOfOperation('/v1/aws-bedrock/model/m/converse', null), 'bedrock-converse');
  assert.equal(dialectOfOperation('/v1/aws-bedrock/model/m/invoke', null), 'bedrock-anthropic');
  assert.equal(dialectOfOperation('/v1/chat', null), 'cohere');
  assert.equal(dialectOfOperation('/v1/chat', 'ollama'), 'ollama');
  assert.equal(dialectOfOperation('/v1/api/chat', null), 'ollama');
  assert.equal(dialectOfOperation('/v1/anything', null), null);
  assert.equal(dialectOfOperation('/v1/anything', 'gemini'), 'gemini');
  assert.equal(dialectOfOperation('/v1/chat', 'openai'), null);
  assert.equal(dialectOfOperation('/v1/models/m:rawpredict', null), null);
});
