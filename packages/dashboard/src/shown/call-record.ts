/** One call as the platform returns it, and words for the values of its fields. */
import type { Shown } from '../api/client.ts';
import { wordsFor } from './choices.ts';

export type ShownCall = Shown<'CallRecord'>;

export const outcomeWords = {
  completed: 'Completed',
  cut: 'Cut',
  caller_gone: 'Caller gone',
  failed: 'Failed',
  interrupted: 'Interrupted',
} satisfies Record<ShownCall['outcome'], string>;

export const usageWords = {
  reported: 'Reported',
  partial: 'In part',
  unknown: 'Unknown',
  none: 'None due',
} satisfies Record<ShownCall['usage'], string>;

export function outcomeName(outcome: string): string {
  return wordsFor(outcomeWords, outcome);
}

/** Whether the call went well: the provider's answer is whole and not an error. */
export function callVerdict({ outcome, status }: ShownCall): 'good' | 'warn' | 'bad' {
  if (outcome === 'completed') return status !== null && status < 400 ? 'good' : status !== null && status < 500 ? 'warn' : 'bad';
  return outcome === 'caller_gone' ? 'warn' : 'bad';
}

/** `usage_missing` → `usage missing`. */
export function spoken(code: string): string {
  return code.replaceAll('_', ' ');
}
