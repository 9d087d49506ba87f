/** One journal, several cells: each takes its own rows, waits for nobody, and a segment goes when all of them are through with it. Decision 210. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallSink } from './call-sink.ts';
import { JournalParts } from './journal-parts.ts';
import { createShipper } from './shipper.ts';
import { journalFixture } from './test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

/** What a cell was given; it can be away. */
function sampleCell() {
  const cell = { kept: [] as string[], asked: 0, away: false };
  const marks = new Map<string, number>();
  const answering = (): void => {
    cell.asked += 1;
    if (cell.away) throw new Error('the cell is away');
  };
  const sink: CallSink = {
    async mark(segment) {
      answering();
      return marks.get(segment) ?? 0;
    },
    recorded: async () => new Set(),
    async ship({ segment, through, records }) {
      answering();
      for (const { seq, record } of records) if (seq > (marks.get(segment) ?? 0)) cell.kept.push(record.organization);
      marks.set(segment, Math.max(through, marks.get(segment) ?? 0));
    },
  };
  return Object.assign(cell, { sink });
}

function context(t: TestContext) {
  const journal = journalFixture(t, { rowsPerSegment: 2 });
  const parts = new JournalParts((organization) => (organization.startsWith('org_one') ? 1 : 0));
  const cells = [sampleCell(), sampleCell()];
  const shippers = cells.map(({ sink }, number) => {
    const shipper = createShipper({ directory: journal.directory, calls: sink, clock: () => 0, part: parts.of(number) });
    t.after(() => shipper.close());
    return shipper;
  });
  let number = 0;
  const call = (...organizations: string[]): void => {
    const openings = organizations.map((organization) => ({ ...sampleOpening(++number), organization: organization as OrganizationId }));
    for (const opening of openings) journal.journal.open(opening, assert.ifError);
    journal.endTurn();
    for (const opening of openings) journal.journal.close(sampleRecord(opening, number), () => {});
    journal.endTurn();
  };
  return { ...journal, cells, shippers, call };
}

test('each cell gets the rows of its organizations, once, and a segment goes after the last of them', async (t) => {
  const { cells: [home, one], shippers, call, writers } = context(t);
  call('org_home', 'org_one');
  call('org_one_too');
  await shippers[0]!.pass();
  assert.deepEqual([home!.kept, one!.kept], [['org_home'], []]);
  assert.ok(existsSync(writers[0]!.path));
  await shippers[1]!.pass();
  await shippers[0]!.pass();
  assert.deepEqual([home!.kept, one!.kept.sort()], [['org_home'], ['org_one', 'org_one_too']]);
  assert.ok(!existsSync(writers[0]!.path));
});

test('a cell that is away holds back segments with its rows alone, and is not asked about others', async (t) => {
  const { cells: [home, one], shippers, call, writers } = context(t);
  one!.away = true;
  call('org_one', 'org_home');
  call('org_home', 'org_home');
  call('org_home');
  await shippers[0]!.pass();
  await assert.rejects(shippers[1]!.pass(), /away/);
  await shippers[0]!.pass();
  assert.deepEqual(home!.kept, ['org_home', 'org_home', 'org_home', 'org_home']);
  assert.ok(existsSync(writers[0]!.path), 'it holds a row that its cell lacks');
  assert.ok(!existsSync(writers[1]!.path), 'it names nobody of the cell that is away');
  assert.equal(one!.asked, 1, 'once a pass');
  one!.away = false;
  await shippers[1]!.pass();
  assert.deepEqual(one!.kept, ['org_one']);
  assert.ok(!existsSync(writers[0]!.path));
});

test('the only part takes everything, whatever its number', async (t) => {
  const journal = journalFixture(t, { rowsPerSegment: 2 });
  const cell = sampleCell();
  const shipper = createShipper({ directory: journal.directory, calls: cell.sink, clock: () => 0, part: new JournalParts(() => 7).of(0) });
  t.after(() => shipper.close());
  journal.journal.open(sampleOpening(1), assert.ifError);
  journal.endTurn();
  journal.journal.close(sampleRecord(sampleOpening(1), 1), () => {});
  journal.endTurn();
  assert.equal(await shipper.pass(), 1);
});
