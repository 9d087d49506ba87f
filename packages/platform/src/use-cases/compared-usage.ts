/**
 * Usage with other figures beside the recorded cost: corrections from providers' bills, and the cost by other prices. Each has its own name;
 * the recorded figures are those of `usage`. Usage by person is usage by key, added up by whose each key is (decision 240).
 */
import type { UseCaseContext } from './context.ts';
import type { ShownAdjustment } from './corrections/corrections.ts';
import { adjustedUsage } from './months/adjusted-usage.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import type { PricesToTry } from './repricing/prices-to-try.ts';
import { repriced, type ShownRepricing } from './repricing/repriced-usage.ts';
import { listServiceKeys } from './service-keys.ts';
import { rankedUsage } from './top-usage.ts';
import { addedUp, showUsage, type AskedDimension, type ShownUsage, type UsageRequest } from './usage.ts';

export type ComparedUsage = ShownUsage & Partial<ShownAdjustment> & Partial<ShownRepricing>;

export interface Beside {
  readonly adjusted?: boolean;
  readonly prices?: PricesToTry;
}

/** `by`: the store's dimensions, and `person`. */
export interface ComparedRequest extends Omit<UsageRequest, 'by'> {
  readonly by: readonly AskedDimension[];
}

/** Usage and, if asked for, the corrections by bills and the cost at other prices. Refuses what each of the three refuses. */
export async function showComparedUsage(
  context: UseCaseContext, query: ComparedRequest, beside: Beside,
): Promise<ComparedUsage[] | AdministrationRefusal> {
  if (query.by.includes('person')) return usageOfPeople(context, query, beside);
  // No person is asked for.
  const recorded = query as UsageRequest;
  let rows: ComparedUsage[] | AdministrationRefusal = beside.adjusted === true
    ? await adjustedUsage(context, recorded) : await showUsage(context, recorded);
  if (!isRefusal(rows) && beside.prices !== undefined) rows = await repriced(context, recorded, { rows, prices: beside.prices });
  return rows;
}

async function usageOfPeople(context: UseCaseContext, query: ComparedRequest, beside: Beside): Promise<ShownUsage[] | AdministrationRefusal> {
  if (beside.adjusted === true || beside.prices !== undefined) {
    return refuseInput('invalid_input', 'Usage by person has no corrections and no other prices beside it.');
  }
  const ofKeys = [...new Set(query.by.map((each) => (each === 'person' ? 'key' : each)))];
  const rows = await showUsage(context, { ...query, by: ofKeys });
  if (isRefusal(rows)) return rows;
  const keys = await listServiceKeys(context, query.organization);
  // An erased organization has figures, and nobody's keys.
  const persons = new Map(isRefusal(keys) ? [] : keys.map(({ id, person }) => [id, person]));
  const named = rows.map((row) => ({ ...row, person: persons.get(row.key ?? '') ?? null }));
  const together = Map.groupBy(named, (row) => JSON.stringify(query.by.map((dimension) => row[dimension])));
  return rankedUsage([...together.values()].map((same) => (
    { ...Object.fromEntries(query.by.map((dimension) => [dimension, same[0]![dimension] ?? null])), ...addedUp(same) })), 'cost');
}
