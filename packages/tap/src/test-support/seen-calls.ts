/**
 * A seen call to vary, and for each of its figures what the published field rules allow and refuse.
 */
import type { SeenCall } from '../seen-call.ts';

export const nowMs = Date.UTC(2026, 10, 21, 10, 20, 30, 456);
export const someUuid = '0b8f7f1e-58a4-4c3b-8b38-0f0a5c1c7d11';

export const seenCall: SeenCall = {
  provider: 'openai', model: 'gpt-5.1', request_id: 'resp_1', input_tokens: 12, output_tokens: 34, cached_tokens: 5, stop_reason: 'stop',
  tool_calls: 2, status: 200, latency_ms: 1_234.6,
  rate_limit: { requests_limit: 100, requests_remaining: 99, tokens_limit: 1_000, tokens_remaining: null },
};

export interface FieldCases {
  readonly field: keyof SeenCall;
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const notWhole = [-1, 0.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1', null, undefined, true, {}, [1]];
const whole = (min: number, max: number): Pick<FieldCases, 'accepted' | 'refused'> => ({
  accepted: [min, min + 1, Math.floor((min + max) / 2), max - 1, max], refused: [min - 1, max + 1, ...notWhole],
});

export const cases: readonly FieldCases[] = [
  { field: 'provider', accepted: ['openai', 'anthropic', 'google', 'xai', 'mistral', 'other'], refused: [] },
  {
    field: 'model', accepted: ['m', 'x'.repeat(128), 'claude-sonnet-4-5', 'publishers/google/models/gemini-2.5:latest', 'A_z.0-9'],
    refused: ['', 'x'.repeat(129), 'my model', 'modèle', 'm\n', 'm\u0000', 'a,b', 'a@b', null, undefined, 1, ['m']],
  },
  { field: 'input_tokens', ...whole(0, 1_000_000_000) },
  { field: 'output_tokens', ...whole(0, 1_000_000_000) },
  { field: 'cached_tokens', ...whole(0, 1_000_000_000) },
  { field: 'stop_reason', accepted: ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'], refused: [] },
  { field: 'tool_calls', ...whole(0, 10_000) },
  { field: 'status', ...whole(100, 599) },
  // Fractional milliseconds are rounded, so only what rounds past a bound is refused.
  {
    field: 'latency_ms', accepted: [0, 0.4, 1_800_000.5, 3_600_000, 3_600_000.4],
    refused: [-1, 3_600_000.5, 3_600_001, Number.NaN, Number.POSITIVE_INFINITY, undefined, 'x'],
  },
];
