/**
 * The figures of one answer: served model, id, tokens, stop reason, number of tool calls. It takes the whole answer, or the parts of a
 * stream in order, of every wire and in the forms that SDKs give them; the field names tell them apart.
 * Rule 27: the wire's own numbers. Figures whose field is missing keep their value; text of the answer is never kept.
 */
import { firstFigure, listAt, own, firstText } from './look.ts';
import { stopReasonOf } from './stop-reason.ts';
import type { SeenFigures } from '../seen-call.ts';

/** Tool calls beyond what an event can hold are not counted. */
const toolCallsMax = 10_000;

/** Where tokens are: first wire, second wire and Responses, Realtime, Mistral's SDK, Google, AI SDK. */
const usagePaths = {
  input_tokens: 'prompt_tokens input_tokens promptTokens promptTokenCount inputTokens inputTokens.total tokens',
  output_tokens: 'completion_tokens output_tokens completionTokens candidatesTokenCount outputTokens outputTokens.total',
  cached_tokens: 'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens input_token_details.cached_tokens '
    + 'cache_read_input_tokens cachedContentTokenCount inputTokens.cacheRead cachedInputTokens',
} as const;

/** Where the stop reason is: second wire, Google, AI SDK, Responses, Realtime. */
const stopPaths = 'stop_reason delta.stop_reason candidates.0.finishReason finishReason.unified finishReason incomplete_details.reason '
  + 'status_details.reason status';

const toolTypes = /^(function_call|custom_tool_call|tool_use|tool-call)$/;

/** Reads the parts of one answer into its figures. Some wires repeat a tool call in later parts, so it keeps their ids. Accepts any value. */
export function readingInto(figures: SeenFigures): (part: unknown) => void {
  const tools = new Set<unknown>();
  return (part) => {
    const answer = answerIn(part);
    const model = firstText(answer, 'model modelVersion modelId response.modelId');
    if (model) {
      figures.model = model;
      figures.request_id = firstText(answer, 'id responseId response.id') ?? figures.request_id; // without a model it is the id of a part
    }
    const usage = own(answer, 'usage usageMetadata x_groq.usage choices.0.usage'); // also Groq's streams, Moonshot's
    if (usage) readUsage(usage, figures);
    readTools(part, answer, tools);
    figures.tool_calls = tools.size;
    readStop(answer, own(part, 'type'), figures);
  };
}

/** The answer that a part carries: the part itself, or what a stream's event wraps (second wire, Responses, Mistral's SDK). */
function answerIn(part: unknown): unknown {
  return own(part, 'message response data', (inner) => own(inner, 'model usage')) ?? part;
}

function readUsage(usage: unknown, figures: SeenFigures): void {
  const raw = own(usage, 'raw') ?? usage; // the AI SDK passes on the wire's own usage beside its sums
  const thoughts = firstFigure(raw, 'thoughtsTokenCount'); // Google counts these separately from its candidates
  for (const name of Object.keys(usagePaths) as (keyof typeof usagePaths)[]) figures[name] = firstFigure(raw, usagePaths[name]) ?? figures[name];
  if (thoughts) figures.output_tokens = thoughts + (firstFigure(raw, 'candidatesTokenCount') ?? 0);
}

/** Each tool call, by its id or else its index; one with neither counts each time. A stream names a tool only in its first part. */
function readTools(part: unknown, answer: unknown, tools: Set<unknown>): void {
  const add = (call: unknown, place: unknown = {}): void => {
    if (tools.size < toolCallsMax) tools.add(firstText(call, 'call_id toolCallId id') ?? place);
  };
  listAt(answer, 'choices').forEach((choice, position) => {
    const message = own(choice, 'message delta');
    [...listAt(message, 'tool_calls toolCalls'), own(message, 'function_call')].forEach((call, index) => {
      if (firstText(call, 'function.name custom.name name')) add(call, `${own(choice, 'index') ?? position}/${own(call, 'index') ?? index}`);
    });
  });
  for (const block of [...listAt(answer, 'output content'), own(part, 'item content_block'), part]) {
    if (toolTypes.test(own(block, 'type') as string) && !own(block, 'providerExecuted')) add(block);
  }
  for (const piece of listAt(answer, 'candidates').flatMap((candidate) => listAt(candidate, 'content.parts'))) {
    if (firstText(piece, 'functionCall.name')) add(own(piece, 'functionCall'));
  }
}

function readStop(answer: unknown, type: unknown, figures: SeenFigures): void {
  const choices = listAt(answer, 'choices');
  const word = firstText(choices.find((choice) => !own(choice, 'index')), 'finish_reason finishReason')
    ?? firstText(answer, stopPaths)
    ?? (own(answer, 'promptFeedback.blockReason') ? 'refusal' : type === 'error' && type);
  if (word) figures.stop_reason = stopReasonOf(word);
  // The first wire says `tool_calls` itself; some others say `stop` even if a tool was called.
  if (figures.stop_reason === 'stop' && figures.tool_calls > 0 && !choices.length) figures.stop_reason = 'tool_calls';
}
