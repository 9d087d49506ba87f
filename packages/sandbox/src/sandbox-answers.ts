/**
 * Request body → the sandbox's answer in the dialect that was asked: chat completions, completions, embeddings, responses, messages.
 * Every text says that it is simulated. Usage figures follow from sizes (about four bytes a token), so they are plausible and repeat;
 * they are the sandbox's own report, as a provider's would be. Values only; the server around it is sandbox-provider.ts.
 */

/** What the sandbox reads of a request. */
export interface SandboxRequest {
  /** As asked for; a default where the request names none. */
  readonly model: string;
  readonly streamed: boolean;
  readonly includeUsage: boolean;
  /** Size of the request body: what input tokens follow from. */
  readonly bodyBytes: number;
  /** Inputs of an embeddings request. */
  readonly inputs: number;
  /** A number that differs from call to call, for ids. */
  readonly serial: number;
}

/** One answer: a JSON document, or the events of a stream in order. */
export type SandboxAnswer =
  | { readonly kind: 'json'; readonly document: unknown }
  | { readonly kind: 'events'; readonly events: readonly SandboxEvent[]; readonly done: boolean };

export interface SandboxEvent {
  /** The SSE event name; null where the dialect uses none. */
  readonly name: string | null;
  readonly data: unknown;
}

const text = "This answer comes from Metergate's sandbox: it is simulated, no provider was called and nothing was charged by one.";
const words = text.split(/(?<= )/);
const outputTokens = Math.ceil(text.length / 4);
/** A fixed moment: sandbox answers are the same at every run. Seconds since the epoch. */
const createdAtSeconds = 1_767_225_600;

function inputTokens(request: SandboxRequest): number {
  return Math.max(1, Math.ceil(request.bodyBytes / 4));
}

function chatUsage(request: SandboxRequest): Record<string, unknown> {
  const input = inputTokens(request);
  return {
    prompt_tokens: input, completion_tokens: outputTokens, total_tokens: input + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 },
  };
}

/** `POST /v1/chat/completions`. */
export function chatCompletion(request: SandboxRequest): SandboxAnswer {
  const base = { id: `chatcmpl-sandbox-${request.serial}`, created: createdAtSeconds, model: request.model };
  if (!request.streamed) {
    const choice = { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' };
    return { kind: 'json', document: { ...base, object: 'chat.completion', choices: [choice], usage: chatUsage(request) } };
  }
  const usage = request.includeUsage ? { usage: null } : {};
  const chunk = (delta: unknown, finish: string | null): SandboxEvent => ({
    name: null,
    data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage },
  });
  const events = [
    chunk({ role: 'assistant', content: '' }, null), ...words.map((word) => chunk({ content: word }, null)), chunk({}, 'stop'),
  ];
  const last: SandboxEvent = { name: null, data: { ...base, object: 'chat.completion.chunk', choices: [], usage: chatUsage(request) } };
  return { kind: 'events', events: request.includeUsage ? [...events, last] : events, done: true };
}

/** `POST /v1/completions`. */
export function completion(request: SandboxRequest): SandboxAnswer {
  const base = { id: `cmpl-sandbox-${request.serial}`, object: 'text_completion', created: createdAtSeconds, model: request.model };
  const choice = (part: string, finish: string | null): unknown => ({ text: part, index: 0, logprobs: null, finish_reason: finish });
  if (!request.streamed) return { kind: 'json', document: { ...base, choices: [choice(text, 'stop')], usage: chatUsage(request) } };
  const events: SandboxEvent[] = [...words.map((word) => choice(word, null)), choice('', 'stop')]
    .map((each) => ({ name: null, data: { ...base, choices: [each] } }));
  if (request.includeUsage) events.push({ name: null, data: { ...base, choices: [], usage: chatUsage(request) } });
  return { kind: 'events', events, done: true };
}

/** `POST /v1/embeddings`: small vectors of fixed numbers. */
export function embeddings(request: SandboxRequest): SandboxAnswer {
  const embedding = Array.from({ length: 16 }, (_, at) => (at - 8) / 64);
  const data = Array.from({ length: request.inputs }, (_, index) => ({ object: 'embedding', index, embedding }));
  const usage = { prompt_tokens: inputTokens(request), total_tokens: inputTokens(request) };
  return { kind: 'json', document: { object: 'list', data, model: request.model, usage } };
}

/** `POST /v1/responses`. */
export function response(request: SandboxRequest): SandboxAnswer {
  const input = inputTokens(request);
  const usage = {
    input_tokens: input, input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + outputTokens,
  };
  const itemId = `msg_sandbox_${request.serial}`;
  const part = { type: 'output_text', annotations: [], text };
  const item = { type: 'message', id: itemId, status: 'completed', role: 'assistant', content: [part] };
  const base = {
    id: `resp_sandbox_${request.serial}`, object: 'response', created_at: createdAtSeconds, error: null, incomplete_details: null,
    model: request.model, tools: [], tool_choice: 'auto', parallel_tool_calls: true,
  };
  const whole = { ...base, status: 'completed', output: [item], usage };
  if (!request.streamed) return { kind: 'json', document: whole };
  const place = { item_id: itemId, output_index: 0, content_index: 0 };
  const steps: [string, Record<string, unknown>][] = [
    ['response.created', { response: { ...base, status: 'in_progress', output: [], usage: null } }],
    ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }],
    ['response.content_part.added', { ...place, part: { ...part, text: '' } }],
    ...words.map((delta): [string, Record<string, unknown>] => ['response.output_text.delta', { ...place, delta, logprobs: [] }]),
    ['response.output_text.done', { ...place, text, logprobs: [] }],
    ['response.content_part.done', { ...place, part }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: whole }],
  ];
  const events = steps.map(([name, data], at) => ({ name, data: { type: name, sequence_number: at, ...data } }));
  return { kind: 'events', events, done: false };
}

/** `POST /v1/messages`. */
export function message(request: SandboxRequest): SandboxAnswer {
  const usage = { input_tokens: inputTokens(request), cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const base = { id: `msg_sandbox_${request.serial}`, type: 'message', role: 'assistant', model: request.model };
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  if (!request.streamed) {
    const document = { ...base, content: [{ type: 'text', text }], ...end, usage: { ...usage, output_tokens: outputTokens } };
    return { kind: 'json', document };
  }
  const start = { ...base, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  const steps: Record<string, unknown>[] = [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((word) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: { output_tokens: outputTokens } },
    { type: 'message_stop' },
  ];
  return { kind: 'events', events: steps.map((data) => ({ name: String(data['type']), data })), done: false };
}
