/** Months as administration sees them: listed, shown, closed, reopened, handed out as a file. Rule 24b; docs/month.md. */
import { unformatDollars } from '@metergate/core/money.ts';
import { figuresOfTexts, type FigureTexts, type TotalFileLine } from '@metergate/core/books/month/month-file.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import { allocationDocument } from '../allocation/rules-fields.ts';
import { adjustmentOf } from '../corrections/corrections.ts';
import type { UseCaseContext } from '../context.ts';
import type { CallExport } from '../exports.ts';
import { findFigures, findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { addedUp, shownUsage, type ShownFigures } from '../usage.ts';
import { adjustedUsage } from './adjusted-usage.ts';
import { closeMonth, type CloseMonthInput } from './close-month.ts';
import { nodesWaitedFor, type AwaitedNode } from './month-waiting.ts';
import { linesOfMonth, monthFilePieces, namesOfMonth, totalOfMonth } from './read-month.ts';

/** One closing, as it was signed. */
interface ShownVersion {
  readonly version: number;
  readonly closedAt: string;
  readonly reopenedAt: string | null;
  /** Where the chain of receipts ended. */
  readonly sequence: number;
  readonly hash: string;
  readonly digest: string;
  readonly key: string;
  readonly signature: string;
}

/** What was learned of an earlier month after its closing. Money: US dollars with nine places. */
interface ShownLate {
  readonly month: string;
  readonly calls: number;
  readonly cost: string;
  readonly correction: string;
}

export interface ShownMonth {
  readonly month: string;
  /** `running`: not over yet. */
  readonly state: 'running' | 'open' | 'closed';
  /** The closing whose figures are shown; null: the current figures. */
  readonly version: number | null;
  readonly figures: ShownFigures;
  /** What bills differ by, on the month's own days. */
  readonly correction: string;
  /** By the month that it concerns; of a month that is not closed, empty until its closing. */
  readonly late: readonly ShownLate[];
  /** Cost, correction, and all that came late, together. */
  readonly adjustedCost: string;
  /** Nodes that it was closed without or, of a month that is over, that it waits for. */
  readonly nodes: readonly AwaitedNode[];
  readonly versions: readonly ShownVersion[];
}

export interface MonthQuery {
  /** Id or name; for an erased organization only its id. */
  readonly organization: string;
  readonly monthMs: number;
  /** One of its closings; by default the one in force. */
  readonly version?: number;
}

/** Refuses `unknown_organization`, `unknown_month` for a version that there is not. */
export async function showMonth(context: UseCaseContext, query: MonthQuery): Promise<ShownMonth | AdministrationRefusal> {
  const { monthMs } = query;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const versions = (await context.store.months.list(organization.id)).filter((each) => each.monthMs === monthMs);
  const shown = query.version === undefined ? versions.find(({ reopenedAtMs }) => reopenedAtMs === null)
    : versions.find(({ version }) => version === query.version) ?? noVersion(query);
  if (isRefusal(shown)) return shown;
  const isOver = monthAfter(monthMs) <= context.nowMs;
  const about = {
    month: monthName(monthMs), state: !isOver ? 'running' as const : versions.at(-1)?.reopenedAtMs === null ? 'closed' as const : 'open' as const,
    versions: versions.map(shownVersion),
  };
  if (shown !== undefined) return { ...about, version: shown.version, ...await frozenFigures(context, shown) };
  const rows = await adjustedUsage(context, { organization: organization.id, by: [], sinceMs: monthMs, untilMs: monthAfter(monthMs) });
  if (isRefusal(rows)) return rows;
  const figures = addedUp(rows);
  const correction = rows.reduce((sum, row) => sum + unformatDollars(row.correction), 0n);
  const nodes = isOver ? await nodesWaitedFor(context, organization.id, monthMs) : [];
  return { ...about, version: null, figures, ...adjustmentOf(figures.cost, correction), late: [], nodes };
}

async function frozenFigures(context: UseCaseContext, closed: ClosedMonth): Promise<Omit<ShownMonth, 'month' | 'state' | 'version' | 'versions'>> {
  const { figures, correction, adjustedCost } = await totalOfMonth(context.store, closed);
  const lines = await linesOfMonth(context.store, closed, ['late', 'late_correction', 'without']);
  const late = new Map<string, { calls: number; cost: bigint; correction: bigint }>();
  for (const line of lines) {
    if (line.type === 'without') continue;
    const sum = late.get(line.month) ?? { calls: 0, cost: 0n, correction: 0n };
    if (line.type === 'late') {
      sum.calls += Number(line.figures['calls']);
      sum.cost += unformatDollars(line.figures['cost']!);
    } else sum.correction += unformatDollars(line.amount);
    late.set(line.month, sum);
  }
  return {
    figures: shownFigures(figures), correction, adjustedCost,
    late: [...late].sort(([one], [other]) => (one < other ? -1 : 1)).map(([month, sum]) => {
      const { correction: amount } = adjustmentOf('0.000000000', sum.correction);
      return { month, calls: sum.calls, cost: adjustmentOf('0.000000000', sum.cost).correction, correction: amount };
    }),
    nodes: lines.filter((line) => line.type === 'without').map(({ node, reason }) => ({ node, reason })),
  };
}

function shownFigures(figures: FigureTexts): ShownFigures {
  return shownUsage([], { subjects: [], figures: figuresOfTexts(figures) });
}

/** The months that were ever closed, latest first, each with the figures that it was last closed with. Refuses `unknown_organization`. */
export async function listMonths(context: UseCaseContext, idOrName: string): Promise<ListedMonth[] | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const versions = await context.store.months.list(organization.id);
  const latest = [...Map.groupBy(versions, ({ monthMs }) => monthMs).values()].map((each) => each.at(-1)!);
  const listed: ListedMonth[] = [];
  for (const each of latest.toReversed()) {
    const { figures, correction, late, lateCorrection, adjustedCost }: TotalFileLine = await totalOfMonth(context.store, each);
    const { calls, cost } = shownFigures(figures);
    listed.push({
      id: monthName(each.monthMs), month: monthName(each.monthMs), state: each.reopenedAtMs === null ? 'closed' : 'open',
      ...shownVersion(each), calls, cost, correction, late, lateCorrection, adjustedCost,
    });
  }
  return listed;
}

export interface ListedMonth extends ShownVersion {
  /** The month, as paths name it. */
  readonly id: string;
  readonly month: string;
  /** `open`: it was closed, and reopened since. */
  readonly state: 'open' | 'closed';
  readonly calls: number;
  readonly cost: string;
  readonly correction: string;
  readonly late: string;
  readonly lateCorrection: string;
  readonly adjustedCost: string;
}

/** The month as it was closed. Refuses what `closeMonth` refuses. */
export async function closeAndShow(context: UseCaseContext, input: CloseMonthInput): Promise<ShownMonth | AdministrationRefusal> {
  const closed = await closeMonth(context, input);
  return isRefusal(closed) ? closed : showMonth(context, { organization: closed.organization, monthMs: closed.monthMs });
}

/** What was closed stays readable as its version. Refuses `month_not_closed`, `month_order`, `unknown_organization`. */
export async function reopenMonth(
  context: UseCaseContext, { organization: idOrName, monthMs }: MonthQuery,
): Promise<ShownMonth | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const reopened = await context.store.months.reopen({ organization: organization.id, monthMs });
  return isRefusal(reopened) ? reopened : showMonth(context, { organization: organization.id, monthMs });
}

export const monthFileType = 'application/x-ndjson';

/**
 * A closed month as a file that anyone can verify. Without a version the one in force: a month that was opened again has none until it is closed
 * once more. `people` false: without the text of rules that name people. Refuses `unknown_organization`, `unknown_month`.
 */
export async function exportMonth(
  context: UseCaseContext, query: MonthQuery, { people }: { readonly people: boolean } = { people: true },
): Promise<CallExport | AdministrationRefusal> {
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const versions = (await context.store.months.list(organization.id)).filter(({ monthMs }) => monthMs === query.monthMs);
  const closed = versions.find(({ version, reopenedAtMs }) => (query.version === undefined ? reopenedAtMs === null : version === query.version));
  if (closed === undefined) return noVersion(query, versions);
  const { keys } = await context.store.receipts.open(organization.id);
  const name = `metergate-month-${monthName(closed.monthMs)}-v${closed.version}.jsonl`;
  const without = people ? new Set<number>() : await textsNamingPeople(context, closed);
  return { contentType: monthFileType, fileName: name, pieces: piecesOf(monthFilePieces(context.store, closed, { keys, without })) };
}

/** The numbers of the names of a month that are rules of allocation with people in them. */
async function textsNamingPeople(context: UseCaseContext, closed: ClosedMonth): Promise<ReadonlySet<number>> {
  const texts = (await linesOfMonth(context.store, closed, ['rules'])).map(({ text }) => text);
  const names = await namesOfMonth(context.store, closed, texts);
  return new Set(texts.filter((number) => {
    const text = names.get(number) ?? null;
    return text !== null && allocationDocument(text).rules.some(({ people }) => people !== undefined);
  }));
}

async function* piecesOf(pieces: AsyncIterable<Uint8Array>): CallExport['pieces'] {
  for await (const bytes of pieces) yield { bytes, calls: 0, cost: 0n, place: null };
}

function noVersion({ monthMs, version }: MonthQuery, versions: readonly ClosedMonth[] = []): AdministrationRefusal {
  const month = monthName(monthMs);
  if (version !== undefined) return refuseInput('unknown_month', `${month} has no version ${version}.`);
  const latest = versions.at(-1);
  return refuseInput('unknown_month', latest === undefined ? `${month} was never closed.`
    : `${month} was opened again and is not closed. What was closed is there as version ${latest.version}.`);
}

function shownVersion({ version, closedAtMs, reopenedAtMs, sequence, hash, digest, key, signature }: ClosedMonth): ShownVersion {
  return {
    version, closedAt: isoText(closedAtMs), reopenedAt: isoText(reopenedAtMs),
    sequence, hash, digest, key, signature,
  };
}
