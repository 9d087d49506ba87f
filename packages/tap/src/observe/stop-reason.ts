/**
 * The words by which providers and SDKs say why an answer ended → the six words of the tap event.
 */
import { fittingName } from './look.ts';
import type { StopReason } from '../seen-call.ts';

const reasons: Readonly<Record<Exclude<StopReason, 'other'>, RegExp>> = {
  stop: /^(stop|end_turn|stop_sequence|completed)$/,
  length: /^(length|max(_output)?_tokens|model_(length|context_window_exceeded))$/,
  tool_calls: /^(tool_(calls|use)|function_call)$/,
  content_filter: /^(content_filter|refusal|(image_)?(safety|recitation|prohibited_content)|blocklist|spii)$/,
  error: /^(error|failed)$/,
};

/** The event's word; upper case and hyphens (`MAX_TOKENS`, `tool-calls`) are read alike, an unknown word is `other`. */
export function stopReasonOf(word: string): StopReason {
  const alike = word.toLowerCase().replace(/-/g, '_');
  return fittingName(reasons, (words) => words.test(alike));
}
