/** Filters a list of calls by how they ended, or to those whose cost is incomplete. Rules: `calls list`. */

/** A range of statuses, its end excluded; `error`: what the overview counts as provider errors, and 429. */
export type StatusFilter = { readonly from: number; readonly below: number } | 'error';

export const statusForm = 'one such as 429, a class such as 4xx, or error: not reached, cut, 5xx or 429';

/** `429`, `4xx`, `error`; anything else is null. */
export function parseStatus(text: string): StatusFilter | null {
  if (text === 'error') return 'error';
  if (/^[1-5]xx$/.test(text)) return { from: Number(text[0]) * 100, below: Number(text[0]) * 100 + 100 };
  return /^[1-5]\d\d$/.test(text) ? { from: Number(text), below: Number(text) + 1 } : null;
}

/** What a cost may lack: `unknown`: all or part of the usage; `unpriced`: the model's price; `gaps`: the price of something; or any of these. */
export const costLacks = ['unknown', 'unpriced', 'gaps', 'any'] as const;
export type CostLack = (typeof costLacks)[number];
