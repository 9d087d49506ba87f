/**
 * Which nodes may still hold calls of an organization's month. A node reports every five seconds what its journal still holds and whose calls of
 * earlier months are under way; the report of one that ended otherwise than in order stays. Decisions 145, 316 and 331.
 */
import { clockMarginMs as marginMs, hasCallBefore } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import { homeCell } from '@metergate/store/operation/cells/directory.ts';
import type { KeptNodeReport, NodeReport } from '@metergate/store/operation/node-reports.ts';
import type { UseCaseContext } from '../context.ts';

export interface AwaitedNode {
  readonly node: string;
  /** A sentence for people. */
  readonly reason: string;
}

/** A process that has just started may not have looked at the journal that it found. */
const startedMs = 30_000;

/** A month of one organization. */
interface WaitingMonth {
  readonly organization: OrganizationId;
  /** The number of the cell that the organization is in. */
  readonly cell: number;
  /** The first instant after it. */
  readonly endMs: number;
  readonly nowMs: number;
}

/** A node reports every five seconds: after this time without a report it is away. */
const silentMs = 20_000;

/** Which nodes the closing of an organization's month waits for now. */
export async function nodesWaitedFor({ store, nowMs }: UseCaseContext, organization: OrganizationId, monthMs: number): Promise<AwaitedNode[]> {
  const [place] = await store.directory.placesOf([organization]);
  const month = { organization, cell: place?.cell ?? homeCell, endMs: monthAfter(monthMs), nowMs };
  return awaitedNodes(await store.nodeReports.listUnsettled(), month);
}

/** In the order of the reports. */
export function awaitedNodes(reports: readonly KeptNodeReport[], month: WaitingMonth): AwaitedNode[] {
  return reports.flatMap((report) => {
    const reason = reasonOf(report, month);
    return reason === null ? [] : [{ node: report.report.node, reason }];
  });
}

/** Organizations must not see the machine, nor others on it (decision 92): no host is named, nothing is counted, and no call's time is shown. */
function reasonOf({ report, atMs }: KeptNodeReport, { organization, cell, endMs, nowMs }: WaitingMonth): string | null {
  const { state, startedAtMs, journal } = report;
  if (hasSetAside(journal, organization)) return 'The store refused some of its records; they lie in the folder refused of its journal.';
  if (state === 'stopped') return isShippedWhole(journal, cell) ? null : `It stopped at ${isoText(atMs)} with records that are not shipped.`;
  if (atMs < endMs + marginMs && nowMs - atMs < silentMs) return 'The month ended less than a minute before its last report. Try again in a minute.';
  if (atMs < endMs + marginMs) return `It last reported at ${isoText(atMs)}, and did not stop normally.`;
  if (journal.rowsInMemory > 0) return 'Records wait in its memory: its journal cannot be written.';
  const lagMs = lagMsOf(journal, cell);
  if (lagMs === null) return "It does not report yet how far its journal is shipped to the organization's cell. Try again in half a minute.";
  const shippedMs = atMs - lagMs;
  if (shippedMs < endMs + marginMs) return `Its journal is shipped up to ${isoText(shippedMs)}.`;
  if (shippedMs < startedAtMs + startedMs) return `It started at ${isoText(startedAtMs)}, and may hold what it found. Try again in half a minute.`;
  return reasonOfCalls(report, { organization, endMs });
}

/** Without cells, and from a node of an earlier version, there is one figure for the whole journal. */
function lagMsOf({ lagMs, lagMsOfCells }: NodeReport['journal'], cell: number): number | null {
  return lagMsOfCells === undefined ? lagMs : lagMsOfCells[cell] ?? null;
}

/** Of a node that stopped. */
function isShippedWhole({ rowsToShip, rowsInMemory, lagMsOfCells }: NodeReport['journal'], cell: number): boolean {
  return rowsInMemory === 0 && (lagMsOfCells === undefined ? rowsToShip === 0 : lagMsOfCells[cell] === 0);
}

/** A node of an earlier version does not report whose records they are. */
function hasSetAside({ setAside, setAsideOf }: NodeReport['journal'], organization: OrganizationId): boolean {
  return setAsideOf === undefined ? setAside > 0 : setAsideOf === null || setAsideOf.includes(organization);
}

function reasonOfCalls(
  { callsInFlight, oldestCallMs, earlierCalls }: NodeReport, { organization, endMs }: Pick<WaitingMonth, 'organization' | 'endMs'>,
): string | null {
  if (earlierCalls !== undefined) {
    const has = hasCallBefore(earlierCalls, organization, endMs);
    if (has === null) return 'Since the end of the month it has not reported whose calls are under way. Try again in half a minute.';
    return has ? 'A call that began before the end of the month has not ended, or its record is on its way.' : null;
  }
  if (callsInFlight === 0) return null;
  if (oldestCallMs === undefined) return 'Calls are under way, and it does not report since when.';
  // Its time is not shown: it may be another organization's call.
  return oldestCallMs === null || oldestCallMs >= endMs + marginMs ? null
    : 'A call that began before the end of the month has not ended. The node runs an earlier version, which does not report whose it is.';
}
