/** Answers at paths that name no API are read by their own form, however they are cut. Rule 6a. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { corpus } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { isWatched, withoutUsage } from './operation.ts';
import { nothingDue, type Reading, type ReadingContext } from './reading.ts';
import { createUsageReader } from './reader.ts';

const other = (streamed: boolean, more: Partial<ReadingContext> = {}): ReadingContext =>
  ({ wire: 'openai', endpoint: 'other', streamed, without: 'none', ...more });

function readCut(context: ReadingContext, body: Uint8Array, cuts: readonly number[], ending: 'whole' | 'cut' = 'whole'): Reading {
  const reader = createUsageReader(context);
  let from = 0;
  for (const cut of [...cuts, body.length]) {
    reader.push(body.slice(from, cut));
    from = cut;
  }
  return reader.finish(ending);
}

/** The reading, which must not depend on where the body is cut. */
function read(context: ReadingContext, text: string, ending: 'whole' | 'cut' = 'whole'): Reading {
  const body = new TextEncoder().encode(text);
  const whole = readCut(context, body, [], ending);
  assert.deepEqual(readCut(context, body, Array.from(body.keys()), ending), whole, 'byte by byte');
  const cuts = fc.array(fc.nat(body.length), { maxLength: 12 }).map((places) => places.toSorted((a, b) => a - b));
  fc.assert(fc.property(cuts, (places) => assert.deepEqual(readCut(context, body, places, ending), whole)), { numRuns: draws(20) });
  return whole;
}

const sse = (...data: (object | string)[]): string =>
  data.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');
const figures = ({ tokens }: Reading) => Object.fromEntries(Object.entries(tokens).filter(([, figure]) => figure !== null));
const said = ({ usage, usageReason, model, finishReason }: Reading) => [usage, usageReason, model, finishReason];

describe('bodies', () => {
  test('a compaction, an image, a transcription: plain usage in the words of the Responses API', () => {
    const compact = read(other(false), JSON.stringify({ id: 'resp_1', object: 'response.compaction', output: [{ type: 'compaction' }],
      usage: { input_tokens: 115, input_tokens_details: { cached_tokens: 8 }, output_tokens: 183,
        output_tokens_details: { reasoning_tokens: 0 } } }));
    assert.deepEqual([...said(compact), figures(compact)],
      ['reported', null, null, null, { input: 115, cached: 8, output: 183, reasoning: 0 }]);
    const image = read(other(false), '{"created":1,"data":[{"b64_json":"x"}],"usage":{"input_tokens":50,"output_tokens":4160,"total_tokens":4210}}');
    assert.deepEqual(figures(image), { input: 50, output: 4160 });
    const heard = read(other(false), '{"text":"a","usage":{"type":"tokens","input_tokens":14,'
      + '"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45}}');
    assert.deepEqual(figures(heard), { input: 14, audioInput: 14, output: 45 });
  });

  test('chat completions at the second provider count their cached tokens into the input; messages at an upstream do not', () => {
    const chat = read(other(false, { wire: 'anthropic', without: 'absent' }), JSON.stringify({
      model: 'claude-x', choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } } }));
    assert.deepEqual([...said(chat), chat.cachedInInput, figures(chat)],
      ['reported', null, 'claude-x', 'stop', true, { input: 9, cached: 4, output: 3 }]);
    const message = read(other(false, { wire: 'upstream' }), JSON.stringify({ type: 'message', model: 'claude-y', stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 40, cache_creation_input_tokens: 0 } }));
    assert.deepEqual([...said(message), message.cachedInInput, figures(message)],
      ['reported', null, 'claude-y', 'end_turn', false, { input: 9, cached: 40, cacheWrite: 0, output: 3 }]);
  });

  test('without usage: nothing if nothing is due, else the reason; unfinished work says so itself', () => {
    assert.deepEqual(read(other(false), '{"id":"file_1","bytes":3}'), nothingDue);
    assert.deepEqual(read(other(false), 'no JSON at all'), nothingDue);
    assert.deepEqual(read(other(false), '{"vector_store":1,"status":"in_progress","usage_bytes":0}'), nothingDue);
    for (const without of ['deferred', 'not_reported'] as const) {
      assert.deepEqual(said(read(other(false, { without }), '{"id":"b"}')).slice(0, 2), ['unknown', without]);
      assert.deepEqual(said(read(other(false, { without }), 'RIFF sound')).slice(0, 2), ['unknown', without]);
    }
    assert.deepEqual(said(read(other(false, { without: 'absent' }), '{"id":"b"}')).slice(0, 2), ['unknown', 'absent']);
    assert.deepEqual(said(read(other(false), '{"object":"thread.run","status":"queued","model":"m","usage":null}')).slice(0, 3),
      ['unknown', 'deferred', 'm']);
    const responses = { wire: 'openai', endpoint: 'responses', streamed: false } as const;
    assert.deepEqual(said(read(responses, '{"status":"queued","background":true,"model":"m","usage":null}')), ['unknown', 'deferred', 'm', 'queued']);
    assert.deepEqual(said(read(responses, '{"status":"completed","model":"m","usage":null}')).slice(0, 2), ['unknown', 'absent']);
    assert.deepEqual(said(read(other(false), '{"choices":[{"finish_reason":"stop"}]}')).slice(0, 2), ['unknown', 'absent'], 'the form of chat');
    assert.deepEqual(said(read(other(false), '{"usage":{"input_tokens":-1}}')).slice(0, 2), ['unknown', 'not_a_figure']);
  });
});

test('a batch or an agent\'s session begins with zeros, and later reports the usage of its work so far: neither belongs to this call', () => {
  const batch = (usage: object | null): string => JSON.stringify({ id: 'batch_1', object: 'batch', status: 'validating', model: 'gpt-5', usage });
  const zeros = { input_tokens: 0, input_tokens_details: { cached_tokens: 0 }, output_tokens: 0, total_tokens: 0 };
  for (const usage of [null, zeros]) {
    assert.deepEqual(said(read(other(false, { without: 'deferred' }), batch(usage))).slice(0, 3), ['unknown', 'deferred', 'gpt-5']);
  }
  assert.deepEqual(read(other(false), batch({ ...zeros, input_tokens: 900, output_tokens: 80 })), nothingDue, 'its cancelling');
  const session = JSON.stringify({ id: 's_1', object: 'agent.session', usage: { ...zeros, input_tokens: 900 } });
  assert.deepEqual(read(other(false), session), nothingDue, 'its change');
});

test('sessions, their threads and dreams of the second provider also report the usage of all their work so far', () => {
  const usage = { input_tokens: 5_000, output_tokens: 3_200, cache_read_input_tokens: 20_000 };
  for (const type of ['session', 'session_thread', 'dream']) {
    const body = JSON.stringify({ id: 'x_1', type, status: 'idle', usage });
    assert.deepEqual(read(other(false, { wire: 'anthropic' }), body), nothingDue, `${type}, changed`);
    assert.deepEqual(said(read(other(false, { wire: 'anthropic', without: 'deferred' }), body)).slice(0, 2), ['unknown', 'deferred'], type);
  }
});

test('a usage in terms that no figure of a record covers is unknown: the work was charged', () => {
  const answers = [
    { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } },
    { text: 'a', meta: { billed_units: { input_tokens: 5, output_tokens: 9 } } },
    { model: 'rerank-x', usage: { total_tokens: 815 } },
    { model: 'g', usage: { total_input_tokens: 10, total_output_tokens: 20 } },
  ];
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    assert.deepEqual(said(read(other(false, { wire: 'upstream' }), text)).slice(0, 2), ['unknown', 'absent'], text);
    assert.deepEqual(said(read(other(true, { wire: 'upstream' }), sse(answer, answer))).slice(0, 2), ['unknown', 'absent'], text);
    assert.deepEqual(said(read(other(true, { wire: 'upstream' }), sse(answer, answer), 'cut')).slice(0, 2), ['unknown', 'cut'], text);
  }
  assert.deepEqual(read(other(false), '{"data":[],"meta":{"page":1}}'), nothingDue);
  const pages = read(other(false, { wire: 'upstream' }), '{"pages":[],"model":"ocr-x","usage_info":{"pages_processed":3,"doc_size_bytes":9}}');
  assert.deepEqual([...said(pages), pages.units], ['reported', null, 'ocr-x', null, { pages: 3 }]);
  const ranked = read(other(false, { wire: 'upstream' }), '{"model":"r","usage":{"prompt_tokens":56}}');
  assert.deepEqual([...said(ranked), figures(ranked)], ['reported', null, 'r', null, { input: 56 }]);
});

test('an upstream\'s usage is found in its own place, in `x_groq`, or in the choice that ends', () => {
  const usage = { prompt_tokens: 25, completion_tokens: 7, total_tokens: 32 };
  for (const last of [{ choices: [{ finish_reason: 'stop', usage }] }, { choices: [{ finish_reason: 'stop' }], x_groq: { usage } },
    { choices: [{ finish_reason: 'stop' }], usage }]) {
    const events = sse({ model: 'm', choices: [{ delta: {} }], x_groq: { id: 'r' } }, last, '[DONE]');
    const reading = read(other(true, { wire: 'upstream' }), events);
    assert.deepEqual([...said(reading), figures(reading)], ['reported', null, 'm', 'stop', { input: 25, output: 7 }]);
    assert.deepEqual(said(read(other(true), events)).slice(0, 1), 'usage' in last ? ['reported'] : ['unknown'], 'a named provider');
  }
});

test('of several choices the first one counts, whichever ends last', () => {
  const ended = (index: number, reason: string) => ({ model: 'm', choices: [{ index, delta: {}, finish_reason: reason }] });
  const usage = { prompt_tokens: 25, completion_tokens: 7 };
  for (const [one, two] of [[ended(0, 'stop'), ended(1, 'length')], [ended(1, 'length'), ended(0, 'stop')]] as const) {
    assert.deepEqual(said(read(other(true, { wire: 'upstream' }), sse(one, two, { choices: [], usage }, '[DONE]'))), ['reported', null, 'm', 'stop']);
  }
  const body = { model: 'm', choices: [{ index: 1, finish_reason: 'length' }, { index: 0, finish_reason: 'stop' }], usage };
  assert.equal(read(other(false), JSON.stringify(body)).finishReason, 'length', 'of a body, the one that stands first');
});

test('tools that a seller ran are counted by its usage if that counts them, else by the answer\'s items', () => {
  const details = { web_search_calls: 1, x_search_calls: 2, file_search_calls: 0, document_search_calls: 3, code_interpreter_calls: 4, mcp_calls: 9 };
  const counted = { webSearch: 3, webFetch: 0, fileSearch: 3, codeInterpreter: 4 };
  const output = [{ type: 'web_search_call', action: { type: 'search' } }, { type: 'shell_call', environment: { type: 'container_reference' } },
    { type: 'shell_call', environment: { type: 'local' } }, { type: 'shell_call', environment: null }];
  const usage = { input_tokens: 3, output_tokens: 2, prompt_tokens: 3, completion_tokens: 2, server_side_tool_usage_details: details };
  const body = JSON.stringify({ model: 'm', status: 'completed', choices: [{ finish_reason: 'stop' }], output, usage });
  for (const endpoint of ['responses', 'chat.completions', 'other'] as const) {
    assert.deepEqual(read({ wire: 'upstream', endpoint, streamed: false }, body).toolCalls, counted, endpoint);
  }
  const chunk = sse({ model: 'm', choices: [{ finish_reason: 'stop' }], usage }, '[DONE]');
  assert.deepEqual(read({ wire: 'upstream', endpoint: 'chat.completions', streamed: true }, chunk).toolCalls, counted);
  const items = { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 1 };
  assert.deepEqual(read({ wire: 'openai', endpoint: 'responses', streamed: false }, body).toolCalls, items, 'a named provider');
});

describe('streams', () => {
  test('a run of a thread, an image, a messages stream and a response: the last word counts', () => {
    const run = read(other(true), sse({ object: 'thread.run', model: 'gpt-x', status: 'queued', usage: null },
      { object: 'thread.run.step', status: 'completed', usage: { prompt_tokens: 5, completion_tokens: 1 } },
      { object: 'thread.run', model: 'gpt-x', status: 'completed', usage: { prompt_tokens: 381, completion_tokens: 89 } }, '[DONE]'));
    assert.deepEqual([...said(run).slice(0, 3), figures(run)], ['reported', null, 'gpt-x', { input: 381, output: 89 }]);
    const image = read(other(true), sse({ type: 'image_generation.partial_image' }, { type: 'image_generation.completed', usage: { input_tokens: 5,
      output_tokens: 7 } }));
    assert.deepEqual(figures(image), { input: 5, output: 7 });
    const start = { type: 'message_start', message: { model: 'claude-y', usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 2 } } };
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 30 } };
    const message = read(other(true, { wire: 'upstream' }), sse(start, delta, { type: 'message_stop' }));
    assert.deepEqual([...said(message), figures(message), message.cachedInInput],
      ['reported', null, 'claude-y', 'end_turn', { input: 9, cached: 2, output: 30 }, false]);
    const cut = read(other(true, { wire: 'upstream' }), sse(start), 'cut');
    assert.deepEqual(said(cut).slice(0, 2), ['partial', 'cut']);
    const response = read(other(true), sse({ type: 'response.created', response: { model: 'm', status: 'in_progress', usage: null } },
      { type: 'response.completed', response: { model: 'm', status: 'completed', output: [{ type: 'file_search_call' }, { type: 'message' }],
        service_tier: 'flex', usage: { input_tokens: 2, output_tokens: 3 } } }));
    assert.deepEqual([...said(response), figures(response), response.serviceTier, response.toolCalls?.fileSearch],
      ['reported', null, 'm', 'completed', { input: 2, output: 3 }, 'flex', 1]);
  });

  test('cut before a usage came, it is unknown if the events are those of a metered API', () => {
    const chunk = { choices: [{ delta: { content: 'a' } }], model: 'm' };
    assert.deepEqual(said(read(other(true), sse(chunk), 'cut')).slice(0, 2), ['unknown', 'cut']);
    assert.deepEqual(read(other(true), sse({ progress: 1 }), 'cut'), nothingDue);
  });
});

test('whatever bytes come, cut anywhere, nothing is thrown and the reading is the same', () => {
  const piece = fc.oneof(fc.constantFrom('{"usage":', '{"input_tokens":1}', '{"iterations":[', '{"type":"compaction","input_tokens":2}', ',',
    ']', '}', 'null', '"output":[{"type":"web_search_call"}', '\n\n', 'data: ',
    '{"type":"message_start","message":', '"server_tool_use":{"web_search_requests":2}',
    '1e400',    '"service_tier":"flex"', '\\u0000', '[DONE]'), fc.string({ maxLength: 8 }));
  const endpoints = fc.constantFrom('other', 'messages', 'responses', 'chat.completions' as const);
  fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), endpoints, fc.array(fc.nat(400), { maxLength: 10 }),
    (pieces, streamed, endpoint, places) => {
      const body = new TextEncoder().encode(pieces.join(''));
      const context = { wire: 'upstream', endpoint, streamed } as ReadingContext;
      const cuts = places.map((place) => Math.min(place, body.length)).sort((a, b) => a - b);
      const reading = readCut(context, body, cuts);
      assert.notEqual(reading.usageReason, 'reader_fault');
      assert.deepEqual(reading, readCut(context, body, []));
    }), { numRuns: draws(3_000) });
});

/** The last `usage` in a recorded body, found by a walk over its parsed JSON. */
function usageByHand({ response }: Exchange): Record<string, number | null> | null {
  const text = response.body.toString('utf8');
  const documents = text.trimStart().startsWith('{') ? [text]
    : text.split('\n').filter((line) => line.startsWith('data: {')).map((line) => line.slice(6));
  let last: Record<string, number | null> | null = null;
  for (const document of documents) {
    const parsed = JSON.parse(document) as { usage?: unknown; response?: { usage?: unknown } };
    const usage = parsed.usage ?? parsed.response?.usage;
    if (typeof usage === 'object' && usage !== null) last = usage as Record<string, number | null>;
  }
  return last;
}

for (const folder of ['openai-other', 'anthropic-other', 'compatible-other']) {
  const exchanges = corpus(folder).filter(({ request, response }) => isWatched(request) && Math.floor(response.status / 100) === 2);
  test(`${folder}: ${exchanges.length} recorded answers at other paths are read as they report`, () => {
    for (const { name, request, response, streamed, ...exchange } of exchanges) {
      const path = request.path.split(/[?#]/)[0]!;
      const asked = path.startsWith('/v1') ? path : `/v1${path.replace('/api/v1', '')}`;
      const without = withoutUsage({ endpoint: 'other', method: request.method, path: asked });
      const reading = readCut(other(streamed, { wire: folder.startsWith('compatible') ? 'upstream' : 'openai', without }), response.body, [100, 2000]
        .filter((cut) => cut < response.body.length));
      const usage = usageByHand({ name, request, response, streamed, ...exchange });
      if (usage === null) assert.ok(['none', 'unknown'].includes(reading.usage) && (without === 'none') === (reading.usage === 'none'), name);
      else {
        assert.deepEqual([reading.usage, reading.tokens.input, reading.tokens.output],
          ['reported', usage['input_tokens'] ?? usage['prompt_tokens'] ?? null, usage['output_tokens'] ?? usage['completion_tokens'] ?? null], name);
      }
    }
  });
}
