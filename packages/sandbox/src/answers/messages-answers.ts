/** `POST /v1/messages`, whole and streamed, and `POST /v1/messages/count_tokens`. */
import { pieces } from './chat-answers.ts';
import { outputTokens, tokensOf, wordsOf, type Asked, type SandboxAnswer } from '../sandbox-answer.ts';

export function message(asked: Asked): SandboxAnswer {
  const { request, text, toolCall, cache } = asked;
  const fresh = Math.max(1, tokensOf(request.bodyBytes) - cache.read - cache.written);
  const usage = { input_tokens: fresh, cache_creation_input_tokens: cache.written, cache_read_input_tokens: cache.read };
  const base = { id: `msg_sandbox_${request.serial}`, type: 'message', role: 'assistant', model: request.model };
  const end = { stop_reason: toolCall === null ? 'end_turn' : 'tool_use', stop_sequence: null };
  const tool = toolCall === null ? null : { type: 'tool_use', id: `toolu_sandbox_${request.serial}`, name: toolCall.name };
  if (!request.streamed) {
    const block = toolCall === null ? { type: 'text', text } : { ...tool, input: JSON.parse(toolCall.arguments) as unknown };
    return { kind: 'json', document: { ...base, content: [block], ...end, usage: { ...usage, output_tokens: outputTokens(asked) } } };
  }
  const start = { ...base, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  const deltas = toolCall === null ? wordsOf(text).map((word) => ({ type: 'text_delta', text: word }))
    : pieces(toolCall.arguments).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  const steps: Record<string, unknown>[] = [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block: tool === null ? { type: 'text', text: '' } : { ...tool, input: {} } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: { output_tokens: outputTokens(asked) } },
    { type: 'message_stop' },
  ];
  return { kind: 'events', events: steps.map((data) => ({ name: String(data['type']), data })), done: false };
}

export function tokenCount({ request }: Asked): SandboxAnswer {
  return { kind: 'json', document: { input_tokens: tokensOf(request.bodyBytes) } };
}
