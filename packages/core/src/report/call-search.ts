/** Filters a list of calls by how they ended, or to those whose cost is incomplete. Rules: `calls list`. */
import { isProviderError } from './hour-sum.ts';
import { lackingCountNames, lackingCounts, type LackingRecord } from '../spend/lacking-calls.ts';
import type { CallRecord } from '../record/call-record.ts';

/** A range of statuses, its end excluded; `error`: what the overview counts as provider errors, and 429. */
export type StatusFilter = { readonly from: number; readonly below: number } | 'error';

export const statusForm = 'one such as 429, a class such as 4xx, or error: not reached, cut, 5xx or 429';

/** `429`, `4xx`, `error`; anything else is null. */
export function parseStatus(text: string): StatusFilter | null {
  if (text === 'error') return 'error';
  if (/^[1-5]xx$/.test(text)) return { from: Number(text[0]) * 100, below: Number(text[0]) * 100 + 100 };
  return /^[1-5]\d\d$/.test(text) ? { from: Number(text), below: Number(text) + 1 } : null;
}

export function hasStatus(record: Pick<CallRecord, 'outcome' | 'status'>, asked: StatusFilter): boolean {
  if (asked === 'error') return isProviderError(record) || record.status === 429;
  return record.status !== null && record.status >= asked.from && record.status < asked.below;
}

/** What a cost may lack: `unknown`: all or part of the usage; `unpriced`: the model's price; `gaps`: the price of something; or any of them. */
export const costLacks = ['unknown', 'unpriced', 'gaps', 'any'] as const;
export type CostLack = (typeof costLacks)[number];

export function lacksCost(record: LackingRecord, lack: CostLack): boolean {
  switch (lack) {
    case 'unknown': return lackingCounts.unknownCalls(record);
    case 'unpriced': return lackingCounts.unpricedCalls(record);
    case 'gaps': return lackingCounts.gapCalls(record);
    case 'any': return lackingCountNames.some((name) => lackingCounts[name](record));
  }
}
