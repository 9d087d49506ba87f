/**
 * Usage with other figures beside the recorded cost: corrections from providers' bills, and the cost by other prices. Each has its own name;
 * the recorded figures are those of `usage`. Usage by person is usage by key, added up by whose each key is (decision 240).
 */
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import type { UseCaseContext } from './context.ts';
import type { ShownAdjustment } from './corrections/corrections.ts';
import { inShares, type ReadUsagePart } from './export/usage-shares.ts';
import { adjustedPart } from './months/adjusted-usage.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import type { PricesToTry } from './repricing/prices-to-try.ts';
import { repriced, type ShownRepricing } from './repricing/repriced-usage.ts';
import { listServiceKeys } from './service-keys.ts';
import {
  showPart, shownRows, tooManyRows, usageRows, wholeAnswer, type AskedDimension, type ShownUsage, type UsageRequest,
} from './usage.ts';

export type ComparedUsage = ShownUsage & Partial<ShownAdjustment> & Partial<ShownRepricing>;

export interface ComparedWith {
  readonly adjusted?: boolean;
  readonly prices?: PricesToTry;
}

/** `by`: the store's dimensions, and `person`. */
export interface ComparedRequest extends Omit<UsageRequest, 'by'> {
  readonly by: readonly AskedDimension[];
}

/** Usage and, if asked for, the corrections by bills and the cost at other prices. Refuses what each of the three refuses. */
export async function showComparedUsage(
  context: UseCaseContext, query: ComparedRequest, beside: ComparedWith,
): Promise<ComparedUsage[] | AdministrationRefusal> {
  const read = await comparedParts(context, query, beside);
  return isRefusal(read) ? read : await read(wholeAnswer) ?? tooManyRows(query.by);
}

/** The same of any length, a share of the rows at a time. */
export async function streamComparedUsage(context: UseCaseContext, query: ComparedRequest, beside: ComparedWith, atOnce?: number) {
  const read = await comparedParts(context, query, beside);
  return isRefusal(read) ? read : inShares(context, read, atOnce);
}

/** Every row of usage alone, as the store has it, in its order; the subjects are those of the question's dimensions. Null: there are too many. */
export async function askedRows(context: UseCaseContext, query: ComparedRequest): Promise<UsageRow[] | AdministrationRefusal | null> {
  if (query.by.includes('person')) return (await rowsOfPeople(context, query))(wholeAnswer);
  return usageRows(context, query as UsageRequest, wholeAnswer);
}

async function comparedParts(
  context: UseCaseContext, query: ComparedRequest, { adjusted, prices }: ComparedWith,
): Promise<ReadUsagePart<ComparedUsage> | AdministrationRefusal> {
  if (query.by.includes('person')) {
    if (adjusted !== true && prices === undefined) return partsOfPeople(context, query);
    return refuseInput('invalid_input', 'Usage by person cannot be combined with corrections or other prices.');
  }
  // No person is asked for.
  const recorded = query as UsageRequest;
  return async (part) => {
    const rows: ComparedUsage[] | AdministrationRefusal | null = adjusted === true
      ? await adjustedPart(context, recorded, part) : await showPart(context, recorded, part);
    return isRefusal(rows) || rows === null || prices === undefined ? rows : repriced(context, recorded, { rows, prices });
  };
}

async function partsOfPeople(context: UseCaseContext, query: ComparedRequest): Promise<ReadUsagePart<ShownUsage>> {
  const read = await rowsOfPeople(context, query);
  return async (part) => {
    const rows = await read(part);
    return rows === null || isRefusal(rows) ? rows : shownRows(query.by, rows);
  };
}

/** Keys of one person are one row already where they are added up: there may be more keys than rows. */
async function rowsOfPeople(context: UseCaseContext, { by, ...query }: ComparedRequest): Promise<ReadUsagePart<UsageRow>> {
  const keys = await listServiceKeys(context, query.organization);
  // An erased organization has figures, and nobody's keys.
  const persons = new Map(isRefusal(keys) ? [] : keys.map(({ id, person }) => [id as string, person ?? '']));
  const isByKey = by.includes('key');
  const asked: UsageRequest = {
    ...query, by: isByKey ? ['key'] : by.map((each) => (each === 'person' ? 'key' : each)), ...(isByKey ? {} : { keyAs: persons }),
  };
  return async (part) => {
    const rows = await usageRows(context, asked, part);
    if (!isByKey || isRefusal(rows) || rows === null) return rows;
    return rows.map(({ subjects: [key], figures }) =>
      ({ subjects: by.map((each) => (each === 'key' ? key! : persons.get(key!) ?? '')), figures }));
  };
}
