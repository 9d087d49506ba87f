/**
 * What an organization's calls used, by one or two dimensions. Rules: `usage`. Costs come from the records; calls with unknown usage,
 * without a price, or with a gap in their cost are counted beside the money and never guessed.
 */
import { type NanoDollars, formatDollars, unformatDollars } from '@metergate/core/money.ts';
import {
  figureIn, figurePlaces, recordDimensions, usageDimensions, type UsageDimension, type WholeFigure,
} from '@metergate/core/report/usage-sum.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayLengthMs, dayName } from '@metergate/core/time/utc-day.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import type { UsageFilter, UsageShare } from '@metergate/store/usage/usage-query.ts';
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface UsageRequest {
  /** Id or name; for an erased organization only its id. */
  readonly organization: string;
  /** One or two; see `parseDimensions`. */
  readonly by: readonly UsageDimension[];
  /** Only calls with exactly these names. */
  readonly filter?: UsageFilter;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Calls that started before this moment. */
  readonly untilMs?: number;
  /** What stands for each key, as its person does; others have none. Absent: the keys. */
  readonly keyAs?: ReadonlyMap<string, string>;
}

/** Money: US dollars with nine places. Tokens as the wires report them. */
export interface ShownFigures extends LackingCalls {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cost: string;
  /** Negative if writing to the cache cost more than reading saved; null if no call has a price that shows it. */
  readonly cacheSavings: string | null;
}

/**
 * Under each dimension's own name: a model, a key's id, a project, a label, a run, a session, an upstream, a wire, an endpoint, a day
 * `YYYY-MM-DD`, a month `YYYY-MM`, the instant an hour begins, or the email of a key's person; null if calls have none.
 */
export type ShownUsage = { readonly [D in AskedDimension]?: string | null } & ShownFigures;

/** The most rows of an answer. */
export const rowsMax = 100_000;
/** Hourly figures of runs, and of labels beside something else, need records: this many days take a second in a busy organization. */
const hoursDaysMax = 7;

/** Figures by session or upstream need records too. With a session's name given, an index finds its few calls. */
const recordsDaysMax = 31;

/** What usage may be asked by: the store's dimensions, and whose key it was. Decision 240. */
export const askedDimensions = [...usageDimensions, 'person'] as const;
export type AskedDimension = (typeof askedDimensions)[number];

/** `model` or `day,model`: one or two dimensions, not the same twice. Null: not that. */
export function parseDimensions(text: string): readonly AskedDimension[] | null {
  const names = text.split(',');
  const known = names.every((name) => (askedDimensions as readonly string[]).includes(name));
  return known && names.length <= 2 && new Set(names).size === names.length ? names as AskedDimension[] : null;
}

/** Ends a sentence such as "--by must be …". */
export const dimensionsForm = `one or two of ${askedDimensions.join(', ')}, as in day,model`;

/** A single time dimension is sorted by time; everything else with the costliest first. */
export async function showUsage(context: UseCaseContext, query: UsageRequest): Promise<ShownUsage[] | AdministrationRefusal> {
  return await showPart(context, query, wholeAnswer) ?? tooManyRows(query.by);
}

export function tooManyRows(by: readonly AskedDimension[]): AdministrationRefusal {
  const values = `${rowsMax} different values of ${by.join(' and ')}`;
  return refuseInput('invalid_input', `There are more than ${values} in this time. Ask for a shorter one, or for a file.`);
}

/** Which rows are read, and how many at most. */
export interface UsagePartAsked {
  /** Absent: all. */
  readonly share?: UsageShare;
  readonly atOnce: number;
}

/** Every row, as many as an answer may have. */
export const wholeAnswer: UsagePartAsked = { atOnce: rowsMax };

/** The same of a part of the rows. Null: there are more than `atOnce`. */
export async function showPart(
  context: UseCaseContext, query: UsageRequest, part: UsagePartAsked,
): Promise<ShownUsage[] | AdministrationRefusal | null> {
  const rows = await usageRows(context, query, part);
  return rows === null || isRefusal(rows) ? rows : shownRows(query.by, rows);
}

/** The same as the store has it: of many rows a list shows few. */
export async function usageRows(
  context: UseCaseContext, query: UsageRequest, { share, atOnce }: UsagePartAsked,
): Promise<UsageRow[] | AdministrationRefusal | null> {
  const { by, sinceMs, untilMs, filter = {} } = query;
  if (by.includes('hour') && (sinceMs === undefined || (untilMs ?? context.nowMs) - sinceMs > hoursDaysMax * dayLengthMs)) {
    return refuseInput('invalid_input', `Usage by hour is for at most ${hoursDaysMax} days. Ask for a shorter time, or by day.`);
  }
  const unsummed = filter.session !== undefined ? undefined : recordDimensions.find((each) => by.includes(each) || filter[each] !== undefined);
  if (unsummed !== undefined && (sinceMs === undefined || (untilMs ?? context.nowMs) - sinceMs > recordsDaysMax * dayLengthMs)) {
    return refuseInput('invalid_input', `Usage by ${unsummed} is for at most ${recordsDaysMax} days. Ask for a shorter time, or for one session.`);
  }
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  if (Object.values(filter).some((word) => word?.includes('\0') === true)) return [];
  const rows = await context.store.usageReports.usage({
    organization: organization.id, by, filter, rowsMax: atOnce, ...(share === undefined ? {} : { share }),
    ...(query.keyAs === undefined ? {} : { keyAs: query.keyAs }),
    ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }),
  });
  return rows?.toSorted(by.length === 1 && isTime(by[0]!) ? byTime : costliestFirst) ?? null;
}

export function shownRows(by: readonly AskedDimension[], rows: readonly UsageRow[]): ShownUsage[] {
  const textOf = rememberedTexts();
  return rows.map((row) => shownUsage(by, row, textOf));
}

/** `subjectText`, which names each time once: rows by a time and something else have the same ones again and again. */
export function rememberedTexts(): typeof subjectText {
  const known = { hour: new Map<string, string>(), day: new Map<string, string>(), month: new Map<string, string>() };
  return (dimension, subject) => {
    if (dimension !== 'hour' && dimension !== 'day' && dimension !== 'month') return subjectText(dimension, subject);
    let text = known[dimension].get(subject);
    if (text === undefined) known[dimension].set(subject, text = subjectText(dimension, subject)!);
    return text;
  };
}

/** How many calls a period has, for showing progress. Null: not known. */
export async function countCalls(
  context: UseCaseContext,
  { organization: idOrName, fromMs, toMs }: { readonly organization: string; readonly fromMs: number; readonly toMs: number },
): Promise<number | null> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return null;
  const rows = await context.store.usageReports.usage({ organization: organization.id, by: [], rowsMax: 1, sinceMs: fromMs, untilMs: toMs });
  return rows === null ? null : Number(rows[0] === undefined ? 0 : figureIn(rows[0].figures, 'calls'));
}

/** The sum of several rows' figures; zeros if there are none. */
export function addedUp(rows: readonly ShownFigures[]): ShownFigures {
  const whole = (name: Exclude<keyof ShownFigures, 'cost' | 'cacheSavings'>): number => rows.reduce((sum, row) => sum + row[name], 0);
  const money = (amounts: readonly string[]): string =>
    formatDollars(amounts.reduce((sum, amount) => sum + unformatDollars(amount), 0n) as NanoDollars);
  const savings = rows.map(({ cacheSavings }) => cacheSavings).filter((amount) => amount !== null);
  return {
    calls: whole('calls'), inputTokens: whole('inputTokens'), cachedTokens: whole('cachedTokens'), cacheWriteTokens: whole('cacheWriteTokens'),
    outputTokens: whole('outputTokens'), reasoningTokens: whole('reasoningTokens'), cost: money(rows.map(({ cost }) => cost)),
    cacheSavings: savings.length === 0 ? null : money(savings),
    unknownCalls: whole('unknownCalls'), unpricedCalls: whole('unpricedCalls'), gapCalls: whole('gapCalls'),
  };
}

/** Whether rows of it are in the order of time. */
export function isTime(dimension: AskedDimension): boolean {
  return dimension === 'day' || dimension === 'month' || dimension === 'hour';
}

function byTime(one: UsageRow, other: UsageRow): number {
  return Number(one.subjects[0]) - Number(other.subjects[0]);
}

/** At equal cost the one with more calls comes first, then by name, so that the order is always the same. */
function costliestFirst(one: UsageRow, other: UsageRow): number {
  return largerFirst(one.figures[figurePlaces.cost] ?? 0, other.figures[figurePlaces.cost] ?? 0)
    || largerFirst(one.figures[figurePlaces.calls] ?? 0, other.figures[figurePlaces.calls] ?? 0)
    || (one.subjects.join('\0') < other.subjects.join('\0') ? -1 : 1);
}

/** Numbers and bigints compare with each other. */
export function largerFirst(one: WholeFigure, other: WholeFigure): number {
  return one > other ? -1 : one < other ? 1 : 0;
}

/** A row of sums as it is shown. Spelled out: long reports have tens of thousands. */
export function shownUsage(by: readonly AskedDimension[], { subjects, figures }: UsageRow, textOf = subjectText): ShownUsage {
  const whole = (place: number): number => Number(figures[place] ?? 0);
  const money = (place: number): string => formatDollars(BigInt(figures[place] ?? 0) as NanoDollars);
  const names: { [D in AskedDimension]?: string | null } = {};
  for (let index = 0; index < by.length; index += 1) names[by[index]!] = textOf(by[index]!, subjects[index]!);
  return {
    ...names,
    calls: whole(figurePlaces.calls), inputTokens: whole(figurePlaces.inputTokens), cachedTokens: whole(figurePlaces.cachedTokens),
    cacheWriteTokens: whole(figurePlaces.cacheWriteTokens), outputTokens: whole(figurePlaces.outputTokens),
    reasoningTokens: whole(figurePlaces.reasoningTokens), cost: money(figurePlaces.cost),
    cacheSavings: whole(figurePlaces.savedCalls) === 0 ? null : money(figurePlaces.cacheSavings),
    unknownCalls: whole(figurePlaces.unknownCalls), unpricedCalls: whole(figurePlaces.unpricedCalls), gapCalls: whole(figurePlaces.gapCalls),
  };
}

/** What a row shows for a subject of the store's sums. */
export function subjectText(dimension: AskedDimension, subject: string): string | null {
  if (!isTime(dimension)) return subject === '' ? null : subject;
  const atMs = Number(subject);
  if (dimension === 'month') return monthName(atMs);
  return dimension === 'day' ? dayName(atMs) : isoText(atMs);
}

/** The subject of the store's sums that a row shows so: the other way round. */
export function subjectShownAs(dimension: AskedDimension, text: string | null): string {
  return isTime(dimension) ? String(Date.parse(text!)) : text ?? '';
}
