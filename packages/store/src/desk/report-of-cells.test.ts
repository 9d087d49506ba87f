/** A report tells of each cell how far its rows are shipped, and whose calls of earlier months may not be in it; and what it says at the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierCallsOf, hasCallBefore } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { KeptNodeReport, NodeReport } from '../operation/node-reports.ts';
import { bestEffortWritesTo } from './best-effort-writes.ts';
import { ReportOfCells } from './report-of-cells.ts';

const november = Date.UTC(2026, 10, 1);
const [near, far] = ['org_near', 'org_far'] as [OrganizationId, OrganizationId];
const cellOf = (organization: string): number => (organization === far ? 1 : 0);
const earlier = (...open: readonly OrganizationId[]) =>
  earlierCallsOf(open.map((organization) => ({ organization, beganMs: november - 1 })), november + 3_600_000);
const journal = { rowsToShip: 3, lagMs: 9_000, bytes: 1, rowsInMemory: 0, setAside: 0, setAsideOf: [] };
const made = { state: 'ready', journal } as unknown as NodeReport;
const waits = ({ earlierCalls }: NodeReport, organization: OrganizationId) => hasCallBefore(earlierCalls!, organization, november);

test('a cell that is away delays the report on its own organizations, and on no others', () => {
  const shipped = new Map([[0, 4_900], [1, 4_900]]);
  const reports = new ReportOfCells({ shippedMs: () => shipped, cellOf });
  const first = reports.of({ report: { ...made, earlierCalls: earlier(near, far) }, nowMs: 5_000 });
  assert.deepEqual([waits(first, near), waits(first, far), first.journal.lagMsOfCells], [true, true, { 0: 100, 1: 100 }]);
  shipped.set(0, 14_000);
  reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 10_000 });
  const later = reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 15_000 });
  assert.deepEqual([waits(later, near), waits(later, far), later.journal.lagMsOfCells], [false, true, { 0: 1_000, 1: 10_100 }]);
});

test('without cells, and before anything is known of them, a report is as it was', () => {
  const shipped = new Map<number, number>();
  const reports = new ReportOfCells({ shippedMs: () => shipped, cellOf });
  const first = reports.of({ report: { ...made, earlierCalls: earlier(near) }, nowMs: 5_000 });
  reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 10_000 });
  const second = reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 15_000 });
  assert.deepEqual([waits(first, near), waits(second, near), 'lagMsOfCells' in second.journal], [true, true, false]);
  shipped.set(0, 19_000);
  reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 20_000 });
  assert.equal(waits(reports.of({ report: { ...made, earlierCalls: earlier() }, nowMs: 25_000 }), near), false);
});

test('a node that stops says of each cell whether all is in it, and its report is of the moment at which it was made', async () => {
  const said: KeptNodeReport[] = [];
  let nowMs = 1_000;
  const writes = bestEffortWritesTo({ nodeReports: { say: (_home: string, report: NodeReport, atMs: number) => {
    said.push({ report, atMs });
    nowMs += 60_000;
    return Promise.resolve();
  } } } as unknown as Parameters<typeof bestEffortWritesTo>[0], { home: 'home_a', nowMs: () => nowMs });
  const stopping = new ReportOfCells({ shippedMs: () => new Map([[0, 1], [1, 1]]), cellOf })
    .of({ report: { ...made, state: 'stopped' }, nowMs: 5_000 });
  assert.deepEqual(stopping.journal.lagMsOfCells, { 0: null, 1: null });
  writes.report(made);
  nowMs = 2_000;
  writes.report(stopping);
  await writes.last();
  nowMs = 200_000;
  writes.allShipped(new Set([1]));
  await writes.last();
  writes.allShipped(new Set());
  await writes.last();
  assert.deepEqual(said.map(({ report: { state, journal: { rowsToShip, lagMsOfCells } }, atMs }) => [state, rowsToShip, lagMsOfCells, atMs]), [
    ['ready', 3, undefined, 1_000], ['stopped', 3, { 0: null, 1: null }, 2_000], ['stopped', 3, { 0: 0, 1: null }, 200_000],
    ['stopped', 0, { 0: 0, 1: 0 }, 260_000],
  ]);
});
