/** Rows that the store took: counted once a whole batch is stored, and the records among them apart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOpening, sampleRecord } from '../journal/test-support/sample-call.ts';
import { countingRows } from './counted-rows.ts';

test('rows that the store took are counted, refused ones are not', async () => {
  let refuses = false;
  const { sink, sinceNow } = countingRows({
    mark: async () => 0, recorded: async () => new Set(),
    ship: async () => { if (refuses) throw new Error('away'); },
  });
  const record = sampleRecord(sampleOpening(1), 1);
  const end = { organization: record.organization, run: 'r', state: 'closed', atMs: 1 } as const;
  const batch = { segment: 's', through: 3, records: [{ seq: 1, record }], runEvents: [{ seq: 2, event: end }] };
  await sink.ship(batch);
  const taken = sinceNow();
  assert.deepEqual(taken(), { rows: 0, records: 0 });
  await sink.ship(batch);
  refuses = true;
  await assert.rejects(sink.ship(batch));
  assert.deepEqual(taken(), { rows: 2, records: 1 });
});
