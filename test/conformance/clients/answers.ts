/** What other providers answer, each in its own form: the word Danube, for 11 tokens in and 3 out. */
import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';

const json = (body: unknown): ScriptedAnswer => ({ headers: [['content-type', 'application/json']], body: JSON.stringify(body) });

function events(...data: readonly unknown[]): ScriptedAnswer {
  const lines = data.map((each) => {
    const { type } = each as { readonly type?: string };
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`;
  });
  return { headers: [['content-type', 'text/event-stream']], body: [lines.join('')] };
}

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'));

function frame(type: string, payload: unknown): Buffer {
  const text = (value: string) => ({ type: 'string', value }) as const;
  return Buffer.from(codec.encode({
    headers: { ':event-type': text(type), ':content-type': text('application/json'), ':message-type': text('event') },
    body: Buffer.from(JSON.stringify(payload)),
  }));
}

const framed = (...frames: readonly Buffer[]): ScriptedAnswer => ({
  headers: [['content-type', 'application/vnd.amazon.eventstream']], body: Buffer.concat(frames), framing: 'chunked',
});

const openUsage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };

export const chat = (model: string) => (): ScriptedAnswer => json({
  id: 'x', object: 'chat.completion', created: 1, model, usage: openUsage,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Danube' }, finish_reason: 'stop' }],
});

/** In the form of the Responses API. */
export const responded = (): ScriptedAnswer => json({
  id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-5.2', parallel_tool_calls: true, tool_choice: 'auto', tools: [],
  output: [{
    id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Danube', annotations: [] }],
  }],
  usage: {
    input_tokens: 11, output_tokens: 3, total_tokens: 14, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 },
  },
});

/** Its usage comes unasked, in a place of its own. */
export function groqStream(): ScriptedAnswer {
  const chunk = (choice: object, more: object = {}) => ({
    id: 'x', object: 'chat.completion.chunk', created: 1, model: 'llama-3.3-70b-versatile',
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }], ...more,
  });
  return events(chunk({ delta: { content: 'Danube' } }), chunk({ finish_reason: 'stop' }, { x_groq: { id: 'req_1', usage: openUsage } }), '[DONE]');
}

/** What is billed, not what the model was given. */
const cohereUsage = { billed_units: { input_tokens: 11, output_tokens: 3 }, tokens: { input_tokens: 500, output_tokens: 3 } };

export const cohere = (): ScriptedAnswer => json({
  id: 'x', finish_reason: 'COMPLETE', message: { role: 'assistant', content: [{ type: 'text', text: 'Danube' }] }, usage: cohereUsage,
});

export const cohereStream = (): ScriptedAnswer => events(
  { type: 'message-start', id: 'x', delta: { message: { role: 'assistant' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Danube' } } } }, { type: 'content-end', index: 0 },
  { type: 'message-end', id: 'x', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } },
);

const ollamaHead = { model: 'llama3.2', created_at: '2026-01-01T00:00:00Z' };
const ollamaEnd = { ...ollamaHead, done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 3 };

export const ollama = (): ScriptedAnswer => json({ ...ollamaEnd, message: { role: 'assistant', content: 'Danube' } });

export function ollamaStream(): ScriptedAnswer {
  const line = (content: string) => ({ ...ollamaHead, message: { role: 'assistant', content }, done: false });
  const lines = [line('Dan'), line('ube'), { ...ollamaEnd, message: { role: 'assistant', content: '' } }];
  return { headers: [['content-type', 'application/x-ndjson']], body: [lines.map((each) => `${JSON.stringify(each)}\n`).join('')] };
}

const claude = 'claude-sonnet-4-5-20250929';
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: claude, stop_sequence: null };
const messageEvents = [
  { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Danube' } }, { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } }, { type: 'message_stop' },
];

export const message = (): ScriptedAnswer => json({
  ...head, content: [{ type: 'text', text: 'Danube' }], stop_reason: 'end_turn', usage: { input_tokens: 11, output_tokens: 3 },
});
export const messageStream = (): ScriptedAnswer => events(...messageEvents);
export const invokedStream = (): ScriptedAnswer => framed(...messageEvents.map((event) =>
  frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcd' })));

const converseUsage = { usage: { inputTokens: 11, outputTokens: 3, totalTokens: 14 }, metrics: { latencyMs: 1 } };

export const converse = (): ScriptedAnswer => json({
  output: { message: { role: 'assistant', content: [{ text: 'Danube' }] } }, stopReason: 'end_turn', ...converseUsage,
});
export const converseStream = (): ScriptedAnswer => framed(
  frame('messageStart', { role: 'assistant' }), frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Danube' } }),
  frame('messageStop', { stopReason: 'end_turn' }), frame('metadata', converseUsage),
);

const geminiAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Danube' }] }, finishReason: 'STOP', index: 0 }], modelVersion: 'gemini-2.5-flash',
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 },
};
/** As it was asked. */
export const gemini = ({ target }: ReceivedRequest): ScriptedAnswer => (target.includes('alt=sse') ? events(geminiAnswer) : json(geminiAnswer));
