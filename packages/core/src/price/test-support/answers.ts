/** Answers in the shapes that providers document, whole and as a stream, for the table of bills. Written from their documentation, by hand. */
import type { OwnDialect } from '../../usage/dialect-names.ts';
import type { Endpoint, Wire } from '../../wire/wire.ts';

/** One answer, and of its call what its price depends on. */
export interface Answer {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly body: object;
  /** Events of the same answer; null: it is never streamed. */
  readonly events: readonly object[] | null;
  readonly host?: string;
  readonly requestedModel?: string;
  readonly region?: string;
  readonly atMs?: number;
  /** Of a named upstream whose answers are read in another dialect. */
  readonly dialect?: OwnDialect;
}

export type Usage = Readonly<Record<string, unknown>>;

/** Chat completions. */
export function chat(model: string, usage: Usage, more: object = {}): Answer {
  const chunk = { object: 'chat.completion.chunk', model, ...more };
  return {
    wire: 'openai', endpoint: 'chat.completions',
    body: { object: 'chat.completion', model, choices: [{ index: 0, finish_reason: 'stop' }], usage, ...more },
    events: [{ ...chunk, choices: [{ index: 0, delta: { content: 'a' } }] }, { ...chunk, choices: [{ index: 0, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage }],
  };
}

/** The same figures under the names of chat completions. */
export function tokens(prompt: number, completion: number, more: Usage = {}): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...more };
}

/** An answer in another dialect, that is never streamed. */
export function inDialect(dialect: OwnDialect, body: object, requestedModel?: string): Answer {
  return { wire: 'upstream', endpoint: 'other', body, events: null, dialect, ...(requestedModel === undefined ? {} : { requestedModel }) };
}

/** At a declared upstream. */
export function at(host: string, answer: Answer): Answer {
  return { ...answer, wire: 'upstream', host };
}

export function embeddings(model: string, prompt: number): Answer {
  const body = { object: 'list', model, data: [], usage: { prompt_tokens: prompt, total_tokens: prompt } };
  return { wire: 'openai', endpoint: 'embeddings', body, events: null };
}

/** The Responses API. */
export function response(model: string, usage: Usage, more: object = {}): Answer {
  const body = { object: 'response', model, status: 'completed', output: [], usage, ...more };
  return {
    wire: 'openai', endpoint: 'responses', body,
    events: [{ type: 'response.created', response: { ...body, status: 'in_progress', usage: null } }, { type: 'response.completed', response: body }],
  };
}

/** Figures under the names of the Responses API. */
export function figures(input: number, output: number, more: Usage = {}): Usage {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, ...more };
}

/** Messages. */
export function message(model: string, usage: Usage, more: object = {}): Answer {
  const { output_tokens: output, ...before } = usage;
  return {
    wire: 'anthropic', endpoint: 'messages', body: { type: 'message', model, stop_reason: 'end_turn', usage, ...more },
    events: [
      { type: 'message_start', message: { type: 'message', model, stop_reason: null, usage: { ...before, output_tokens: 1 }, ...more } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { ...usage, output_tokens: output } }, { type: 'message_stop' },
    ],
  };
}

/** An answer that names no model, at another path; `event`: the type of the event that ends its stream. */
export function unnamed(
  requestedModel: string, usage: Usage, { event = null, more = {} }: { readonly event?: string | null; readonly more?: object } = {},
): Answer {
  return {
    wire: 'openai', endpoint: 'other', requestedModel, body: { ...more, usage },
    events: event === null ? null : [{ type: `${event}.partial` }, { type: event, ...more, usage }],
  };
}
