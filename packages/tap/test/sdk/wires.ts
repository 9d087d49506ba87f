/**
 * A provider's answers for one scenario, wire by wire: the whole JSON answer and the events of the stream. Figures differ in every field,
 * so that a test notices a figure read from the wrong one.
 */

/** One answer, in both forms. */
export interface Answer {
  readonly json: unknown;
  readonly events: readonly unknown[];
}

/** Answers a request of one wire; `has` says whether the scenario contains a word, `model` is the requested model. */
export type Wire = (model: string, has: (word: string) => boolean, body: Record<string, unknown>) => Answer;

let count = 0;

/** An id that no other answer has. */
function freshId(prefix: string): string {
  count += 1;
  return `${prefix}-${String(count).padStart(6, '0')}`;
}

/** What no event may hold: the answer's text, in two parts, and a tool's arguments. Tests search for this word. */
const [said, more] = ['{"a":1,"said":', '"CANARY-answer"}'];
const tooled = { where: 'CANARY-argument' };

const tools = [0, 1].map((index) => ({ id: `call_${index}`, type: 'function', function: { name: 'look', arguments: JSON.stringify(tooled) } }));

export const chat: Wire = (model, has, body) => {
  const base = { id: freshId('chatcmpl'), created: 1, model: `served-${model}` };
  const messages = body['messages'] as { role: string }[] | undefined;
  const calls = has('tools') && !messages?.some(({ role }) => role === 'tool');
  const finish = calls ? 'tool_calls' : has('length') ? 'length' : has('filter') ? 'content_filter' : 'stop';
  const usage = {
    prompt_tokens: 11, completion_tokens: 7, total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 },
  };
  const message = { role: 'assistant', content: calls ? null : said + more, ...(calls ? { tool_calls: tools } : {}) };
  const chunk = (delta: unknown, finish_reason: string | null = null): unknown =>
    ({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const wanted = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true;
  return {
    json: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish, logprobs: null }], usage },
    events: [
      chunk({ role: 'assistant', content: calls ? null : said }),
      ...(calls && has('mistral') ? [chunk({ tool_calls: tools })] : calls ? tools.flatMap((tool, index) => [
        chunk({ tool_calls: [{ ...tool, index, function: { name: 'look', arguments: '' } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: tool.function.arguments } }] }),
      ]) : [chunk({ content: more })]),
      { ...(chunk({}, finish) as object), ...(has('mistral') ? { usage } : {}), ...(has('groq') ? { x_groq: { id: 'req_g', usage } } : {}) },
      ...(wanted ? [{ ...base, object: 'chat.completion.chunk', choices: [], usage }] : []),
    ],
  };
};

export const completions: Wire = (model, has) => {
  const base = { id: freshId('cmpl'), object: 'text_completion', created: 1, model: `served-${model}` };
  const finish_reason = has('length') ? 'length' : 'stop';
  const json = { ...base, choices: [{ index: 0, text: said, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
  return { json, events: [{ ...json, usage: undefined, choices: [{ index: 0, text: said, finish_reason: null }] }, json] };
};

export const responses: Wire = (model, has) => {
  const text = { type: 'message', id: 'm1', role: 'assistant', status: 'completed',
    content: [{ type: 'output_text', text: said + more, annotations: [] }] };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: JSON.stringify(tooled), status: 'completed' };
  const output = has('tools') ? [call] : [text];
  const status = has('length') ? 'incomplete' : has('failing') ? 'failed' : 'completed';
  const response = {
    id: freshId('resp'), object: 'response', created_at: 1, model: `served-${model}`, status, output, tools: [], error: null,
    incomplete_details: has('length') ? { reason: 'max_output_tokens' } : null,
    usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 5 }, output_tokens: 9, output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 29 },
  };
  const begun = { ...response, status: 'in_progress', usage: null, output: [], incomplete_details: null };
  return {
    json: response,
    events: [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item: has('tools') ? { ...call, arguments: '' } : { ...text, content: [] } },
      ...(has('tools')
        ? [{ type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta: call.arguments }]
        : [
          { type: 'response.content_part.added', item_id: 'm1', output_index: 0, content_index: 0,
            part: { type: 'output_text', text: '', annotations: [] } },
          { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta: said + more },
        ]),
      { type: 'response.output_item.done', output_index: 0, item: output[0] },
      { type: `response.${status}`, response },
    ].map((event, sequence_number) => ({ ...event, sequence_number })),
  };
};

export const embeddings: Wire = (model, has, body) => ({
  json: {
    object: 'list', model: `served-${model}`, ...(has('mistral') ? { id: freshId('emb') } : {}),
    data: [{ object: 'embedding', index: 0, embedding: body['encoding_format'] === 'base64' ? 'AACAPwAAAEA=' : [1, 2] }],
    usage: { prompt_tokens: 5, total_tokens: 5, completion_tokens: 0 },
  },
  events: [],
});

export const messages: Wire = (model, has) => {
  const tool = (id: string): object => ({ type: 'tool_use', id, name: 'look', input: tooled });
  const content = has('tools') ? [tool('toolu_1'), tool('toolu_2')] : [{ type: 'text', text: said + more }];
  const stop_reason = has('tools') ? 'tool_use' : has('length') ? 'max_tokens' : has('filter') ? 'refusal' : 'end_turn';
  const usage = { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 6, service_tier: 'standard' };
  const message = { id: freshId('msg'), type: 'message', role: 'assistant', model: `served-${model}`, content, stop_reason, stop_sequence: null,
    usage };
  return {
    json: message,
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
      { type: 'ping' },
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: 'text' in block ? { type: 'text', text: '' } : { ...block, input: {} } },
        {
          type: 'content_block_delta', index,
          delta: 'text' in block ? { type: 'text_delta', text: said + more } : { type: 'input_json_delta', partial_json: JSON.stringify(tooled) },
        },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 6 } },
      { type: 'message_stop' },
    ],
  };
};

export const google: Wire = (model, has, body) => {
  if ('requests' in body || has('embedding')) return { json: { embeddings: [{ values: [1, 2] }] }, events: [] };
  const asked = (body['contents'] as { parts: { functionResponse?: unknown }[] }[] | undefined) ?? [];
  const calls = has('tools') && !asked.some(({ parts }) => parts.some((part) => part.functionResponse));
  const called = { functionCall: { name: 'look', args: tooled } };
  const parts = calls ? [called, called] : [{ text: said + more }];
  const finishReason = has('length') ? 'MAX_TOKENS' : has('filter') ? 'SAFETY' : 'STOP';
  const base = { modelVersion: `served-${model}`, responseId: freshId('gem') };
  const candidate = { content: { role: 'model', parts }, index: 0 };
  const usageMetadata = { promptTokenCount: 8, candidatesTokenCount: 4, totalTokenCount: 15, cachedContentTokenCount: 1, thoughtsTokenCount: 3 };
  return {
    json: { ...base, candidates: [{ ...candidate, finishReason }], usageMetadata },
    events: [
      { ...base, candidates: [candidate], usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 } },
      { ...base, candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason, index: 0 }], usageMetadata },
    ],
  };
};

/** A batch's results: one line each of every kind. */
export function batchResults(): string {
  const one = (custom_id: string, result: object): string => JSON.stringify({ custom_id, result });
  return [
    one('a', { type: 'succeeded', message: messages('m', () => false, {}).json }),
    one('b', { type: 'succeeded', message: messages('m', (word) => word === 'tools', {}).json }),
    one('c', { type: 'errored', error: { type: 'error', error: { type: 'invalid_request_error', message: 'CANARY-refusal' } } }),
    one('d', { type: 'canceled' }),
    one('e', { type: 'expired' }),
  ].join('\n');
}
