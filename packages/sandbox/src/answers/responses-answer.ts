/** `POST /v1/responses`, whole and streamed: a text or a function call. */
import { pieces } from './chat-answers.ts';
import { createdAtSeconds, outputTokens, tokensOf, wordsOf, type Asked, type SandboxAnswer } from '../sandbox-answer.ts';

type Step = readonly [name: string, data: Record<string, unknown>];

export function response(asked: Asked): SandboxAnswer {
  const { request, text, toolCall } = asked;
  const input = tokensOf(request.bodyBytes);
  const output = outputTokens(asked);
  const usage = {
    input_tokens: input, input_tokens_details: { cached_tokens: Math.min(asked.cache.read, input) },
    output_tokens: output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + output,
  };
  const base = {
    id: `resp_sandbox_${request.serial}`, object: 'response', created_at: createdAtSeconds, error: null, incomplete_details: null,
    model: request.model, tools: [], tool_choice: 'auto', parallel_tool_calls: true,
  };
  const { item, steps: said } = toolCall === null ? textItem(request.serial, text) : callItem(request.serial, toolCall);
  const whole = { ...base, status: 'completed', output: [item], usage };
  if (!request.streamed) return { kind: 'json', document: whole };
  const steps: Step[] = [
    ['response.created', { response: { ...base, status: 'in_progress', output: [], usage: null } }],
    ...said,
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: whole }],
  ];
  const events = steps.map(([name, data], at) => ({ name, data: { type: name, sequence_number: at, ...data } }));
  return { kind: 'events', events, done: false };
}

function textItem(serial: number, text: string): { item: unknown; steps: Step[] } {
  const id = `msg_sandbox_${serial}`;
  const part = { type: 'output_text', annotations: [], text };
  const item = { type: 'message', id, status: 'completed', role: 'assistant', content: [part] };
  const place = { item_id: id, output_index: 0, content_index: 0 };
  return {
    item,
    steps: [
      ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }],
      ['response.content_part.added', { ...place, part: { ...part, text: '' } }],
      ...wordsOf(text).map((delta): Step => ['response.output_text.delta', { ...place, delta, logprobs: [] }]),
      ['response.output_text.done', { ...place, text, logprobs: [] }],
      ['response.content_part.done', { ...place, part }],
    ],
  };
}

function callItem(serial: number, call: NonNullable<Asked['toolCall']>): { item: unknown; steps: Step[] } {
  const id = `fc_sandbox_${serial}`;
  const item = { type: 'function_call', id, call_id: `call_sandbox_${serial}`, status: 'completed', ...call };
  const place = { item_id: id, output_index: 0 };
  return {
    item,
    steps: [
      ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', arguments: '' } }],
      ...pieces(call.arguments).map((delta): Step => ['response.function_call_arguments.delta', { ...place, delta }]),
      ['response.function_call_arguments.done', { ...place, name: call.name, arguments: call.arguments }],
    ],
  };
}
