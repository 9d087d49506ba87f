/** What the doctor finds about nodes, clocks, journals, descriptors and certificates, and that each finding says what to do. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NodeReport } from '@metergate/store/operation/node-reports.ts';
import { certificateFinding } from './certificates.ts';
import { descriptorsFinding } from './descriptors.ts';
import { examineJournal } from './journal.ts';
import { clockFinding, namesFindings, nodesFindings } from './nodes.ts';

const node = (id: string, silentMs: number, state: 'live' | 'quarantined' | 'free') =>
  ({ id, startedAtMs: 0, heardAtMs: 1_000_000 - silentMs, state, leases: 3, outdated: false });

test('live nodes are named; a silent one is reported with its leases and what to do', () => {
  assert.deepEqual(nodesFindings([], 0).map(({ state }) => state), ['warn']);
  assert.match(nodesFindings([], 0)[0]!.message, /metergate gateway$/);
  const [heard, silent, freed] = nodesFindings([node('a', 0, 'live'), node('b', 40_000, 'quarantined'), node('c', 600_000, 'free')], 1_000_000);
  assert.equal(heard!.message, '1 gateway node reports: a.');
  assert.match(silent!.message, /^b was last heard 40 s ago\. It holds 3 leases/);
  assert.match(freed!.message, /^c was last heard 10 min ago\. What it held .* was freed\. Start it again/);
});

test('a live node from which an upgraded store takes nothing is named, with what to do', () => {
  const findings = nodesFindings([node('a', 0, 'live'), { ...node('b', 0, 'live'), outdated: true }], 1_000_000);
  assert.deepEqual(findings.map(({ state }) => state), ['ok', 'warn']);
  assert.match(findings[1]!.message, /takes no records from b: .*Restart them with this version/);
});

test('a live node that sends statements without names is named, with what to do', () => {
  const nodes = [node('a', 0, 'live'), node('b', 0, 'live'), node('c', 600_000, 'free')];
  const reports = nodes.map(({ id }) => ({ atMs: 0, report: { node: id, ...(id === 'a' ? {} : { namesLost: true }) } as NodeReport }));
  assert.deepEqual(namesFindings(nodes, reports.slice(0, 1)), []);
  const [found, ...more] = namesFindings(nodes, reports);
  assert.deepEqual([found!.state, more], ['ok', []]);
  assert.match(found!.message, /^b sends statements without names, .* max_prepared_statements/);
});

test('a clock is off by what the question itself does not explain', () => {
  const around = { askedMs: 10_000, answeredMs: 14_000 };
  assert.equal(clockFinding(11_000, around).state, 'ok');
  assert.match(clockFinding(4_000, around).message, /6 s ahead of the store's/);
  assert.match(clockFinding(20_000, around).message, /6 s behind the store's/);
});

test('few descriptors are warned of with the command that raises them', () => {
  assert.deepEqual([1_024, 65_536, Infinity].map((limit) => descriptorsFinding(limit).state), ['warn', 'ok', 'ok']);
  assert.match(descriptorsFinding(1_024).message, /307 callers at once\. Raise it with ulimit -n/);
});

test('a certificate that ends soon is warned of, one that has ended fails', () => {
  const day = 86_400_000;
  assert.deepEqual([60, 10, -1].map((days) => certificateFinding('the store', days * day, 0).state), ['ok', 'warn', 'fail']);
});

test('a journal is reported with its size, and refused records with their place', () => {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-doctor-'));
  try {
    assert.equal(examineJournal(directory), null);
    mkdirSync(join(directory, 'journal', 'refused'), { recursive: true });
    writeFileSync(join(directory, 'journal', 'seg_a.log'), 'x');
    assert.equal(examineJournal(directory)?.message, '1 segment, 1 MiB.');
    writeFileSync(join(directory, 'journal', 'refused', 'seg_a-1.json'), '{}');
    assert.match(examineJournal(directory)!.message, /^1 segment, 1 MiB\. The store refused 1 record: see .*refused/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
