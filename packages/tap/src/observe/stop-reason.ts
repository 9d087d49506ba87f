/**
 * The words in which providers and SDKs say why an answer ended, in the six words of the tap event.
 */
import type { StopReason } from '../seen-call.ts';

const words: Readonly<Record<string, string>> = {
  stop: 'end_turn stop_sequence completed',
  length: 'max_tokens max_output_tokens model_length model_context_window_exceeded',
  tool_calls: 'function_call tool_use',
  content_filter: 'refusal safety recitation blocklist prohibited_content spii image_safety image_prohibited_content image_recitation',
  error: 'failed',
};

const reasons = new Map(
  Object.entries(words).flatMap(([reason, others]) => [reason, ...others.split(' ')].map((word) => [word, reason as StopReason])),
);

/** The event's word; upper case and hyphens (`MAX_TOKENS`, `tool-calls`) are read alike, an unknown word is `other`. */
export function stopReasonOf(word: string): StopReason {
  return reasons.get(word.toLowerCase().replace(/-/g, '_')) ?? 'other';
}
