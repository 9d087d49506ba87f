/** Which nodes a month waits for: those that may still hold calls of it, and no other. Decision 145. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierCallsOf } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NodeReport } from '@metergate/store/operation/node-reports.ts';
import { awaitedNodes } from './month-waiting.ts';

const endMs = Date.UTC(2026, 9, 1);
const hourMs = 3_600_000;
const [acme, zeta] = ['org_acme', 'org_zeta'] as [OrganizationId, OrganizationId];
const idle: NodeReport = {
  node: 'node_1', host: 'host-of-others',
  version: '0', runtime: 'v26', startedAtMs: endMs - 100 * hourMs, state: 'ready', reasons: [], callsInFlight: 0,
  oldestCallMs: null, callsForwarded: 0, callsRefused: 0, faults: 0, liveRuns: 0,
  journal: { rowsToShip: 0, lagMs: 0, bytes: 0, rowsInMemory: 0, setAside: 0 }, settingsAgeMs: 0, eventLoopDelayMs: 0, spendDifferences: 0,
  leases: null,
};
/** Why it is waited for; null: it is not. */
const reasonOf = (changes: Partial<NodeReport>, atMs: number = endMs + 2 * hourMs, organization: OrganizationId = acme): string | null =>
  awaitedNodes([{ report: { ...idle, ...changes }, atMs }], { organization, cell: 0, endMs, nowMs: endMs + 2 * hourMs })[0]?.reason ?? null;
const journal = (changes: Partial<NodeReport['journal']>) => ({ journal: { ...idle.journal, ...changes } });

test('a node that shipped all up to after the end of the month is not waited for', () => {
  assert.equal(reasonOf({}), null);
  assert.equal(reasonOf({ callsInFlight: 9, oldestCallMs: endMs + hourMs }), null);
  assert.equal(reasonOf({ state: 'unready', ...journal({ lagMs: hourMs }) }), null);
});

test('a node is waited for if its journal, its memory or a call under way may hold calls of the month', () => {
  assert.match(reasonOf(journal({ lagMs: 3 * hourMs }))!, /shipped up to 2026-09-30T23:00:00\.000Z/);
  assert.match(reasonOf(journal({ rowsInMemory: 2 }))!, /wait in its memory/);
  assert.match(reasonOf(journal({ setAside: 1 }))!, /refused some of its records/);
  assert.match(reasonOf({ callsInFlight: 1, oldestCallMs: endMs - 1 })!,
    /^A call that began before the end of the month has not ended\. The node runs an earlier version/);
  const { oldestCallMs: _, ...earlier } = { ...idle, callsInFlight: 1 };
  const [told] = awaitedNodes([{ report: earlier, atMs: endMs + hourMs }], { organization: acme, cell: 0, endMs, nowMs: endMs + hourMs });
  assert.match(told!.reason, /does not report since when/);
});

test('a node that has not reported since is waited for, unless it stopped in order with nothing left', () => {
  assert.match(reasonOf({}, endMs - 1)!, /did not stop normally/);
  const [soon] = awaitedNodes([{ report: idle, atMs: endMs + 46_000 }], { organization: acme, cell: 0, endMs, nowMs: endMs + 47_000 });
  assert.match(soon!.reason, /^The month ended less than a minute before its last report\. Try again in a minute\.$/, 'it runs');
  assert.equal(reasonOf({ state: 'stopped' }, endMs - 1), null);
  assert.match(reasonOf({ state: 'stopped', ...journal({ rowsToShip: 4 }) }, endMs - 1)!, /stopped at .* with records that are not shipped/);
});

test('no reason names a machine', () => {
  const reasons = [reasonOf({}, endMs - 1), reasonOf(journal({ setAside: 1 })), reasonOf({ callsInFlight: 1, oldestCallMs: 1 })];
  for (const reason of reasons) assert.doesNotMatch(reason!, /host-of-others/);
});

test('a process that has just started may not have looked at the journal that it found', () => {
  const startedAtMs = endMs + 2 * hourMs - 10_000;
  assert.match(reasonOf({ startedAtMs })!, /started at .* Try again in half a minute/);
  assert.equal(reasonOf({ startedAtMs }, startedAtMs + 40_000), null);
});

test('a call of one organization holds up its own month, and no other', () => {
  const calls = (nowMs: number) => earlierCallsOf([
    { organization: acme, beganMs: endMs - hourMs }, { organization: zeta, beganMs: endMs + hourMs },
  ], nowMs);
  const changes = { callsInFlight: 2, oldestCallMs: endMs - hourMs, earlierCalls: calls(endMs + 2 * hourMs) };
  assert.match(reasonOf(changes)!, /^A call that began before the end of the month has not ended, or its record is on its way\.$/);
  assert.equal(reasonOf(changes, undefined, zeta), null);
  assert.match(reasonOf({ ...changes, callsInFlight: 0, oldestCallMs: null })!, /on its way/, 'it ended, and is not in the store');
  assert.match(reasonOf({ ...changes, earlierCalls: calls(endMs - 1) }, undefined, zeta)!, /Since the end of the month it has not reported whose/);
});

test('records that the store refused hold up the month of those whose they are, or every month where that cannot be read', () => {
  const aside = (setAsideOf: readonly OrganizationId[] | null) => journal({ setAside: 1, setAsideOf });
  assert.match(reasonOf(aside([acme]))!, /refused some of its records/);
  assert.equal(reasonOf(aside([acme]), undefined, zeta), null);
  assert.match(reasonOf(aside(null), undefined, zeta)!, /refused some of its records/);
  const stopped = reasonOf({ state: 'stopped', ...journal({ setAside: 0, setAsideOf: [acme] }) });
  assert.match(stopped!, /refused some of its records/, 'from before the start');
});

test('a cell that is away holds up the months of its own organizations alone', () => {
  const inCell = (cell: number, changes: Partial<NodeReport>, atMs = endMs + 2 * hourMs): string | null =>
    awaitedNodes([{ report: { ...idle, ...changes }, atMs }], { organization: acme, cell, endMs, nowMs: endMs + 2 * hourMs })[0]?.reason ?? null;
  const away = journal({ lagMs: 3 * hourMs, rowsToShip: 4, lagMsOfCells: { 0: 40, 1: 3 * hourMs } });
  assert.equal(inCell(0, away), null);
  assert.match(inCell(1, away)!, /shipped up to 2026-09-30T23:00:00\.000Z/);
  assert.match(inCell(2, away)!, /does not report yet .* Try again/);
  const stopped = { state: 'stopped' as const, ...journal({ rowsToShip: 4, lagMsOfCells: { 0: 0, 1: null } }) };
  assert.equal(inCell(0, stopped, endMs - 1), null);
  for (const cell of [1, 2]) assert.match(inCell(cell, stopped, endMs - 1)!, /with records that are not shipped/);
});
