/** Which price list calls are priced by, and how old it is. */
import { priceList, priceListId } from '@metergate/core/price/price-list.ts';
import { showListInForce } from '@metergate/platform/use-cases/price-import.ts';
import type { Store } from '@metergate/store/store.ts';
import { countOf } from '../command-line/counts.ts';
import { finding, type Finding } from './finding.ts';

const dayMs = 86_400_000;
/** Providers change prices every few weeks: a list of half a year ago is wrong for somebody. */
const oldDays = 180;

export async function examinePrices(store: Store, nowMs: number): Promise<Finding[]> {
  const { id, source, date, dated, shipped } = await showListInForce({ store });
  const days = Math.max(0, Math.floor((nowMs - Date.parse(date)) / dayMs));
  const age = dated === 'list' ? `${countOf(days, 'day')} old` : `on ${date}, its own date is not known (prices import FILE --date DAY says it)`;
  const whose = shipped ? 'the list that this version was made with,' : `imported from ${source}${dated === 'list' ? ',' : ''}`;
  const found = `Calls are priced by ${id}, ${whose} ${age}.`;
  // A day is enough to compare: the shipped list is dated by its release. A list is no newer than its import.
  const newer = shipped || priceList.date <= date ? ''
    : ` This version brings a newer one, ${priceListId(priceList)}: metergate prices import --shipped`;
  if (days <= oldDays) return [finding('prices', newer === '' ? 'ok' : 'warn', `${found}${newer}`)];
  return [finding('prices', 'warn', `${found}${newer === '' ? ' Import a newer one: metergate prices import FILE' : newer}`)];
}
