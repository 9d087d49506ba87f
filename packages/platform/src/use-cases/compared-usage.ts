/**
 * Usage with other figures beside the recorded cost: corrections from providers' bills, and the cost by other prices. Each has its own name;
 * the recorded figures are those of `usage`.
 */
import type { UseCaseContext } from './context.ts';
import type { ShownAdjustment } from './corrections/corrections.ts';
import { adjustedUsage } from './months/adjusted-usage.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';
import type { PricesToTry } from './repricing/prices-to-try.ts';
import { repriced, type ShownRepricing } from './repricing/repriced-usage.ts';
import { showUsage, type ShownUsage, type UsageRequest } from './usage.ts';

export type ComparedUsage = ShownUsage & Partial<ShownAdjustment> & Partial<ShownRepricing>;

export interface Beside {
  readonly adjusted?: boolean;
  readonly prices?: PricesToTry;
}

/** Usage and, if asked for, the corrections by bills and the cost at other prices. Refuses what each of the three refuses. */
export async function showComparedUsage(
  context: UseCaseContext, query: UsageRequest, beside: Beside,
): Promise<ComparedUsage[] | AdministrationRefusal> {
  let rows: ComparedUsage[] | AdministrationRefusal = beside.adjusted === true
    ? await adjustedUsage(context, query) : await showUsage(context, query);
  if (!isRefusal(rows) && beside.prices !== undefined) rows = await repriced(context, query, { rows, prices: beside.prices });
  return rows;
}
