/** One call as the platform returns it, and words for the values of its fields. */
import type { Shown } from '../api/client.ts';

/** The record's own fields, whatever the generated client knows of them. */
export type CallRecord = Shown<'CallRecord'> & {
  readonly key: string;
  readonly project: string | null;
  readonly labels: readonly string[];
  readonly labelsDropped: number;
  readonly run: string | null;
  readonly wire: string;
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly streamed: boolean;
  readonly status: number | null;
  readonly outcome: string;
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly usage: string;
  readonly usageReason: string | null;
  readonly cost: string | null;
  readonly costSource: string;
  readonly costGaps?: readonly string[] | null;
  readonly serviceTier?: string | null;
  readonly priceList: string | null;
  readonly providerRequestId: string | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly startedAt: string;
  readonly firstByteMs: number | null;
  readonly durationMs: number | null;
  readonly node: string;
};

export const outcomes = [
  { value: 'completed', label: 'Completed' },
  { value: 'cut', label: 'Cut' },
  { value: 'caller_gone', label: 'Caller gone' },
  { value: 'failed', label: 'Failed' },
  { value: 'interrupted', label: 'Interrupted' },
] as const;

export const usages = [
  { value: 'reported', label: 'Reported' },
  { value: 'partial', label: 'In part' },
  { value: 'unknown', label: 'Unknown' },
  { value: 'none', label: 'None due' },
] as const;

export function outcomeName(outcome: string): string {
  return outcomes.find(({ value }) => value === outcome)?.label ?? outcome;
}

/** Whether it went as it should: an answer of the provider that is not an error, whole. */
export function verdictOf({ outcome, status }: CallRecord): 'good' | 'warn' | 'bad' {
  if (outcome === 'completed') return status !== null && status < 400 ? 'good' : status !== null && status < 500 ? 'warn' : 'bad';
  return outcome === 'caller_gone' ? 'warn' : 'bad';
}

/** `usage_missing` → `usage missing`. */
export function spoken(code: string): string {
  return code.replaceAll('_', ' ');
}
