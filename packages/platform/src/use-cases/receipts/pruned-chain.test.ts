/**
 * A chain whose beginning was removed for its age: its files say so and verify, and a removal that the key did not sign is found.
 * Rule 24; decision 0032.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { formatLine, parseLine, type CheckpointLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { batchOf, sampleRecord, startMs } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, granted, platformFixture, type PlatformFixture, type TestOrganization } from '../../http/test-support/platform-fixture.ts';
import { checkReceipts } from './check-receipts.ts';
import { exportReceipts, showReceipt, showReceiptKeys, type ReceiptsQuery } from './receipts.ts';
import { receiptFileOf, useCasesOf } from './test-support/receipt-files.ts';

const place = freshSqlite();
const dayMs = 86_400_000;
const count = 2_600;
const cut = 1_200;
let context: PlatformFixture;
let one: TestOrganization;

const useCases = () => useCasesOf(context);
const fileOf = (query: Partial<ReceiptsQuery> = {}): Promise<string> => receiptFileOf(context, one, query);
async function verdictOf(text: string) {
  const key = granted(await showReceiptKeys(useCases(), one.id)).keys.at(-1)!.publicKey;
  return checkReceipts((async function* () { yield Buffer.from(text, 'utf8'); })(), [key]);
}
const differs = (fault: unknown): boolean => fault instanceof StoreFault && fault.code === 'receipts_differ';
/** Changes the bare table, and restores it afterwards. */
async function tampered(change: string, undo: string, held: () => Promise<void>): Promise<void> {
  const database = new DatabaseSync(place.url.slice('sqlite:'.length), { timeout: 5_000 });
  try {
    database.exec(change);
    await held();
  } finally {
    if (undo !== '') database.exec(undo);
    database.close();
  }
}

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  // A record a minute.
  for (let from = 0; from < count; from += 300) {
    await context.store.calls.ship(batchOf(`seg_${from}`, Array.from({ length: Math.min(300, count - from) }, (_, index) =>
      sampleRecord(one.id, { startedAtMs: startMs + (from + index) * 60_000 }))));
  }
  granted(await context.store.organizations.set(one.id, { keepRecordsDays: 31 }));
  // Records before number 1,350 are past their age.
  const nowMs = startMs + 1_350 * 60_000 + 31 * dayMs;
  while ((await context.store.retention.removeSlice(one.id, { nowMs, rowsMax: 400 })).more);
});
after(async () => {
  await context?.end();
  place.remove();
});

test('the whole file begins after the removed records, says so, and verifies', async () => {
  const text = await fileOf();
  const { valid, checked, first, last, pruned } = await verdictOf(text);
  assert.deepEqual([valid, checked, first, last, pruned?.last], [true, count - cut, cut + 1, count, cut]);
  assert.match(text.split('\n')[1]!, /^\{"type":"pruned",/);
});

test('a part that begins where the chain does says so too, a later one need not; a removed period has no receipts', async () => {
  const atMs = (record: number): number => startMs + record * 60_000;
  const straddling = await verdictOf(await fileOf({ fromMs: startMs, toMs: atMs(1_300) }));
  assert.deepEqual([straddling.valid, straddling.first, straddling.pruned?.last], [true, cut + 1, cut]);
  const later = await verdictOf(await fileOf({ fromMs: atMs(1_400), toMs: atMs(1_500) }));
  assert.deepEqual([later.valid, later.first, later.pruned], [true, 1_401, null]);
  const gone = await exportReceipts(useCases(), { organization: one.id, fromMs: startMs, toMs: atMs(900) });
  assert.match(JSON.stringify(gone), /no_receipts/);
});

test('the first receipt that is left shows what it follows', async () => {
  const [first] = await context.store.receipts.page(one.id, { first: 1, last: count, limit: 1 });
  const shown = granted(await showReceipt(useCases(), first!.record.id));
  assert.deepEqual([shown.sequence, shown.matches], [cut + 1, true]);
});

test('the statement about removed records cannot be altered, moved, doubled, or taken from another file', async () => {
  const lines = (await fileOf()).trimEnd().split('\n');
  const pruned = parseLine(lines[1]!) as CheckpointLine;
  const end = parseLine(lines.at(-1)!) as CheckpointLine;
  const withSecond = (...second: string[]): string => `${[lines[0]!, ...second, ...lines.slice(2)].join('\n')}\n`;
  assert.equal((await verdictOf(withSecond(lines[1]!))).valid, true);
  for (const text of [
    withSecond(formatLine({ ...pruned, last: pruned.last - 1 })), withSecond(formatLine({ ...pruned, hash: '0'.repeat(64) })),
    withSecond(formatLine({ ...pruned, at: '2026-01-01T00:00:00.000Z' })), withSecond(lines[1]!, lines[1]!),
    withSecond(formatLine({ ...pruned, type: 'checkpoint' })), withSecond(formatLine({ ...pruned, signature: end.signature })),
    withSecond(lines[2]!, lines[1]!),
  ]) assert.equal((await verdictOf(text)).valid, false);
  // Without it the file is part of a chain, like any other.
  assert.deepEqual([(await verdictOf(withSecond())).valid, (await verdictOf(withSecond())).pruned], [true, null]);
});

test('a beginning that nobody signed is found: forgotten, moved on, or forged', async () => {
  const checkpoint = 'select * from receipt_checkpoint order by last';
  const kept = new DatabaseSync(place.url.slice('sqlite:'.length), { readOnly: true });
  const [, second] = kept.prepare(checkpoint).all() as { last: number; hash: Uint8Array }[];
  const chain = kept.prepare('select * from receipt_chain').get() as Record<string, Uint8Array>;
  kept.close();
  const hex = (bytes: Uint8Array): string => `x'${Buffer.from(bytes).toString('hex')}'`;
  const undo = `update receipt_chain set pruned_last = ${cut}, pruned_hash = ${hex(chain['pruned_hash']!)},
    pruned_signature = ${hex(chain['pruned_signature']!)} where organization = '${one.id}'`;
  await tampered(`update receipt_chain set pruned_last = null where organization = '${one.id}'`, undo, async () => {
    await assert.rejects(fileOf(), differs);
  });
  await tampered(`update receipt_chain set pruned_last = ${second!.last}, pruned_hash = ${hex(second!.hash)} where organization = '${one.id}'`, undo,
    async () => { await assert.rejects(fileOf(), differs); });
  assert.equal((await verdictOf(await fileOf())).valid, true);
  await tampered(`delete from call_record where receipt_sequence <= ${second!.last}`, '', async () => {
    await assert.rejects(fileOf(), differs);
    await assert.rejects(fileOf({ fromMs: startMs + 1_400 * 60_000 }), differs);
  });
});
