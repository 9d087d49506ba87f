/**
 * The corrections that a closing counts: those of its month, and what those of the months closed before have come to since. Bills and calls that
 * were priced again are counted apart: a bill stands in the place of the calls that it bills.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CorrectionFileLine } from '@metergate/core/books/month/month-file.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import { repricedDays, type RepricedDay } from '../corrections/call-adjustments.ts';
import type { UseCaseContext } from '../context.ts';
import type { FrozenCorrection } from './frozen-lines.ts';
import { linesOfMonth, namesOfMonth } from './read-month.ts';

interface Counted {
  readonly source: CorrectionFileLine['source'];
  readonly provider: string;
  readonly dayMs: number;
  /** Empty: none. */
  readonly model: string;
  /** Nano-dollars. */
  amount: bigint;
  bill: string | null;
}

/** Of the month's own days, as they are now. */
export async function ownCorrections(context: UseCaseContext, organization: OrganizationId, monthMs: number): Promise<FrozenCorrection[]> {
  const counted = await correctionsOf(context, organization, { sinceMs: monthMs, untilMs: monthAfter(monthMs) });
  return shown('correction', counted);
}

interface MonthsBefore {
  readonly before: readonly ClosedMonth[];
  readonly monthMs: number;
  /** Records of calls before it were removed for their age, and with them what they cost by other prices. */
  readonly goneMs: number | null;
}

/** Of the months closed before: what their corrections come to now, less what closed months counted of them. */
export async function lateCorrections(
  context: UseCaseContext, organization: OrganizationId, { before, monthMs, goneMs }: MonthsBefore,
): Promise<FrozenCorrection[]> {
  const [first] = before;
  if (first === undefined) return [];
  const left = new Map<string, Counted>();
  const frozen = new Set<string>();
  const add = (each: Counted): void => {
    if (each.source === 'prices' && goneMs !== null && each.dayMs < goneMs) return;
    const name = JSON.stringify([each.source, each.dayMs, each.provider, each.model]);
    const known = left.get(name);
    if (known === undefined) left.set(name, { ...each });
    else {
      known.amount += each.amount;
      known.bill = each.bill ?? known.bill;
    }
  };
  for (const month of before) {
    const days = await linesOfMonth(context.store, month, ['day']);
    const corrections = await linesOfMonth(context.store, month, ['correction', 'late_correction']);
    const names = await namesOfMonth(context.store, month, [...days, ...corrections].map(({ model }) => model));
    for (const { day, wire, model } of days) frozen.add(modelOfDay(wire, Date.parse(day), names.get(model) ?? ''));
    for (const { source, provider, day, model, amount } of corrections) {
      add({ source, provider, dayMs: Date.parse(day), model: names.get(model) ?? '', amount: -unformatDollars(amount), bill: null });
    }
  }
  // Months that were closed by an older version have calls under the answers' models alone.
  const nameOf = ({ provider, dayMs, model, answered }: RepricedDay): string =>
    (frozen.has(modelOfDay(provider, dayMs, model)) || !frozen.has(modelOfDay(provider, dayMs, answered)) ? model : answered);
  for (const each of await correctionsOf(context, organization, { sinceMs: first.monthMs, untilMs: monthMs }, nameOf)) add(each);
  return shown('late_correction', [...left.values()].filter(({ amount }) => amount !== 0n));
}

function modelOfDay(provider: string, dayMs: number, model: string): string {
  return JSON.stringify([provider, dayMs, model]);
}

/** `nameOf`: the model under which calls that were priced again stand. */
async function correctionsOf(
  context: UseCaseContext, organization: OrganizationId, time: { readonly sinceMs: number; readonly untilMs: number },
  nameOf: (day: RepricedDay) => string = ({ model }) => model,
): Promise<Counted[]> {
  const bills = await context.store.corrections.list({ organization, ...time });
  const again = new Map<string, Counted>();
  for (const each of await repricedDays(context, organization, time, bills)) {
    const { dayMs, provider, amount } = each;
    const model = nameOf(each);
    const name = modelOfDay(provider, dayMs, model);
    const known = again.get(name);
    if (known === undefined) again.set(name, { source: 'prices', provider, dayMs, model, amount, bill: null });
    else known.amount += amount;
  }
  return [
    ...bills.map(({ provider, dayMs, model, ours, theirs, bill }): Counted =>
      ({ source: 'bill', provider, dayMs, model: model ?? '', amount: theirs - ours, bill })),
    ...again.values(),
  ];
}

function shown(type: CorrectionFileLine['type'], counted: readonly Counted[]): FrozenCorrection[] {
  const nameOf = ({ source, dayMs, provider, model }: Counted): string => [String(dayMs).padStart(16, '0'), source, provider, model].join(' ');
  return counted.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).map(({ source, provider, dayMs, model, amount, bill }) => ({
    type, month: monthName(dayMs), source, provider, day: dayName(dayMs), model, amount: formatDollars(amount as NanoDollars), bill,
  }));
}
