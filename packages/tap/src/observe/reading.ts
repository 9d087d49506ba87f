/**
 * What one answer says of itself: served model, id, tokens, why it ended, how many tools it called. Fed with the whole answer, or with
 * the parts of a stream in their order, of every wire and of the forms SDKs give them; each is known by its own field names.
 * Design 3, row 27: the wire's own numbers. What is not there stays as it is; text of the answer is never kept.
 */
import { figureIn, listAt, own, pathsOf, textIn } from './look.ts';
import { stopReasonOf } from './stop-reason.ts';
import type { SeenCall } from '../seen-call.ts';

/** More calls of tools than an event can tell are not counted. */
const toolCallsMax = 10_000;

const modelPaths = pathsOf('model modelVersion modelId response.modelId');
const idPaths = pathsOf('id responseId response.id');

// First wire, second wire and Responses, Mistral's SDK, Google, AI SDK.
const inputPaths = pathsOf('prompt_tokens input_tokens promptTokens promptTokenCount inputTokens inputTokens.total tokens');
const outputPaths = pathsOf('completion_tokens output_tokens completionTokens outputTokens outputTokens.total');
const candidatesPaths = pathsOf('candidatesTokenCount');
const thoughtsPaths = pathsOf('thoughtsTokenCount');
const cachedPaths = pathsOf('prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cache_read_input_tokens '
  + 'cachedContentTokenCount inputTokens.cacheRead cachedInputTokens');

const choiceStopPaths = pathsOf('finish_reason finishReason');
const stopPaths = pathsOf('stop_reason candidates.0.finishReason delta.stop_reason finishReason.unified finishReason');
const statusPaths = pathsOf('incomplete_details.reason status');

const toolTypes = /^(function_call|custom_tool_call|tool_use|tool-call)$/;
const toolIdPaths = pathsOf('call_id toolCallId id');
const toolNamePaths = pathsOf('function.name custom.name name');

/** The figures that a reading fills in. */
export type Figures = { -readonly [Name in keyof SeenCall]: SeenCall[Name] };

/** Reads the parts of one answer into its figures; tools are told again and again by some, so it keeps their ids. Any part is fine. */
export function readingInto(figures: Figures): (part: unknown) => void {
  const tools = new Set<unknown>();
  return (part) => {
    const type = String(own(part, 'type'));
    const answer = answerIn(part, type);
    const model = textIn(answer, modelPaths);
    if (model) {
      figures.model = model;
      figures.requestId = textIn(answer, idPaths) ?? figures.requestId; // without a model it is the id of a part
    }
    const usage = own(answer, 'usage') ?? own(answer, 'usageMetadata');
    if (usage) readUsage(usage, figures);
    for (const tool of toolsIn(part, answer)) if (tools.size < toolCallsMax) tools.add(tool);
    figures.toolCalls = tools.size;
    readStop(answer, type, figures);
  };
}

/** The answer that a part carries: itself, or what events of a stream wrap. */
function answerIn(part: unknown, type: string): unknown {
  return (type === 'message_start' && own(part, 'message'))
    || (type.startsWith('response.') && own(part, 'response'))
    || (own(part, 'data', 'choices') ? own(part, 'data') : part); // Mistral's SDK
}

function readUsage(usage: unknown, figures: Figures): void {
  const raw = own(usage, 'raw') ?? usage; // the AI SDK hands on the wire's own usage, beside its sums
  const google = (figureIn(raw, candidatesPaths) ?? 0) + (figureIn(raw, thoughtsPaths) ?? 0);
  figures.inputTokens = figureIn(raw, inputPaths) ?? figures.inputTokens;
  figures.outputTokens = figureIn(raw, outputPaths) ?? (google || figures.outputTokens);
  figures.cachedTokens = figureIn(raw, cachedPaths) ?? figures.cachedTokens;
}

/** Each call of a tool, by its id or else its place; one with neither counts each time. A stream names a tool in its first part alone. */
function toolsIn(part: unknown, answer: unknown): unknown[] {
  const calls = listAt(answer, 'choices').flatMap((choice, position) => {
    const message = own(choice, 'message') ?? own(choice, 'delta');
    return [...listAt(message, 'tool_calls'), ...listAt(message, 'toolCalls'), own(message, 'function_call')].map((call, index) =>
      textIn(call, toolNamePaths) && (textIn(call, toolIdPaths) ?? `${own(choice, 'index') ?? position}/${own(call, 'index') ?? index}`));
  });
  const blocks = [...listAt(answer, 'output'), ...listAt(answer, 'content'), own(part, 'item'), own(part, 'content_block'), part]
    .filter((block) => toolTypes.test(String(own(block, 'type'))) && !own(block, 'providerExecuted'));
  const pieces = listAt(answer, 'candidates').flatMap((candidate) => listAt(candidate, 'content', 'parts'))
    .map((piece) => own(piece, 'functionCall')).filter((call) => textIn(call, toolNamePaths));
  return [...calls.filter(Boolean), ...[...blocks, ...pieces].map((call) => textIn(call, toolIdPaths) ?? {})];
}

function readStop(answer: unknown, type: string, figures: Figures): void {
  const choices = listAt(answer, 'choices');
  const word = textIn(choices.find((choice) => !own(choice, 'index')), choiceStopPaths)
    ?? textIn(answer, stopPaths)
    ?? (own(answer, 'object') === 'response' ? textIn(answer, statusPaths) : undefined);
  if (word || type === 'error') figures.stopReason = stopReasonOf(word ?? type);
  else if (own(answer, 'promptFeedback', 'blockReason')) figures.stopReason = 'content_filter';
  // The first wire says `tool_calls` itself; of the others, some say that they stopped.
  if (figures.stopReason === 'stop' && figures.toolCalls > 0 && !choices.length) figures.stopReason = 'tool_calls';
}
