/** What each dialect reports, absent, cut, malformed and hostile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reading, ReadingContext, TokenFigures } from './reading.ts';
import { noTokens, nothingDue } from './reading.ts';
import { createUsageReader } from './reader.ts';

const chat: ReadingContext = { wire: 'openai', endpoint: 'chat.completions', streamed: false };
const chatStream: ReadingContext = { ...chat, streamed: true };
const responsesStream: ReadingContext = { wire: 'openai', endpoint: 'responses', streamed: true };
const responses: ReadingContext = { ...responsesStream, streamed: false };
const messages: ReadingContext = { wire: 'anthropic', endpoint: 'messages', streamed: false };
const messagesStream: ReadingContext = { ...messages, streamed: true };
const upstream: ReadingContext = { wire: 'upstream', endpoint: 'chat.completions', streamed: false };

function read(context: ReadingContext, body: string, ending: 'whole' | 'cut' = 'whole'): Reading {
  const whole = createUsageReader(context);
  whole.push(Buffer.from(body));
  const reading = whole.finish(ending);
  const byteByByte = createUsageReader(context);
  for (const byte of Buffer.from(body)) byteByByte.push(Uint8Array.of(byte));
  assert.deepEqual(byteByByte.finish(ending), reading, 'cut byte by byte');
  return reading;
}

function events(...data: (string | object)[]): string {
  return data.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');
}

function usageOf(reading: Reading): [string, string | null, Partial<TokenFigures>] {
  const tokens = Object.fromEntries(Object.entries(reading.tokens).filter(([, figure]) => figure !== null));
  return [reading.usage, reading.usageReason, tokens];
}

describe('the form is the one that the first byte shows, whatever the type names', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  const told: [string, string | null, Partial<TokenFigures>] = ['reported', null, { input: 3, output: 4 }];

  test('events under the type of a JSON body end their dialogue, and later readers of that kind read JSON', () => {
    const stream = events({ choices: [{ finish_reason: 'stop' }] }, { choices: [], usage }, '[DONE]');
    for (const first of ['', '\uFEFF', '\n\r\n', ': comment\n\n', 'event: x\n', 'id: 1\n', 'retry: 5\n']) {
      assert.deepEqual(usageOf(read(chat, first + stream)), told, JSON.stringify(first));
      const reader = createUsageReader(chat);
      reader.push(Buffer.from(first + stream));
      assert.equal(reader.dialogueEnded, true, JSON.stringify(first));
      reader.finish('whole');
    }
    assert.deepEqual(usageOf(read(chat, JSON.stringify({ usage }))), told);
    const message = events({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'message_delta', usage: { output_tokens: 4 } }, { type: 'message_stop' });
    assert.deepEqual(usageOf(read(messages, message)), ['reported', null, { input: 9, output: 4 }]);
    assert.deepEqual(usageOf(read(messages, message.slice(0, 150), 'cut'))[0], 'partial');
    assert.deepEqual(usageOf(read(chat, events({ choices: [] }), 'cut')), ['unknown', 'cut', {}]);
  });

  test('a JSON body under the type of a stream, and later readers of that kind read events', () => {
    for (const first of ['', '\uFEFF', ' \n']) assert.deepEqual(usageOf(read(chatStream, first + JSON.stringify({ model: 'm', usage }))), told);
    assert.deepEqual(usageOf(read(chatStream, '{"usage":{"prompt_tokens":3')), ['unknown', 'not_readable', {}]);
    assert.deepEqual(usageOf(read(chatStream, events({ choices: [], usage }, '[DONE]'))), told);
  });
});

describe('first wire, JSON', () => {
  test('all figures, model and the first choice\'s finish reason', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 0 }, cost: 1 };
    const reading = read(chat, JSON.stringify({ model: 'm-1', choices: [{ index: 0, finish_reason: 'stop' },
      { finish_reason: 'length' }], usage }));
    assert.deepEqual(reading, {
      ...nothingDue, model: 'm-1', finishReason: 'stop', usage: 'reported',
      tokens: { ...noTokens, input: 9, output: 0, cached: 4, reasoning: 0 },
    });
  });

  const bodies: [string, string, string, string | null, Partial<TokenFigures>][] = [
    ['usage absent', '{"model":"m"}', 'unknown', 'absent', {}],
    ['usage null', '{"usage":null}', 'unknown', 'absent', {}],
    ['usage empty', '{"usage":{}}', 'unknown', 'absent', {}],
    ['usage no object', '{"usage":"much"}', 'unknown', 'not_a_figure', {}],
    ['negative', '{"usage":{"prompt_tokens":-5,"completion_tokens":1}}', 'unknown', 'not_a_figure', {}],
    ['a fraction', '{"usage":{"prompt_tokens":1.5,"completion_tokens":1}}', 'unknown', 'not_a_figure', {}],
    ['a string', '{"usage":{"prompt_tokens":"100","completion_tokens":1}}', 'unknown', 'not_a_figure', {}],
    ['too large', '{"usage":{"prompt_tokens":9007199254740992,"completion_tokens":1}}', 'unknown', 'not_a_figure', {}],
    ['a bad detail spoils all', '{"usage":{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":-1}}}',
      'unknown', 'not_a_figure', {}],
    ['null details', '{"usage":{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":null}}', 'reported', null, { input: 1,
      output: 2 }],
    ['whole by value', '{"usage":{"prompt_tokens":1.0,"completion_tokens":1e3}}', 'reported', null, { input: 1, output: 1000 }],
    ['zeros are figures', '{"usage":{"prompt_tokens":0,"completion_tokens":0}}', 'reported', null, { input: 0, output: 0 }],
    ['the last of two usages', '{"usage":{"prompt_tokens":1,"completion_tokens":1},"usage":{"prompt_tokens":2,"total_tokens":2}}', 'reported', null,
      { input: 2 }],
    ['a usage elsewhere', '{"choices":[{"usage":{"prompt_tokens":1}}],"x":{"usage":{"prompt_tokens":1}}}', 'unknown', 'absent', {}],
    ['empty body', '', 'unknown', 'absent', {}],
    ['white space only', ' \n', 'unknown', 'absent', {}],
    ['no JSON', '<html>', 'unknown', 'not_readable', {}],
    ['an array', '[{"usage":{"prompt_tokens":1}}]', 'unknown', 'not_readable', {}],
    ['half a JSON in a whole body', '{"usage":{"prompt_tokens":1}', 'unknown', 'not_readable', {}],
    ['text that begins as events do', 'error: busy', 'unknown', 'not_readable', {}],
    ['a byte order mark', '\uFEFF{"usage":{"prompt_tokens":1,"total_tokens":1}}', 'reported', null, { input: 1 }],
    ['no output', '{"usage":{"prompt_tokens":1}}', 'partial', 'absent', { input: 1 }],
    ['no output, and a total', '{"usage":{"prompt_tokens":1,"total_tokens":4}}', 'reported', null, { input: 1 }],
    ['no input', '{"usage":{"completion_tokens":2,"prompt_tokens":null}}', 'partial', 'absent', { output: 2 }],
    ['no input, and a total', '{"usage":{"completion_tokens":2,"total_tokens":9}}', 'partial', 'absent', { output: 2 }],
  ];
  for (const [name, body, usage, reason, tokens] of bodies) {
    test(`rules: Record: ${name} → ${usage} ${reason ?? ''}`, () => assert.deepEqual(usageOf(read(chat, body)), [usage, reason, tokens]));
  }

  test('cut after the usage object: reported; inside or before it: unknown, cut', () => {
    assert.deepEqual(usageOf(read(chat, '{"usage":{"prompt_tokens":1,"completion_tokens":2},"x":"y', 'cut')), ['reported', null,
      { input: 1, output: 2 }]);
    const inside = read(chat, '{"model":"m","usage":{"prompt_tokens":1,"completion_tokens":2', 'cut');
    assert.deepEqual([inside.model, ...usageOf(inside)], ['m', 'unknown', 'cut', {}]);
    assert.deepEqual(usageOf(read(chat, '', 'cut')), ['unknown', 'cut', {}]);
  });

  test('names fit every store: no NUL, no half character, never empty', () => {
    assert.equal(read(chat, '{"model":"a\\u0000b\\ud800"}').model, 'a\uFFFDb\uFFFD');
    assert.equal(read(chat, '{"model":""}').model, null);
    assert.equal(read(chat, '{"model":7}').model, null);
  });

  test('a name is its own, whatever the response before was called', () => {
    const models = ['\uFEFFm', '\u00c3\u00a9', '\u00e9', 'a\\nb', 'a\nb', 'a\\nb', 'plain', 'plain'];
    assert.deepEqual(models.map((model) => read(chat, JSON.stringify({ model })).model), models);
  });

  test('embeddings report no output: reported, output null; usage is found behind megabytes of numbers', () => {
    const vector = `[${'-0.0123456789,'.repeat(100_000)}0]`;
    const reader = createUsageReader({ ...chat, endpoint: 'embeddings' });
    reader.push(Buffer.from(`{"data":[{"embedding":${vector}}],"model":"e","usage":{"prompt_tokens":5,"total_tokens":5}}`));
    assert.deepEqual(usageOf(reader.finish('whole')), ['reported', null, { input: 5 }]);
  });
});

describe('first wire, stream', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  const first = { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: null }], usage: null };
  const last = { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null };

  test('usage from the final chunk, finish reason only of the first choice', () => {
    const other = { model: 'm', choices: [{ index: 1, finish_reason: 'length' }] };
    const reading = read(chatStream, events({ model: '', choices: [] }, first, other, last, other, { model: 'm', choices: [], usage },
      '[DONE]'));
    assert.deepEqual([reading.model, reading.finishReason, ...usageOf(reading)], ['m', 'stop', 'reported', null, { input: 3, output: 4 }]);
  });

  test('the first choice is the one whose index is 0 by value', () => {
    const body = '{"choices":[{"index":0.0,"finish_reason":"stop"}]}';
    assert.equal(read(chatStream, events(body, body.replace('0.0', '1.0').replace('stop', 'length'))).finishReason, 'stop');
  });

  test('events that are other JSON than objects are events', () => {
    for (const data of ['null', '5', ' true ', '"x"', '[]']) {
      assert.deepEqual(usageOf(read(chatStream, events(data, '[DONE]'))), ['unknown', 'absent', {}], data);
      assert.deepEqual(usageOf(read(chatStream, `data: ${data}\n`)), ['unknown', 'absent', {}], data);
    }
  });

  test('the last usage that is no null counts', () => {
    const body = events({ ...first, usage: { prompt_tokens: 3, completion_tokens: 1 } }, { ...last, usage }, { choices: [],
      usage: null }, '[DONE]');
    assert.deepEqual(usageOf(read(chatStream, body)), ['reported', null, { input: 3, output: 4 }]);
  });

  test('cut with running figures only: unknown, for they are not the final ones; after the finish reason: reported', () => {
    const running = { ...first, usage: { prompt_tokens: 3, completion_tokens: 1 } };
    assert.deepEqual(usageOf(read(chatStream, events(running, running), 'cut')), ['unknown', 'cut', {}]);
    assert.deepEqual(usageOf(read(chatStream, events(running, { ...last, usage }), 'cut')), ['reported', null, { input: 3, output: 4 }]);
  });

  test('no usage: absent after [DONE], also if cut then; cut before it: cut', () => {
    assert.deepEqual(usageOf(read(chatStream, events(first, last, '[DONE]'))), ['unknown', 'absent', {}]);
    assert.deepEqual(usageOf(read(chatStream, 'data: [DONE]\n', 'cut')), ['unknown', 'absent', {}]);
    assert.deepEqual(usageOf(read(chatStream, events(first, last), 'cut')), ['unknown', 'cut', {}]);
    assert.deepEqual(usageOf(read(chatStream, '', 'cut')), ['unknown', 'cut', {}]);
    const images: ReadingContext = { ...chatStream, endpoint: 'other', without: 'not_reported' };
    for (const context of [images, { ...images, streamed: false }]) {
      assert.deepEqual(usageOf(read(context, '', 'cut')), ['unknown', 'cut', {}]);
      assert.deepEqual(usageOf(read(context, '', 'whole')), ['unknown', 'not_reported', {}]);
    }
  });

  test('an error event is an event; events that are no JSON are not readable', () => {
    assert.deepEqual(usageOf(read(chatStream, events(first) + 'event: error\n' + events({ error: { message: 'x' } }))), ['unknown',
      'absent', {}]);
    assert.deepEqual(usageOf(read(chatStream, events('hello'))), ['unknown', 'not_readable', {}]);
    assert.deepEqual(usageOf(read(chatStream, events(first, '{"usage":', last, '[DONE]'))), ['unknown', 'not_readable', {}]);
    assert.deepEqual(usageOf(read(chatStream, events('oops', { choices: [], usage }, '[DONE]'))), ['reported', null, { input: 3,
      output: 4 }]);
  });

  test('data over several lines is one JSON text; the last event may lack its blank line', () => {
    const body = 'data: {"choices":[],\r\ndata:"usage":{"prompt_tokens":3,\r\ndata:  "completion_tokens":4}}';
    assert.deepEqual(usageOf(read(chatStream, body)), ['reported', null, { input: 3, output: 4 }]);
    assert.deepEqual(usageOf(read(chatStream, 'data: {"choices":[],"usage":{"prompt_tokens":1\ndata: 2}}\n\n')), ['unknown',
      'not_readable', {}]);
  });

  test('the reader keeps no reference to a chunk', () => {
    const reader = createUsageReader(chatStream);
    for (const text of ['data: {"model":"mod', 'el-x","choices":[],"us', 'age":{"prompt_tokens":1', '2}}\n\n']) {
      const chunk = Buffer.from(text);
      reader.push(chunk);
      chunk.fill(0x30);
    }
    const reading = reader.finish('whole');
    assert.deepEqual([reading.model, reading.tokens.input], ['model-x', 12]);
  });
});

describe('the end of the dialogue', () => {
  const endings: [ReadingContext, string, boolean][] = [
    [chatStream, 'data: [DONE]\n', true], [chatStream, 'data:[DONE]\r', true], [chatStream, 'data: [DONE] \n', true],
    [chatStream, 'data: [DONE]', false], [chatStream, 'data: [DONE]x\n', false], [chatStream, 'data: "[DONE]"\n', false],
    [chatStream, 'data: x\ndata: [DONE]\n', false], [chatStream, ': [DONE]\n', false], [chatStream, 'event: [DONE]\n', false],
    [chatStream, 'data: {"type":"response.completed"}\n\n', false],
    [{ ...chatStream, endpoint: 'completions' }, 'data: [DONE]\n', true], [{ ...upstream, streamed: true }, 'data: [DONE]\n', true],
    [responsesStream, 'data: {"type":"response.completed","response":{}}\n', true],
    [responsesStream, 'data: {"response":{},"type":"response.incomplete"}\n', true],
    [responsesStream, 'event: x\ndata: {"type":"response.failed"}\n', true],
    [responsesStream, 'event: response.completed\ndata: {"type":"response.created"}\n\n', false],
    [responsesStream, 'data: {"type":"response.completed.not"}\n\n', false], [responsesStream, 'data: [DONE]\n\n', false],
    [responsesStream, 'data: {"type":"response.completed"\n', false], [responsesStream, 'data: {"x":{"type":"response.completed"}}\n\n',
      false],
    [messagesStream, 'event: message_stop\ndata: {"type":"message_stop"}\n', true], [messagesStream,
      'event: message_stop\ndata: {}\n\n', false],
    [messagesStream, 'data: {"type":"message\\u005fstop"}\n', true], [messagesStream, 'data: {"type":"message\\u005fsto"}\n', false],
    [responsesStream, 'data: {"type":"response.completed\\u0020"}\n', false],
    [messagesStream, 'data: [DONE]\n\n', false], [chat, '{}', false], [chat, 'data: [DONE]\n', true],
  ];
  for (const [context, text, ended] of endings) {
    test(`${context.endpoint} ${JSON.stringify(text)}: ${ended ? 'ended at the newline' : 'not ended'}`, () => {
      const reader = createUsageReader(context);
      for (const [index, byte] of [...Buffer.from(text)].entries()) {
        assert.equal(reader.dialogueEnded, false, `before byte ${index}`);
        reader.push(Uint8Array.of(byte));
      }
      assert.equal(reader.dialogueEnded, ended);
    });
  }

  test('what comes after the end is not read', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1 };
    const late = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } };
    assert.deepEqual(usageOf(read(chatStream, events({ choices: [], usage }, '[DONE]', late))), ['reported', null, { input: 1,
      output: 1 }]);
  });
});

describe('Responses API', () => {
  test('work in the background whose stream ends before it goes on; what is done in the foreground does not', () => {
    const created = (background: boolean) =>
      events({ type: 'response.created', response: { id: 'resp_1', model: 'm', background, status: 'in_progress', usage: null } });
    const said = ({ usage, usageReason, work }: Reading) => [usage, usageReason, work];
    assert.deepEqual(said(read(responsesStream, created(true))), ['unknown', 'deferred', 'resp_1']);
    assert.deepEqual(said(read(responsesStream, created(true), 'cut')), ['unknown', 'cut', 'resp_1']);
    assert.deepEqual(said(read(responsesStream, created(false))), ['unknown', 'absent', null]);
    const failed = events({ type: 'response.failed', response: { id: 'resp_1', model: 'm', background: true, status: 'failed', usage: null } });
    assert.deepEqual(said(read(responsesStream, created(true) + failed)).slice(0, 2), ['unknown', 'absent']);
  });

  const usage = { input_tokens: 5, output_tokens: 6, input_tokens_details: { cached_tokens: 1 },
    output_tokens_details: { reasoning_tokens: 2 } };
  const figures = { input: 5, output: 6, cached: 1, reasoning: 2 };

  test('the status is the finish reason, with the incomplete reason', () => {
    const incomplete = { model: 'm', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage };
    const reading = read(responses, JSON.stringify(incomplete));
    assert.deepEqual([reading.finishReason, ...usageOf(reading)], ['incomplete:max_output_tokens', 'reported', null, figures]);
    assert.equal(read(responses, '{"status":"incomplete","incomplete_details":null}').finishReason, 'incomplete');
    assert.equal(read(responses, '{"status":"completed","incomplete_details":null}').finishReason, 'completed');
    const streamed = read(responsesStream, events({ type: 'response.incomplete', response: incomplete }));
    assert.deepEqual(streamed, reading);
  });

  test('a stream that is cut gives only the model; it had no status', () => {
    const created = { type: 'response.created', response: { model: 'm', status: 'in_progress', usage: null } };
    const reading = read(responsesStream, events(created), 'cut');
    assert.deepEqual([reading.model, reading.finishReason, ...usageOf(reading)], ['m', null, 'unknown', 'cut', {}]);
  });

  test('a terminal event of megabytes is read in passing; cut after it, the stream counts as whole', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'usage "usage": {} '.repeat(300_000) }] }];
    const reader = createUsageReader(responsesStream);
    const body = Buffer.from(events({ type: 'response.completed', response: { model: 'm', status: 'completed', output, usage } }));
    for (let i = 0; i < body.length; i += 65_536) reader.push(body.subarray(i, i + 65_536));
    assert.equal(reader.dialogueEnded, true);
    assert.deepEqual(usageOf(reader.finish('cut')), ['reported', null, figures]);
  });

  test('a terminal event without usage: absent', () => {
    const failed = events({ type: 'response.failed', response: { model: 'm', status: 'failed', usage: null } });
    assert.deepEqual(usageOf(read(responsesStream, failed, 'cut')), ['unknown', 'absent', {}]);
  });

  test('whatever the event that carries the usage is called, it is read', () => {
    const created = { type: 'response.created', response: { model: 'm', status: 'in_progress', usage: null } };
    for (const [type, status] of [['response.done', 'completed'], ['response.cancelled', 'cancelled']]) {
      const reading = read(responsesStream, events(created, { type, response: { model: 'm', status, usage } }));
      assert.deepEqual([reading.finishReason, ...usageOf(reading)], [status, 'reported', null, figures]);
    }
  });
});

describe('second wire', () => {
  const start = {
    type: 'message_start',
    message: {
      model: 'c', stop_reason: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 } },
    },
  };
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } };
  const startFigures = { input: 10, output: 1, cached: 2, cacheWrite: 30, cacheWriteOneHour: 20 };

  test('JSON: all figures, with the one-hour writes separate', () => {
    const reading = read(messages, JSON.stringify({ ...start.message, stop_reason: 'tool_use' }));
    assert.deepEqual([reading.model, reading.finishReason, ...usageOf(reading)], ['c', 'tool_use', 'reported', null, startFigures]);
  });

  test('message_delta replaces what it reports and keeps the rest; null reports nothing', () => {
    const reading = read(messagesStream, events(start, { type: 'ping' }, delta, { type: 'message_stop' }));
    assert.deepEqual([reading.finishReason, ...usageOf(reading)], ['end_turn', 'reported', null, { ...startFigures, output: 7 }]);
    const more = { ...delta, usage: { output_tokens: 7, input_tokens: 11, cache_read_input_tokens: null, cache_creation_input_tokens: 0 } };
    assert.deepEqual(usageOf(read(messagesStream, events(start, more))), ['reported', null, { input: 11, output: 7, cached: 2,
      cacheWrite: 0 }]);
  });

  test('cut between message_start and message_delta: partial; cut after it: reported; before all: cut', () => {
    assert.deepEqual(usageOf(read(messagesStream, events(start), 'cut')), ['partial', 'cut', startFigures]);
    assert.deepEqual(usageOf(read(messagesStream, events(start, delta), 'cut')), ['reported', null, { ...startFigures, output: 7 }]);
    assert.deepEqual(usageOf(read(messagesStream, 'event: message_start\ndata: {"type":"message_start","mess', 'cut')), ['unknown',
      'cut', {}]);
  });

  test('several message_delta: a running figure is partial; the last one before the stop reason or message_stop is reported', () => {
    const running = (output: number) => ({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: output } });
    const cut = (...more: object[]) => usageOf(read(messagesStream, events(start, running(3), ...more), 'cut'));
    assert.deepEqual(cut(), ['partial', 'cut', { ...startFigures, output: 3 }]);
    assert.deepEqual(cut(running(5), delta), ['reported', null, { ...startFigures, output: 7 }]);
    assert.deepEqual(cut(running(5), { type: 'message_stop' }), ['reported', null, { ...startFigures, output: 5 }]);
  });

  test('a message_delta whose usage holds no figure reports none', () => {
    for (const usage of [{}, { output_tokens: null }, null]) {
      const body = events(start, { ...delta, usage }, { type: 'message_stop' });
      assert.deepEqual(usageOf(read(messagesStream, body)), ['partial', 'absent', startFigures]);
    }
  });

  test('ended whole by an error event, without message_delta: partial, absent', () => {
    const error = { type: 'error', error: { type: 'overloaded_error' } };
    assert.deepEqual(usageOf(read(messagesStream, events(start, error))), ['partial', 'absent', startFigures]);
  });

  test('a bad figure anywhere spoils the usage', () => {
    const bad = { ...delta, usage: { output_tokens: -7 } };
    assert.deepEqual(usageOf(read(messagesStream, events(start, bad))), ['unknown', 'not_a_figure', {}]);
    assert.deepEqual(usageOf(read(messages, '{"usage":{"input_tokens":1,"output_tokens":1,"cache_read_input_tokens":"2"}}')),
      ['unknown', 'not_a_figure', {}]);
  });
});

describe('a usage that lacks a required figure is partial, on every wire', () => {
  const forms: readonly (readonly [string, ReadingContext, (usage: object) => string, 'prompt' | 'input', 'completion' | 'output'])[] = [
    ['chat', chat, (usage) => JSON.stringify({ model: 'm', choices: [], usage }), 'prompt', 'completion'],
    ['a chat stream', chatStream, (usage) => events({ choices: [], usage }, '[DONE]'), 'prompt', 'completion'],
    ['completions', { ...chat, endpoint: 'completions' }, (usage) => JSON.stringify({ usage }), 'prompt', 'completion'],
    ['responses', responses, (usage) => JSON.stringify({ status: 'completed', usage }), 'input', 'output'],
    ['a Responses stream', responsesStream, (usage) => events({ type: 'response.completed', response: { usage } }), 'input', 'output'],
    ['messages', messages, (usage) => JSON.stringify({ type: 'message', stop_reason: 'end_turn', usage }), 'input', 'output'],
    ['a messages stream', messagesStream,
      (usage) => events({ type: 'message_start', message: {} }, { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
      'input', 'output'],
    ['an upstream\'s chat', upstream, (usage) => JSON.stringify({ choices: [], usage }), 'prompt', 'completion'],
    ['chat at another path', { ...chat, endpoint: 'other' }, (usage) => JSON.stringify({ choices: [], usage }), 'prompt', 'completion'],
    ['messages at another path', { ...upstream, endpoint: 'other' }, (usage) => JSON.stringify({ type: 'message', usage }), 'input', 'output'],
  ];
  for (const [name, context, body, input, output] of forms) {
    test(name, () => {
      const both = { [`${input}_tokens`]: 3, [`${output}_tokens`]: 5 };
      assert.deepEqual(usageOf(read(context, body(both))), ['reported', null, { input: 3, output: 5 }]);
      assert.deepEqual(usageOf(read(context, body({ ...both, [`${input}_tokens`]: null }))), ['partial', 'absent', { output: 5 }]);
      assert.deepEqual(usageOf(read(context, body({ ...both, [`${output}_tokens`]: null }))), ['partial', 'absent', { input: 3 }]);
    });
  }

  test('embeddings and plain usage at other paths have no output; a cost that an upstream reports is complete', () => {
    for (const endpoint of ['embeddings', 'other'] as const) {
      assert.deepEqual(usageOf(read({ ...chat, endpoint }, '{"usage":{"prompt_tokens":3}}')), ['reported', null, { input: 3 }]);
    }
    assert.deepEqual(usageOf(read(upstream, '{"usage":{"completion_tokens":3,"cost":0.5}}')), ['reported', null, { output: 3 }]);
  });
});

describe('declared upstream', () => {
  test('the cost is carried as written; a bad one is ignored, the figures stay', () => {
    const cost = (json: string) => read(upstream, `{"usage":{"prompt_tokens":1,"completion_tokens":2,${json}}}`).reportedCost;
    assert.equal(cost('"cost":0.00012300'), '0.00012300');
    assert.equal(cost('"total_cost":1e-7'), '1e-7');
    assert.equal(cost('"cost":-1,"total_cost":0.5'), '0.5');
    assert.equal(cost('"cost":"free"'), null);
    assert.deepEqual(usageOf(read(upstream, '{"usage":{"prompt_tokens":1,"completion_tokens":2,"cost":-1}}')), ['reported', null,
      { input: 1, output: 2 }]);
    assert.equal(read(upstream, '{"usage":{"prompt_tokens":-1,"completion_tokens":2,"cost":1}}').reportedCost, null);
  });

  test('a cost without tokens is a usage', () => {
    const reading = read(upstream, '{"usage":{"cost":0.5}}');
    assert.deepEqual([reading.reportedCost, ...usageOf(reading)], ['0.5', 'reported', null, {}]);
  });

  test('usage in the choice that ends a stream is read, and a repetition changes nothing', () => {
    const counted = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, prompt_tokens_details: { cached_tokens: 4 } };
    const ending = { model: 'kimi', choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counted }] };
    const expected = ['reported', null, { input: 19, output: 13, cached: 4 }];
    for (const chunks of [[ending], [ending, { model: 'kimi', choices: [], usage: counted }]]) {
      assert.deepEqual(usageOf(read({ ...chatStream, wire: 'upstream' }, events(...chunks, '[DONE]'))), expected);
    }
    assert.deepEqual(usageOf(read(chatStream, events(ending, '[DONE]'))), ['unknown', 'absent', {}], 'the first provider has none there');
  });

  test('tokens that the total counts besides input and output are reported', () => {
    const beside = (usage: object): number => read(upstream, JSON.stringify({ model: 'm', usage })).outputBeside;
    const figures = { prompt_tokens: 32, completion_tokens: 9 };
    const thought = { completion_tokens_details: { reasoning_tokens: 94 } };
    assert.equal(beside({ ...figures, ...thought, total_tokens: 135 }), 94);
    assert.equal(beside({ ...figures, total_tokens: 61 }), 20);
    for (const total of [41, 40, 0, -7, 1.5, null, '135']) assert.equal(beside({ ...figures, ...thought, total_tokens: total }), 0, String(total));
    assert.equal(beside({ prompt_tokens: 5, total_tokens: 5 }), 0);
    assert.equal(beside({ completion_tokens: 5, total_tokens: 9 }), 0, 'the input may be all of it');
  });

  test('in a Responses stream too', () => {
    const body = events({ type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1, cost: 0.25 } } });
    assert.equal(read({ ...responsesStream, wire: 'upstream' }, body).reportedCost, '0.25');
  });
});

test('a response cut anywhere leaves nothing behind for the next one', () => {
  const text = '{"model":"\u00e9\u6f22\ud83d\ude00\u0fff\ud7ff","choices":[{"index":1,"finish_reason":"stop"}],"usage":{"prompt_tokens":12}}';
  const next = '{"model":"\u2028\u{10348}\u0800","usage":{"prompt_tokens":3}}';
  for (const context of [chat, chatStream]) {
    const framed = (json: string) => Buffer.from(context.streamed ? `data: ${json}\n\n` : json);
    for (let length = 0; length <= framed(text).length; length++) {
      const cut = createUsageReader(context);
      cut.push(framed(text).subarray(0, length));
      cut.finish('cut');
      const whole = createUsageReader(context);
      whole.push(framed(next));
      const { model, finishReason, tokens, usage } = whole.finish('whole');
      const expected = ['\u2028\u{10348}\u0800', null, { ...noTokens, input: 3 }, 'partial'];
      assert.deepEqual([model, finishReason, tokens, usage], expected, `${context.streamed} after ${length} bytes`);
    }
  }
});

test('a fault of the reader is a reading, not an exception', () => {
  const reader = createUsageReader(chat);
  const trap = new Proxy(new Uint8Array(3), { get: () => { throw new Error('broken chunk'); } });
  reader.push(trap);
  reader.push(Buffer.from('{}'));
  assert.deepEqual(usageOf(reader.finish('whole')), ['unknown', 'reader_fault', {}]);
});
