/**
 * Usage with its corrections. A closed month shows what was frozen when it was closed: neither late calls nor later bills move it. Decisions 31
 * and 145.
 */
import { unformatDollars } from '@metergate/core/money.ts';
import { figuresOfTexts } from '@metergate/core/books/month/month-file.ts';
import { addUsage, type UsageDimension, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import { monthAfter, monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import { isInShare } from '@metergate/store/usage/usage-query.ts';
import type { UseCaseContext } from '../context.ts';
import { adjusted, adjustedWith, adjustmentOf, correctedTexts, isCorrected, type ShownAdjustment } from '../corrections/corrections.ts';
import { findFigures } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import {
  addedUp, isTime, showPart, shownUsage, subjectShownAs, tooManyRows, wholeAnswer, type ShownUsage, type UsagePartAsked, type UsageRequest,
} from '../usage.ts';
import { linesOfMonth, namesOfMonth } from './read-month.ts';

type Adjusted = ShownUsage & ShownAdjustment;

/** Refuses `unknown_organization`; `invalid_input` for views that bills do not correct. */
export async function adjustedUsage(context: UseCaseContext, query: UsageRequest): Promise<Adjusted[] | AdministrationRefusal> {
  return await adjustedPart(context, query, wholeAnswer) ?? tooManyRows(query.by);
}

/** The same of a part of the rows. Null: there are more than `atOnce`. */
export async function adjustedPart(
  context: UseCaseContext, query: UsageRequest, part: UsagePartAsked,
): Promise<Adjusted[] | AdministrationRefusal | null> {
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const { sinceMs = -Infinity, untilMs = Infinity } = query;
  const closed = (await context.store.months.list(organization.id))
    .filter(({ monthMs, reopenedAtMs }) => reopenedAtMs === null && monthMs < untilMs && monthAfter(monthMs) > sinceMs);
  const asked = { ...query, organization: organization.id };
  if (closed.length === 0) return asRecorded(context, asked, part);
  if (!isCorrected(query)) {
    return refuseInput('invalid_input', `${monthName(closed[0]!.monthMs)} is closed. `
      + 'A closed month has adjusted usage by day, month, model and wire, of whole days in UTC.');
  }
  const rows: Adjusted[] = [];
  for (const span of openSpans(closed, { sinceMs, untilMs })) {
    const open = await asRecorded(context, { ...asked, ...span }, part);
    if (open === null || isRefusal(open)) return open;
    for (const row of open) rows.push(row);
  }
  for (const month of closed) for (const row of await asClosed(context, asked, month)) if (isAskedFor(query.by, row, part)) rows.push(row);
  const together = merged(query.by, rows);
  return together.length > part.atOnce ? null : inOrder(query.by, together);
}

async function asRecorded(context: UseCaseContext, query: UsageRequest, part: UsagePartAsked): Promise<Adjusted[] | AdministrationRefusal | null> {
  const rows = await showPart(context, query, part);
  if (rows === null || isRefusal(rows)) return rows;
  const all = await adjusted(context, query, rows);
  if (isRefusal(all)) return all;
  // Corrections without calls are rows of their own.
  const own = all.filter((row) => isAskedFor(query.by, row, part));
  return own.length > part.atOnce ? null : own;
}

/** Whether a row is in the part that is read. */
function isAskedFor(by: readonly UsageDimension[], row: ShownUsage, { share }: UsagePartAsked): boolean {
  return share === undefined || isInShare(by.map((dimension) => subjectShownAs(dimension, row[dimension] ?? null)).join('\0'), share);
}

/** What lies between the closed months. */
function openSpans(
  closed: readonly ClosedMonth[], { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
): Pick<UsageRequest, 'sinceMs' | 'untilMs'>[] {
  const spans: { readonly fromMs: number; readonly toMs: number }[] = [];
  let fromMs = sinceMs;
  for (const { monthMs } of closed) {
    if (monthMs > fromMs) spans.push({ fromMs, toMs: monthMs });
    fromMs = Math.max(fromMs, monthAfter(monthMs));
  }
  if (fromMs < untilMs) spans.push({ fromMs, toMs: untilMs });
  return spans.map((span) => ({
    ...(span.fromMs === -Infinity ? {} : { sinceMs: span.fromMs }), ...(span.toMs === Infinity ? {} : { untilMs: span.toMs }),
  }));
}

async function asClosed(context: UseCaseContext, query: UsageRequest, month: ClosedMonth): Promise<Adjusted[]> {
  const { by, filter = {}, sinceMs = -Infinity, untilMs = Infinity } = query;
  const [days, corrections] = [await linesOfMonth(context.store, month, ['day']), await linesOfMonth(context.store, month, ['correction'])];
  const names = await namesOfMonth(context.store, month, [...days, ...corrections].map(({ model }) => model));
  const sums = new Map<string, { readonly subjects: readonly string[]; readonly figures: UsageFigures }>();
  const isAsked = (dayMs: number, model: string, wire: string): boolean => dayMs >= sinceMs && dayMs < untilMs
    && (filter.model === undefined || filter.model === model) && (filter.wire === undefined || filter.wire === wire);
  for (const { day, model: number, wire, figures: texts } of days) {
    const [dayMs, model] = [Date.parse(day), names.get(number) ?? ''];
    if (!isAsked(dayMs, model, wire)) continue;
    const subjects = by.map((dimension) => subjectIn(dimension, { dayMs, model, wire }));
    const figures = figuresOfTexts(texts);
    const sum = sums.get(JSON.stringify(subjects));
    if (sum === undefined) sums.set(JSON.stringify(subjects), { subjects, figures });
    else addUsage(sum.figures, figures);
  }
  const amounts = corrections.map((line) => ({
    dayMs: Date.parse(line.day), model: names.get(line.model) ?? null, provider: line.provider, amount: unformatDollars(line.amount),
  })).filter(({ dayMs, model, provider }) => isAsked(dayMs, model ?? '', provider));
  return adjustedWith(by, [...sums.values()].map((row) => shownUsage(by, row)),
    amounts.map((each) => ({ texts: correctedTexts(by, each), amount: each.amount })));
}

function subjectIn(
  dimension: UsageDimension, { dayMs, model, wire }: { readonly dayMs: number; readonly model: string; readonly wire: string },
): string {
  if (dimension === 'day') return String(dayMs);
  if (dimension === 'month') return String(monthOf(dayMs));
  return dimension === 'model' ? model : wire;
}

/** One row for each name, though parts of it stand in several months. */
function merged(by: readonly UsageDimension[], rows: readonly Adjusted[]): Adjusted[] {
  return [...Map.groupBy(rows, (row) => JSON.stringify(by.map((dimension) => row[dimension] ?? null))).values()].map((same) => {
    if (same.length === 1) return same[0]!;
    const names = Object.fromEntries(by.map((dimension) => [dimension, same[0]![dimension] ?? null]));
    const figures = addedUp(same);
    return { ...names, ...figures, ...adjustmentOf(figures.cost, same.reduce((sum, { correction }) => sum + unformatDollars(correction), 0n)) };
  });
}

function inOrder(by: readonly UsageDimension[], rows: readonly Adjusted[]): Adjusted[] {
  const [only] = by;
  if (by.length === 1 && isTime(only!)) return rows.toSorted((one, other) => (one[only!]! < other[only!]! ? -1 : 1));
  return rows.toSorted((one, other) => {
    const [a, b] = [unformatDollars(one.cost), unformatDollars(other.cost)];
    return a === b ? other.calls - one.calls : a > b ? -1 : 1;
  });
}
