/** What of a month is allocated, as it stands now or as it was closed, and whose its keys are. */
import type { MonthToAllocate } from '@metergate/core/books/allocation/allocate.ts';
import type { KeyOwner, OwnerOf } from '@metergate/core/books/allocation/rules.ts';
import { unformatDollars } from '@metergate/core/money.ts';
import { figuresOfTexts, type CallsFileLine } from '@metergate/core/books/month/month-file.ts';
import type { CallsLine } from '@metergate/core/books/month/month-sums.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import type { UseCaseContext } from '../context.ts';
import type { MonthToFreeze } from '../months/frozen-lines.ts';
import { eachInTurns } from '../months/in-turns.ts';
import { linesOfMonth, namesOfMonth, type MonthNames } from '../months/read-month.ts';
import { listServiceKeys } from '../service-keys.ts';
import { isRefusal } from '../refusal.ts';

type GatheredMonth = Pick<MonthToFreeze, 'calls' | 'late' | 'corrections'>;

/** `versions`: of the organization; late corrections go by the calls of their months. */
export async function monthToAllocate(
  context: UseCaseContext, { calls, late, corrections }: GatheredMonth, versions: readonly ClosedMonth[],
): Promise<MonthToAllocate> {
  const amountOf = ({ model, provider, amount }: MonthToFreeze['corrections'][number]) =>
    ({ model, wire: provider, amount: unformatDollars(amount) });
  const lateCorrections: MonthToAllocate['lateCorrections'][number][] = [];
  const byMonth = Map.groupBy(corrections.filter(({ type }) => type === 'late_correction'), ({ month }) => month);
  for (const [month, each] of byMonth) {
    const then = versions.findLast(({ monthMs }) => monthName(monthMs) === month);
    lateCorrections.push({ calls: then === undefined ? [] : await callsOf(context, then), corrections: each.map(amountOf) });
  }
  return {
    calls, late: late.flatMap((each) => each.calls), lateCorrections,
    corrections: corrections.filter(({ type }) => type === 'correction').map(amountOf),
  };
}

/** A month as it was closed. */
export async function closedToAllocate(context: UseCaseContext, closed: ClosedMonth, versions: readonly ClosedMonth[]): Promise<MonthToAllocate> {
  const names = await namesOfMonth(context.store, closed);
  const late = await linesOfMonth(context.store, closed, ['late']);
  const corrections = await linesOfMonth(context.store, closed, ['correction', 'late_correction']);
  return monthToAllocate(context, {
    calls: await callsOf(context, closed, names),
    late: [{ month: '', calls: await eachInTurns(late, (line) => callsLine(line, names)) }],
    corrections: corrections.map((line) => ({ ...line, model: names.get(line.model) ?? '' })),
  }, versions);
}

async function callsOf(context: UseCaseContext, closed: ClosedMonth, known?: MonthNames): Promise<CallsLine[]> {
  const names = known ?? await namesOfMonth(context.store, closed);
  return eachInTurns(await linesOfMonth(context.store, closed, ['calls']), (line) => callsLine(line, names));
}

function callsLine({ key, project, labels, model, wire, figures }: CallsFileLine, names: MonthNames): CallsLine {
  return {
    key, project: names.get(project) ?? '', labels: labels.map((label) => names.get(label) ?? '').filter((label) => label !== ''),
    model: names.get(model) ?? '', wire, figures: figuresOfTexts(figures),
  };
}

/** Whose the organization's keys are, revoked ones too. */
export async function keyOwners(context: UseCaseContext, organization: string): Promise<OwnerOf> {
  const keys = await listServiceKeys(context, organization);
  const owners = new Map<string, KeyOwner>(isRefusal(keys) ? [] : keys.map(({ id, name, person }) => [id, { name, person }]));
  return (key) => owners.get(key);
}
