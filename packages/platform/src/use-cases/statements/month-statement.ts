/**
 * A month's usage of an organization, or of one of its projects, on one printable page. Rules: `statement`. Its figures are those of
 * `usage`, to the nano-dollar.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import type { UsageFilter } from '@metergate/store/usage/usage-query.ts';
import type { UseCaseContext } from '../context.ts';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { callAdjustments } from '../corrections/call-adjustments.ts';
import { frozenUsage, type FrozenDimension, type FrozenUsage } from '../months/frozen-usage.ts';
import { findFigures, goneBefore } from '../organizations.ts';
import { priceBook } from '../prices.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { pageRowsMax, statementPage, withRest, type Statement, type StatementRow } from './month-page.ts';
import { addedUp, showUsage, type ShownFigures, type ShownUsage } from '../usage.ts';

interface StatementQuery {
  /** Id or name; for an erased organization only its id. */
  readonly organization: string;
  /** The first instant of the month. */
  readonly monthMs: number;
  readonly project?: string;
}

interface MadeStatement {
  readonly fileName: string;
  readonly html: string;
  readonly totals: ShownFigures;
}

/** The usage of a month: as it was closed, or of its records. */
interface MonthUsage {
  /** The closing that is in force; null: the month is not closed. */
  readonly closed: ClosedMonth | null;
  readonly frozen: FrozenUsage | null;
  rowsBy(by: readonly FrozenDimension[]): Promise<ShownUsage[] | AdministrationRefusal>;
}

type StatementRange = { readonly organization: OrganizationId; readonly sinceMs: number; readonly untilMs: number; readonly filter?: UsageFilter };

async function usageOfMonth(context: UseCaseContext, organization: OrganizationId, { monthMs, project }: StatementQuery): Promise<
  MonthUsage & { readonly asked: StatementRange }
> {
  const asked = {
    organization, sinceMs: monthMs, untilMs: monthAfter(monthMs), ...(project === undefined ? {} : { filter: { project } }),
  };
  const closed = (await context.store.months.list(organization)).find((each) => each.monthMs === monthMs && each.reopenedAtMs === null) ?? null;
  const frozen = closed === null ? null : await frozenUsage(context, closed, project ?? null);
  return { closed, frozen, asked, rowsBy: async (by) => frozen === null ? showUsage(context, { ...asked, by }) : frozen.rows(by) };
}

/** `version`: of the closing whose figures the rows are; null: the month is not closed. */
interface StatementRows {
  readonly version: number | null;
  readonly rows: readonly ShownUsage[];
}

/** What a statement lists by one dimension, costliest first. Refuses `unknown_organization`. */
export async function statementRows(
  context: UseCaseContext, query: StatementQuery & { readonly by: FrozenDimension },
): Promise<StatementRows | AdministrationRefusal> {
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const { closed, rowsBy } = await usageOfMonth(context, organization.id, query);
  const rows = await rowsBy([query.by]);
  return isRefusal(rows) ? rows : { version: closed?.version ?? null, rows };
}

/** The statement of one month, also for an erased organization. A month that is not over is marked open. Refuses `unknown_organization`. */
export async function makeStatement(context: UseCaseContext, query: StatementQuery): Promise<MadeStatement | AdministrationRefusal> {
  const { monthMs, project } = query;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  const { closed, frozen, asked, rowsBy } = await usageOfMonth(context, organization.id, query);
  const all = await rowsBy([]);
  if (isRefusal(all)) return all;
  const totals = addedUp(all);
  const parts: { readonly title: string; readonly rows: readonly StatementRow[] }[] = [];
  const titles: readonly (readonly [FrozenDimension, string])[] = [
    ...(project === undefined ? [['project', 'By project'] as const] : []), ['model', 'By model'], ['key', 'By service key'],
  ];
  for (const [by, title] of titles) {
    const rows = await rowsBy([by]);
    if (isRefusal(rows)) return rows;
    const names = by === 'key' ? await context.store.keyNames.names(organization.id, rows.slice(0, pageRowsMax).map(({ key }) => key ?? '')) : null;
    parts.push({ title, rows: withRest(rows.map((row) => ({ ...nameOf(row[by] ?? null, names), figures: row }))) });
  }
  const month = monthName(monthMs);
  const { overlayId, listId, list } = book.context;
  const amounts = frozen?.byOtherPrices ?? (await callAdjustments(context, organization.id, { ...asked, by: [] }, [])).map(({ amount }) => amount);
  return {
    fileName: `metergate-statement-${month}.html`, totals,
    html: statementPage({
      organization, month, project: project ?? null, madeAt: isoText(context.nowMs), open: monthAfter(monthMs) > context.nowMs,
      closed: closed === null ? null : { version: closed.version, at: isoText(closed.closedAtMs) },
      totals, parts, recordsGoneBefore: closed === null ? goneBefore(organization, monthMs) : null,
      priceList: { id: overlayId === null ? listId : `${overlayId} over ${listId}`, date: list.date },
      adjustment: adjustmentOf(totals.cost, amounts),
    }),
  };
}

/** Null: no call of the month was corrected. */
function adjustmentOf(cost: string, amounts: readonly bigint[]): Statement['adjustment'] {
  if (amounts.length === 0) return null;
  const amount = amounts.reduce((sum, each) => sum + each, 0n);
  return {
    correction: formatDollars(amount as NanoDollars), adjustedCost: formatDollars((unformatDollars(cost) + amount) as NanoDollars),
  };
}

/** A key's name, if it has one, with its id under it. */
function nameOf(name: string | null, names: ReadonlyMap<string, string> | null): Pick<StatementRow, 'name' | 'id'> {
  const known = name === null ? undefined : names?.get(name);
  return known === undefined || name === null ? { name } : { name: known, id: name };
}
