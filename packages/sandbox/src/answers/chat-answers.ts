/** `POST /v1/chat/completions` and `POST /v1/completions`, whole and streamed. */
import { createdAtSeconds, outputTokens, tokensOf, wordsOf, type Asked, type SandboxAnswer, type SandboxEvent } from '../sandbox-answer.ts';

function usageOf(asked: Asked): Record<string, unknown> {
  const input = tokensOf(asked.request.bodyBytes);
  const output = outputTokens(asked);
  return {
    prompt_tokens: input, completion_tokens: output, total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: Math.min(asked.cache.read, input) }, completion_tokens_details: { reasoning_tokens: 0 },
  };
}

export function chatCompletion(asked: Asked): SandboxAnswer {
  const { request, text, toolCall } = asked;
  const base = { id: `chatcmpl-sandbox-${request.serial}`, created: createdAtSeconds, model: request.model };
  const call = toolCall === null ? null : { id: `call_sandbox_${request.serial}`, type: 'function', function: toolCall };
  const finish = call === null ? 'stop' : 'tool_calls';
  if (!request.streamed) {
    const message = call === null ? { role: 'assistant', content: text, refusal: null }
      : { role: 'assistant', content: null, refusal: null, tool_calls: [call] };
    const choice = { index: 0, message, logprobs: null, finish_reason: finish };
    return { kind: 'json', document: { ...base, object: 'chat.completion', choices: [choice], usage: usageOf(asked) } };
  }
  const usage = request.includeUsage ? { usage: null } : {};
  const chunk = (delta: unknown, reason: string | null): SandboxEvent => ({
    name: null,
    data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }], ...usage },
  });
  const said = toolCall === null ? wordsOf(text).map((word) => chunk({ content: word }, null)) : [
    chunk({ tool_calls: [{ index: 0, ...call, function: { name: toolCall.name, arguments: '' } }] }, null),
    ...pieces(toolCall.arguments).map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }, null)),
  ];
  const events = [chunk({ role: 'assistant', content: call === null ? '' : null }, null), ...said, chunk({}, finish)];
  const last: SandboxEvent = { name: null, data: { ...base, object: 'chat.completion.chunk', choices: [], usage: usageOf(asked) } };
  return { kind: 'events', events: request.includeUsage ? [...events, last] : events, done: true };
}

/** A tool call's arguments, in the pieces of a stream. */
export function pieces(json: string): string[] {
  return json.match(/[^]{1,12}/g) ?? [''];
}

export function completion(asked: Asked): SandboxAnswer {
  const { request, text } = asked;
  const base = { id: `cmpl-sandbox-${request.serial}`, object: 'text_completion', created: createdAtSeconds, model: request.model };
  const choice = (part: string, finish: string | null): unknown => ({ text: part, index: 0, logprobs: null, finish_reason: finish });
  if (!request.streamed) return { kind: 'json', document: { ...base, choices: [choice(text, 'stop')], usage: usageOf(asked) } };
  const events: SandboxEvent[] = [...wordsOf(text).map((word) => choice(word, null)), choice('', 'stop')]
    .map((each) => ({ name: null, data: { ...base, choices: [each] } }));
  if (request.includeUsage) events.push({ name: null, data: { ...base, choices: [], usage: usageOf(asked) } });
  return { kind: 'events', events, done: true };
}
