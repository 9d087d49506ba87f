/** While the store is away the logs of segments stay short, so that no close moves much of one on the writer's thread. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { logBytesMax } from './log-upkeep.ts';
import { createShipper } from './shipper.ts';
import { journalFixture, segmentRows } from './test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

test('a store that is away: each pass keeps the logs within their bound, and every segment keeps its rows', async (t) => {
  const { directory, journal, endTurn, writers } = journalFixture(t, { rowsPerSegment: 1_500 });
  const away = async (): Promise<never> => { throw new Error('the store is away'); };
  const shipper = createShipper({ directory, calls: { ship: away, mark: away, recorded: away }, clock: () => 0 });
  t.after(() => shipper.close());
  const path = 'x'.repeat(4_000);
  for (let number = 1; number <= 3_000; number += 1) {
    const opening = { ...sampleOpening(number), path };
    journal.open(opening, assert.ifError);
    endTurn();
    journal.close(sampleRecord(opening, number), () => {});
    endTurn();
    if (number % 50 === 0) await assert.rejects(shipper.pass(), /away/);
  }
  const logs = writers.map(({ path: file }) => statSync(`${file}-wal`).size);
  assert.ok(writers.length >= 4);
  // Between two passes a log grows past the bound by what is written in them.
  for (const bytes of logs) assert.ok(bytes < logBytesMax * 1.5, `a log of ${bytes} bytes`);
  for (const writer of writers) writer.close();
  assert.equal(writers.flatMap(({ path: file }) => segmentRows(file).rows).length, 6_000);
});
