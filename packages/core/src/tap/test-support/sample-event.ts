/**
 * Tap events for tests: one that is right in every field, as it is sent and as it is understood.
 */
import type { TapEvent } from '../event.ts';

/** Any moment; tests that pass a clock begin here. 2026-03-04T12:00:00Z. */
export const sampleNowMs = Date.UTC(2026, 2, 4, 12);

/** An event as JSON has it, with some fields replaced. */
export function sentEvent(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    schema: 'svc-tap-v1', provider: 'openai', model: 'gpt-4o', request_id: 'chatcmpl-1', input_tokens: 1_000, output_tokens: 200,
    cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: 840, rate_limit: null,
    timestamp: new Date(sampleNowMs).toISOString(), tag: 'search', ...changes,
  };
}

/** The same event as the server understands it. */
export function understoodEvent(changes: Partial<TapEvent> = {}): TapEvent {
  return {
    provider: 'openai', model: 'gpt-4o', requestId: 'chatcmpl-1', inputTokens: 1_000, outputTokens: 200, cachedTokens: 0,
    stopReason: 'stop', toolCalls: 0, status: 200, retries: 0, latencyMs: 840, rateLimit: null, timestampMs: sampleNowMs, tag: 'search',
    ...changes,
  };
}

/** A batch as it is posted. */
export function batchBody(events: readonly unknown[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ events }));
}
