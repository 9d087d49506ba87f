/**
 * What a closing counts, as it stands now. Two walks: one along the month, and one along what the chain gained since the last closing, for calls of
 * the months closed before. Rule 24b.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { MonthSums, type CallsLine } from '@metergate/core/books/month/month-sums.ts';
import { monthAfter, monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UseCaseContext } from '../context.ts';
import { lateCorrections, ownCorrections } from './counted-corrections.ts';
import type { MonthToFreeze } from './frozen-lines.ts';
import { throughSlices } from './in-turns.ts';

interface MonthToGather {
  readonly organization: OrganizationId;
  readonly monthMs: number;
  /** All closings of the organization. */
  readonly versions: readonly ClosedMonth[];
  /** Records of calls before it were removed for their age; null: none were. */
  readonly goneMs: number | null;
  /** Records after this place of the chain are not counted. */
  readonly sequence: number;
  /** Labels that are kept, however many there are. */
  readonly isAsked: (label: string) => boolean;
}

export type CountedMonth = Pick<MonthToFreeze, 'calls' | 'days' | 'late' | 'corrections'>;

/** All that the closing of the month counts. */
export async function gatherMonth(context: UseCaseContext, found: MonthToGather): Promise<CountedMonth> {
  const { organization, monthMs, versions, goneMs, sequence, isAsked } = found;
  const own = await ownSums(context, found);
  const before = versions.filter(({ reopenedAtMs }) => reopenedAtMs === null);
  const late = new Map<number, MonthSums>();
  const last = before.at(-1);
  if (last !== undefined) {
    const earlier = { organization, fromMs: before[0]!.monthMs, toMs: monthMs, last: sequence, after: last.sequence };
    for await (const page of context.store.monthWalk.callsAfter(earlier)) {
      for (const record of page) sumsOf(late, monthOf(record.startedAtMs), isAsked).add(record);
      for (const sums of late.values()) await throughSlices(sums.fit());
      await othersFirst();
    }
  }
  const lateCalls: { readonly month: string; readonly calls: readonly CallsLine[] }[] = [];
  for (const [ms, sums] of [...late].toSorted(([one], [other]) => one - other)) {
    lateCalls.push({ month: monthName(ms), calls: await throughSlices(sums.calls()) });
  }
  return {
    calls: await throughSlices(own.calls()), days: await throughSlices(own.days()), late: lateCalls,
    corrections: [
      ...await ownCorrections(context, organization, monthMs), ...await lateCorrections(context, organization, { before, monthMs, goneMs }),
    ],
  };
}

/** The month's own calls and corrections, without what is learned of others. */
export async function gatherOwn(context: UseCaseContext, found: Omit<MonthToGather, 'versions' | 'goneMs'>): Promise<CountedMonth> {
  const own = await ownSums(context, found);
  return {
    calls: await throughSlices(own.calls()), days: await throughSlices(own.days()), late: [],
    corrections: await ownCorrections(context, found.organization, found.monthMs),
  };
}

async function ownSums(
  context: UseCaseContext, { organization, monthMs, sequence, isAsked }: Omit<MonthToGather, 'versions' | 'goneMs'>,
): Promise<MonthSums> {
  const own = new MonthSums(isAsked);
  for await (const page of context.store.monthWalk.calls({ organization, fromMs: monthMs, toMs: monthAfter(monthMs), last: sequence })) {
    for (const record of page) own.add(record);
    await throughSlices(own.fit());
    await othersFirst();
  }
  return own;
}

function sumsOf(late: Map<number, MonthSums>, monthMs: number, isAsked: MonthToGather['isAsked']): MonthSums {
  const known = late.get(monthMs);
  if (known !== undefined) return known;
  const sums = new MonthSums(isAsked);
  late.set(monthMs, sums);
  return sums;
}
