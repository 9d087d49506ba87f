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
/** Parts of these types carry the id of the answer; in others, `id` is the id of the part. */
const typesWithId: readonly unknown[] = [undefined, 'message', 'completion', 'response-metadata'];

// First wire, second wire and Responses, Mistral's SDK, Google, AI SDK.
const inputPaths = pathsOf('prompt_tokens input_tokens promptTokens promptTokenCount inputTokens inputTokens.total tokens');
const outputPaths = pathsOf('completion_tokens output_tokens completionTokens outputTokens outputTokens.total');
const candidatesPaths = pathsOf('candidatesTokenCount');
const thoughtsPaths = pathsOf('thoughtsTokenCount');
const cachedPaths = pathsOf('prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cache_read_input_tokens '
  + 'cachedContentTokenCount promptTokensDetails.cachedTokens prompt_cache_hit_tokens inputTokens.cacheRead cachedInputTokens');

const choiceStopPaths = pathsOf('finish_reason finishReason');
const answerStopPaths = pathsOf('stop_reason candidates.0.finishReason');
const partStopPaths = pathsOf('delta.stop_reason finishReason.unified finishReason');
const statusPaths = pathsOf('incomplete_details.reason status');

const toolTypes: readonly unknown[] = ['function_call', 'custom_tool_call', 'tool_use', 'tool-call'];
const toolIdPaths = pathsOf('call_id toolCallId id');
const toolNamePaths = pathsOf('function.name custom.name name');

/** The figures that a reading fills in. */
export type Figures = { -readonly [Name in keyof SeenCall]: SeenCall[Name] };

/** Reads the parts of one answer into its figures; tools are told again and again by some, so it keeps their ids. Any part is fine. */
export function readingInto(figures: Figures): (part: unknown) => void {
  const tools = new Set<unknown>();
  let named = false;
  return (part) => {
    const type = own(part, 'type');
    const answer = answerIn(part, type);
    figures.model = textIn(answer, modelPaths) ?? figures.model;
    const id = named || (answer === part && !typesWithId.includes(type)) ? undefined : textIn(answer, idPaths);
    if (id) {
      named = true;
      figures.requestId = id;
    }
    readUsage(own(answer, 'usage') ?? own(answer, 'usageMetadata'), figures);
    readTools(part, answer, (tool) => tools.size < toolCallsMax && tools.add(tool));
    figures.toolCalls = tools.size;
    readStop(part, answer, figures);
  };
}

/** The answer that a part carries: itself, or what events of a stream wrap. */
function answerIn(part: unknown, type: unknown): unknown {
  if (type === 'message_start') return own(part, 'message');
  if (String(type).startsWith('response.')) return own(part, 'response') ?? part;
  return own(part, 'data', 'choices') ? own(part, 'data') : part; // Mistral's SDK
}

function readUsage(usage: unknown, figures: Figures): void {
  const raw = own(usage, 'raw') ?? usage; // the AI SDK hands on the wire's own usage, beside its sums
  const candidates = figureIn(raw, candidatesPaths);
  const thoughts = figureIn(raw, thoughtsPaths);
  const google = (candidates ?? thoughts) === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0);
  figures.inputTokens = figureIn(raw, inputPaths) ?? figures.inputTokens;
  figures.outputTokens = figureIn(raw, outputPaths) ?? google ?? figures.outputTokens;
  figures.cachedTokens = figureIn(raw, cachedPaths) ?? figures.cachedTokens;
}

/** Each call of a tool, by its id or else its place; one with neither counts each time. A stream names a tool in its first part alone. */
function readTools(part: unknown, answer: unknown, called: (tool: unknown) => void): void {
  for (const [position, choice] of listAt(answer, 'choices').entries()) {
    const message = own(choice, 'message') ?? own(choice, 'delta');
    const calls = [...listAt(message, 'tool_calls'), ...listAt(message, 'toolCalls'), own(message, 'function_call')];
    for (const [index, call] of calls.entries()) {
      const place = `${String(own(choice, 'index') ?? position)}/${String(own(call, 'index') ?? index)}`;
      if (textIn(call, toolNamePaths)) called(textIn(call, toolIdPaths) ?? place);
    }
  }
  const blocks = [...listAt(answer, 'output'), ...listAt(answer, 'content'), own(part, 'item'), own(part, 'content_block'), part];
  for (const block of blocks) {
    if (toolTypes.includes(own(block, 'type')) && !own(block, 'providerExecuted')) called(textIn(block, toolIdPaths) ?? {});
  }
  for (const piece of listAt(answer, 'candidates').flatMap((candidate) => listAt(candidate, 'content', 'parts'))) {
    const call = own(piece, 'functionCall');
    if (textIn(call, toolNamePaths)) called(textIn(call, toolIdPaths) ?? {});
  }
}

function readStop(part: unknown, answer: unknown, figures: Figures): void {
  const choices = listAt(answer, 'choices');
  const word = textIn(choices.find((choice) => !own(choice, 'index')), choiceStopPaths)
    ?? textIn(answer, answerStopPaths)
    ?? textIn(part, partStopPaths)
    ?? (own(answer, 'object') === 'response' ? textIn(answer, statusPaths) : undefined);
  if (word) figures.stopReason = stopReasonOf(word);
  else if (own(part, 'type') === 'error') figures.stopReason = 'error';
  else if (own(answer, 'promptFeedback', 'blockReason')) figures.stopReason = 'content_filter';
  // The first wire says `tool_calls` itself; of the others, some say that they stopped.
  if (figures.stopReason === 'stop' && figures.toolCalls > 0 && choices.length === 0) figures.stopReason = 'tool_calls';
}
