/** A node's report adds up the figures of its threads, also if they come at different moments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierCallsOf } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { GatewayThreadMetrics } from '@metergate/gateway/gateway-thread.ts';
import { nodeReportOf, type NodeFigures } from './node-reporter.ts';

const facts = { node: 'node_a', host: 'one', version: '0.1.0', runtime: 'v26.10.0', startedAtMs: 5 };
const earlierCalls = earlierCallsOf([{ organization: 'org_acme' as OrganizationId, beganMs: 1 }], 3e9);
const metrics = {
  inFlight: 2, forwarded: 12, refused: 3, faults: 0, liveRuns: 1, journal: { opened: 12, closed: 10, commits: 9, commitFailures: 0, waiting: 1 },
  snapshotAgeMs: 40, eventLoopDelayMs: 1, leases: null, earlierCalls,
} as unknown as GatewayThreadMetrics;
const figures = { recordsSetAside: 1, setAsideOf: ['org_acme' as OrganizationId], spendDifferences: 0, cellsAway: 0,
  rowsShipped: 8, recordsShipped: 6, shippedMs: 1_000 };
const now: NodeFigures = { unready: [], metrics, figures, journalBytes: 4_096, nowMs: 3_500 };

test('waiting records are closed and neither in the store nor set aside; the lag counts from when everything was shipped', () => {
  const { state, reasons, journal, callsInFlight } = nodeReportOf(facts, now);
  assert.deepEqual([state, reasons, callsInFlight], ['ready', [], 2]);
  assert.deepEqual(journal, { rowsToShip: 3, lagMs: 2_500, bytes: 4_096, rowsInMemory: 1, setAside: 1, setAsideOf: ['org_acme'] });
  assert.deepEqual(nodeReportOf(facts, now).earlierCalls, earlierCalls);
});

test('nothing waits if the store took more than was reported as closed, and time does not run backwards', () => {
  const { journal } = nodeReportOf(facts, { ...now, figures: { ...figures, recordsShipped: 20 }, nowMs: 900 });
  assert.deepEqual([journal.rowsToShip, journal.lagMs], [0, 0]);
});

test('a node that is not ready says why', () => {
  const sentence = 'The journal in data cannot be written: the disk is full.';
  const { state, reasons } = nodeReportOf(facts, { ...now, unready: [{ cause: 'journal', sentence }] });
  assert.deepEqual([state, reasons], ['unready', [sentence]]);
});
