/**
 * What corrections of single calls add to usage, by any dimensions (decision 0141). Where a bill was recorded for the same provider and day, the
 * bill counts in their place: its corrections of a day together come to what it says of all calls of the day (decision 0326).
 */
import { modelOfCall } from '@metergate/core/record/model-of-call.ts';
import { subjectOf, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import type { Correction } from '@metergate/store/spend/corrections.ts';
import type { CorrectedColumn, CorrectionSum } from '@metergate/store/spend/call-corrections.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { UseCaseContext } from '../context.ts';
import { subjectText, type UsageRequest } from '../usage.ts';

const hourMs = 3_600_000;

/** One sum under the texts of its dimensions, as rows of usage show them. */
export interface CallAdjustment {
  readonly texts: readonly (string | null)[];
  readonly amount: bigint;
}

/** `bills`: the recorded bills of the time. */
export async function callAdjustments(
  { store }: UseCaseContext, organization: OrganizationId, { by, filter = {}, sinceMs, untilMs }: UsageRequest, bills: readonly Correction[],
): Promise<CallAdjustment[]> {
  const { label, ...names } = filter;
  // As records keep them.
  const exact = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, value === undefined ? undefined : subjectOf(value)]));
  const billed = billedDays(bills);
  const columns = new Set<CorrectedColumn>(by.flatMap(columnsOf));
  if (label !== undefined) columns.add('labels');
  if (billed.size > 0) columns.add('wire');
  const everyMs = by.includes('hour') ? hourMs : billed.size > 0 || by.some((each) => each === 'day' || each === 'month') ? dayLengthMs : null;
  const sums = await store.callCorrections.sums({
    organization, by: [...columns], everyMs, filter: exact,
    ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }),
  });
  return sums.filter((sum) => sum.calls > 0 && !isBilled(sum, billed) && (label === undefined || labelsOf(sum).includes(subjectOf(label))))
    .flatMap((sum) => textsOf(by, sum).map((texts) => ({ texts, amount: sum.amount })));
}

/** What corrections of single calls add to a day of a provider and model. */
export interface RepricedDay {
  /** 00:00 UTC. */
  readonly dayMs: number;
  readonly provider: string;
  /** The answers' model. Empty: they name none. */
  readonly answered: string;
  /** The model under which months have the calls. Empty: none is known. */
  readonly model: string;
  /** Nano-dollars. */
  readonly amount: bigint;
}

/** By day, provider and model, as months count them. `bills`: the recorded bills of the time. */
export async function repricedDays(
  { store }: UseCaseContext, organization: OrganizationId, time: { readonly sinceMs: number; readonly untilMs: number },
  bills: readonly Correction[],
): Promise<RepricedDay[]> {
  const billed = billedDays(bills);
  const by = ['model', 'requestedModel', 'wire'] as const;
  const sums = await store.callCorrections.sums({ organization, by, everyMs: dayLengthMs, filter: {}, ...time });
  return sums.filter((sum) => sum.calls > 0 && !isBilled(sum, billed)).map(({ parts, startMs, amount }) => {
    const [model, requestedModel] = [parts.model ?? null, parts.requestedModel ?? null];
    return {
      dayMs: dayOf(startMs!), provider: parts.wire ?? '', answered: subjectOf(model),
      model: subjectOf(modelOfCall({ model, requestedModel })), amount,
    };
  });
}

function billedDays(bills: readonly Correction[]): ReadonlySet<string> {
  return new Set(bills.map(({ provider, dayMs }) => billedDay(provider, dayMs)));
}

function billedDay(provider: string, dayMs: number): string {
  return JSON.stringify([provider, dayMs]);
}

function isBilled({ parts, startMs }: CorrectionSum, billed: ReadonlySet<string>): boolean {
  return billed.size > 0 && startMs !== null && billed.has(billedDay(parts.wire ?? '', dayOf(startMs)));
}

function columnsOf(dimension: UsageDimension): CorrectedColumn[] {
  switch (dimension) {
    case 'hour': case 'day': case 'month': return [];
    case 'label': return ['labels'];
    default: return [dimension];
  }
}

/** Every row that the sum counts in: a call with two labels has two. */
function textsOf(by: readonly UsageDimension[], sum: CorrectionSum): (string | null)[][] {
  return by.reduce<(string | null)[][]>((rows, dimension) => rows.flatMap((row) => subjectsOf(dimension, sum).map((text) => [...row, text])), [[]]);
}

function subjectsOf(dimension: UsageDimension, sum: CorrectionSum): readonly (string | null)[] {
  const { startMs } = sum;
  switch (dimension) {
    case 'hour': return [subjectText('hour', String(startMs))];
    case 'day': return [subjectText('day', String(dayOf(startMs!)))];
    case 'month': return [subjectText('month', String(monthOf(startMs!)))];
    case 'label': {
      const labels = labelsOf(sum);
      return labels.length === 0 ? [null] : [...new Set(labels)].map((label) => subjectText('label', label));
    }
    default: return [subjectText(dimension, subjectOf(sum.parts[dimension] ?? null))];
  }
}

function labelsOf({ parts: { labels } }: CorrectionSum): readonly string[] {
  return labels === undefined || labels === null ? [] : (JSON.parse(labels) as string[]).map(subjectOf);
}
