/**
 * What a bill charges for that is no model. Some of it is counted here too: the calls of a provider's own tools. The rest, such as storage, never
 * passes a gateway and cannot be compared.
 */
import type { ToolCalls } from '../../usage/reading.ts';

export const billItems = [
  'web_search', 'web_fetch', 'file_search', 'code_execution', 'moderation', 'storage', 'sessions', 'training', 'reserved', 'other',
] as const;
export type BillItem = (typeof billItems)[number];

/** The items of which this side has a count. */
export const toolOfItem: { readonly [Item in BillItem]?: keyof ToolCalls } = {
  web_search: 'webSearch', web_fetch: 'webFetch', file_search: 'fileSearch', code_execution: 'codeInterpreter',
};
const countedItems: ReadonlySet<BillItem> = new Set<BillItem>([...Object.keys(toolOfItem) as BillItem[], 'moderation']);

export function isCounted(item: BillItem): boolean {
  return countedItems.has(item);
}

/** If several fit, the first counts: storage of files to search is not a search. */
const words: readonly (readonly [RegExp, BillItem])[] = [
  [/storage|vector[ _-]?store/i, 'storage'],
  [/web[ _-]?search|search[ _-]tool|grounding/i, 'web_search'],
  [/web[ _-]?fetch/i, 'web_fetch'],
  [/file[ _-]?search/i, 'file_search'],
  [/code[ _-]?(?:interpreter|execution)|\bcontainers?\b/i, 'code_execution'],
  [/\bmoderations?\b/i, 'moderation'],
  [/fine[ _-]?tun|\btraining\b/i, 'training'],
  [/provisioned|\bptu\b|commitment|reserv/i, 'reserved'],
  [/\bsessions?\b|session_usage/i, 'sessions'],
  // What an invoice adds or takes back.
  [/\b(?:tax(?:es)?|vat|gst|credits?|refunds?|discounts?|promotions?|adjustments?|rounding)\b/i, 'other'],
];

/** The item that a name means; null: it means none that is known. */
export function itemOf(name: string): BillItem | null {
  return words.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
