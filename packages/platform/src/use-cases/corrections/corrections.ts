/**
 * Corrections: differences from a provider's bill, stored beside the records as separate figures (decision 0031). They are recorded from a
 * cost export, listed, removed, and added to usage on request, with those of calls that were priced again (`call-adjustments.ts`). Rules: `usage`,
 * with `--adjusted`.
 */
import { type NanoDollars, formatDollars, nanoDollars, unformatDollars } from '@metergate/core/money.ts';
import type { ComparedLine } from '@metergate/core/books/reconcile/compare.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayName, dayOf } from '@metergate/core/time/utc-day.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { providers, type Provider } from '@metergate/core/wire/wire.ts';
import type { CorrectedDay, Correction } from '@metergate/store/spend/corrections.ts';
import type { UseCaseContext } from '../context.ts';
import { callAdjustments, type CallAdjustment } from './call-adjustments.ts';
import { findFigures, findOrganization } from '../organizations.ts';
import { compareBill, type ReconcileInput } from '../reconcile/reconcile.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { addedUp, subjectText, type ShownUsage, type UsageRequest } from '../usage.ts';
import { sha256Of } from '../sha256.ts';

/** Money: US dollars with nine places. */
interface ShownCorrection {
  readonly id: string;
  readonly provider: Provider;
  readonly day: string;
  /** Null: the bill names none. */
  readonly model: string | null;
  /** The cost by the records when the correction was recorded. */
  readonly ours: string;
  /** What the bill says. */
  readonly theirs: string;
  /** Theirs minus ours: added to the recorded cost. */
  readonly correction: string;
  /** SHA-256 of the file. */
  readonly bill: string;
  readonly recordedAt: string;
}

export interface RecordedCorrections {
  readonly provider: Provider;
  /** The first and the last day that the bill covers. */
  readonly days: { readonly first: string; readonly last: string };
  readonly corrections: readonly ShownCorrection[];
  /** Their sum. */
  readonly total: string;
  /** Days of the file that are not over yet; nothing is recorded for them. */
  readonly openDays: readonly string[];
}

/** What a bill corrects; money in US dollars with nine places, so that it may come from another thread as JSON. */
export interface BillCorrections {
  readonly organization: OrganizationId;
  readonly provider: Provider;
  readonly days: RecordedCorrections['days'];
  /** Nothing is recorded from here on; `fromMs` is where the file begins. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly bill: string;
  readonly corrected: readonly { readonly dayMs: number; readonly model: string | null; readonly ours: string; readonly theirs: string }[];
  readonly openDays: readonly string[];
}

/** A year of days, each with fifty models. */
const correctionsMax = 20_000;

/** Compares the bill, and changes nothing. Refuses a file without amounts: `invalid_bill`. */
export async function correctionsOfBill(context: UseCaseContext, input: ReconcileInput): Promise<BillCorrections | AdministrationRefusal> {
  const organization = await findOrganization(context, input.organization);
  if (isRefusal(organization)) return organization;
  const provider = providers.find((name) => name === input.provider);
  if (provider === undefined) {
    return refuseInput('invalid_bill', `Corrections are recorded from bills of ${providers.join(' and ')}. Those of others are only compared.`);
  }
  const compared = await compareBill(context, { ...input, organization: organization.id });
  if (isRefusal(compared)) return compared;
  const { lines, days, fromMs, openDays: open, openFromMs, places, recordsGoneBefore } = compared;
  if (places === null) return refuseInput('invalid_bill', 'This export has no amounts. Corrections can only be recorded from a cost export.');
  if (recordsGoneBefore !== null) {
    return refuseInput('invalid_bill', `Some or all records of calls before ${recordsGoneBefore} were removed for their age, and the file begins `
      + 'before that: its differences would prove nothing. Give an export of later days.');
  }
  const isOpen = new Set(open);
  const corrected = correctedDays(lines.filter(({ day }) => !isOpen.has(day)));
  if (corrected.length > correctionsMax) {
    return refuseInput('invalid_bill', `The file differs for more than ${correctionsMax} days and models. Record it in parts.`);
  }
  return {
    organization: organization.id, provider, days, fromMs, toMs: openFromMs, bill: sha256Of(input.text),
    corrected: corrected.map(({ ours, theirs, ...each }) => ({ ...each, ours: formatDollars(ours), theirs: formatDollars(theirs) })),
    openDays: [...new Set(lines.map(({ day }) => day))].filter((day) => isOpen.has(day)),
  };
}

/**
 * Replaces what was recorded from the same provider's bills for these days. Refuses what `correctionsOfBill` does. `compare`: does that, here or on
 * another thread.
 */
export async function recordCorrections(
  context: UseCaseContext, input: ReconcileInput, compare: typeof correctionsOfBill = correctionsOfBill,
): Promise<RecordedCorrections | AdministrationRefusal> {
  const found = await compare(context, input);
  if (isRefusal(found)) return found;
  const { organization, provider, days, fromMs, toMs, bill, openDays } = found;
  const made = await context.store.corrections.record({
    organization, provider, fromMs, toMs, bill,
    days: found.corrected.map(({ ours, theirs, ...each }) =>
      ({ ...each, ours: unformatDollars(ours), theirs: unformatDollars(theirs) })),
  });
  if (isRefusal(made)) return made;
  return {
    provider, days, corrections: made.map(shownCorrection),
    total: formatDollars(nanoDollars(made.reduce((sum, { ours, theirs }) => sum + theirs - ours, 0n))), openDays,
  };
}

/** Sums the lines of one day and model: a bill may have one for each request. Lines that are equal correct nothing. */
function correctedDays(lines: readonly ComparedLine[]): CorrectedDay[] {
  const days = new Map<string, { readonly dayMs: number; readonly model: string | null; ours: bigint; theirs: bigint }>();
  for (const { day, model: matched, item, billName, ours, theirs, verdict, difference } of lines) {
    if (verdict === 'equal' || difference.cost === null) continue;
    // What is no model stands under its own name, so that all corrections together come to the bill.
    const model = matched ?? item ?? billName;
    const name = JSON.stringify([day, model]);
    let sum = days.get(name);
    if (sum === undefined) days.set(name, sum = { dayMs: Date.parse(day), model, ours: 0n, theirs: 0n });
    sum.ours += ours?.cost ?? 0n;
    sum.theirs += theirs?.cost ?? 0n;
  }
  return [...days.values()].filter(({ ours, theirs }) => ours !== theirs)
    .map(({ ours, theirs, ...day }) => ({ ...day, ours: ours as NanoDollars, theirs: theirs as NanoDollars }));
}

interface CorrectionsQuery {
  /** Id or name, of an erased organization its id alone. */
  readonly organization: string;
  /** Days that begin from this moment on. */
  readonly sinceMs?: number;
  /** Up to this moment, excluded. */
  readonly untilMs?: number;
}

/** The corrections of a range of days, also for an erased organization. Refuses `unknown_organization`. */
export async function listCorrections(
  context: UseCaseContext, { organization: idOrName, ...time }: CorrectionsQuery,
): Promise<ShownCorrection[] | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.corrections.list({ organization: organization.id, ...time })).map(shownCorrection);
}

/** `within`: of this organization only. */
export async function removeCorrection(
  context: UseCaseContext, id: string, within?: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const removed = await context.store.corrections.remove(id, organization?.id);
  return isRefusal(removed) ? removed : { id: removed.id, removed: true };
}

/** Shown beside the recorded cost: the correction, and the sum of the two. */
export interface ShownAdjustment {
  readonly correction: string;
  readonly adjustedCost: string;
}

const corrected = ['day', 'month', 'model', 'wire'] as const;
type CorrectedDimension = (typeof corrected)[number];

/** Each of these rows with its correction as it stands now; a correction without calls gets a separate row after the others. */
export async function adjusted<Row extends ShownUsage>(
  context: UseCaseContext, query: UsageRequest, rows: readonly Row[],
): Promise<(Row & ShownAdjustment)[] | AdministrationRefusal> {
  const { by, filter = {}, sinceMs, untilMs } = query;
  const others = [...by, ...Object.entries(filter).filter(([, value]) => value !== undefined).map(([name]) => name)]
    .filter((name) => !(corrected as readonly string[]).includes(name));
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const found = await context.store.corrections.list({
    organization: organization.id, ...(sinceMs === undefined ? {} : { sinceMs: dayOf(sinceMs) }), ...(untilMs === undefined ? {} : { untilMs }),
  });
  if (found.length > 0 && others.length > 0) {
    return refuseInput('invalid_input', `Bills are corrected by ${corrected.join(', ')}: there is no adjusted usage by or for a ${others[0]!}.`);
  }
  if (found.length > 0 && [sinceMs, untilMs].some((ms) => ms !== undefined && dayOf(ms) !== ms)) {
    return refuseInput('invalid_input', 'Bills are recorded for whole days: ask for adjusted usage of whole days, in UTC.');
  }
  const ofBills = found.filter(({ model, provider }) =>
    (filter.model === undefined || filter.model === model) && (filter.wire === undefined || filter.wire === provider));
  return adjustedWith(by, rows, [
    ...ofBills.map((each) => ({ texts: correctedTexts(by, each), amount: each.theirs - each.ours })),
    ...await callAdjustments(context, organization.id, query, found),
  ]);
}

/** Whether bills are kept by all that is asked for. */
export function isCorrected({ by, filter = {}, sinceMs, untilMs }: UsageRequest): boolean {
  const names = [...by, ...Object.entries(filter).filter(([, value]) => value !== undefined).map(([name]) => name)];
  return names.every((name) => (corrected as readonly string[]).includes(name))
    && [sinceMs, untilMs].every((ms) => ms === undefined || dayOf(ms) === ms);
}

/** Each of these rows with the amounts under its names; those without calls get a separate row after the others. */
export function adjustedWith<Row extends ShownUsage>(
  by: UsageRequest['by'], rows: readonly Row[], amounts: readonly CallAdjustment[],
): (Row & ShownAdjustment)[] {
  const sums = new Map<string, { readonly texts: readonly (string | null)[]; amount: bigint }>();
  for (const { texts, amount } of amounts) {
    const name = JSON.stringify(texts);
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { texts, amount });
    else sum.amount += amount;
  }
  const shown = rows.map((row) => {
    const name = JSON.stringify(by.map((dimension) => row[dimension] ?? null));
    const amount = sums.get(name)?.amount ?? 0n;
    sums.delete(name);
    return { ...row, ...adjustmentOf(row.cost, amount) };
  });
  const without = [...sums.values()].map(({ texts, amount }) => ({
    ...Object.fromEntries(by.map((dimension, index) => [dimension, texts[index]!])), ...addedUp([]), ...adjustmentOf('0.000000000', amount),
  }));
  return [...shown, ...without as (Row & ShownAdjustment)[]];
}

/** What is corrected by day, model and provider, as rows of usage name it. */
export function correctedTexts(by: UsageRequest['by'], correction: Pick<Correction, 'dayMs' | 'model'> & { readonly provider: string }) {
  return by.map((dimension) => textOf(dimension as CorrectedDimension, correction));
}

function textOf(
  dimension: CorrectedDimension, { dayMs, model, provider }: Pick<Correction, 'dayMs' | 'model'> & { readonly provider: string },
): string | null {
  switch (dimension) {
    case 'day': return subjectText('day', String(dayMs));
    case 'month': return subjectText('month', String(monthOf(dayMs)));
    case 'model': return model;
    case 'wire': return provider;
  }
}

/** A cost beside what is added to it. */
export function adjustmentOf(cost: string, amount: bigint): ShownAdjustment {
  return {
    correction: formatDollars(amount as NanoDollars), adjustedCost: formatDollars((unformatDollars(cost) + amount) as NanoDollars),
  };
}

function shownCorrection({ id, provider, dayMs, model, ours, theirs, bill, recordedAtMs }: Correction): ShownCorrection {
  return {
    id, provider, day: dayName(dayMs), model, ours: formatDollars(ours), theirs: formatDollars(theirs),
    correction: formatDollars((theirs - ours) as NanoDollars), bill, recordedAt: isoText(recordedAtMs),
  };
}
