/**
 * Files of receipts, made from a real store: whole ones verify with only the public key; of a hundred that were tampered with, all are
 * found and the place is named. A store that was changed behind the product's back gets no signature.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { nanoDollars } from '@metergate/core/money.ts';
import { formatLine, parseLine, type FileLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { linkText } from '@metergate/core/books/receipt/receipt.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { sha256 } from '@metergate/store/sealing/chain/receipt-keys.ts';
import { batchOf, drawing, sampleRecord, startMs } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, granted, platformFixture, type PlatformFixture, type TestOrganization } from '../../http/test-support/platform-fixture.ts';
import { checkReceipts } from './check-receipts.ts';
import { receiptFileOf, useCasesOf } from './test-support/receipt-files.ts';
import { tamperings } from './test-support/tamperings.ts';
import { pemOf, rawKeysIn } from './public-key-pem.ts';
import { rotateReceiptKey, showReceipt, showReceiptKeys, type ReceiptsQuery } from './receipts.ts';

const place = freshSqlite();
let context: PlatformFixture;
let one: TestOrganization;
const count = 1_200;

const useCases = () => useCasesOf(context);
const fileOf = (query: Partial<ReceiptsQuery> = {}): Promise<string> => receiptFileOf(context, one, query);
async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text, 'utf8');
  for (let from = 0; from < bytes.length; from += 7_001) yield bytes.subarray(from, from + 7_001);
}
const verdictOf = (text: string, trusted: readonly string[] | null = null) => checkReceipts(piecesOf(text), trusted);
const keyOf = async (): Promise<string> => granted(await showReceiptKeys(useCases(), one.id)).keys.at(-1)!.publicKey;
const ship = (segment: string, from: number, to: number): Promise<void> => context.store.calls.ship(batchOf(segment,
  Array.from({ length: to - from }, (_, index) => sampleRecord(one.id, {
    startedAtMs: startMs + from + index, cost: (from + index) % 9 === 0 ? null : nanoDollars(BigInt(index)), project: `p${index % 4}`,
    labels: index % 2 === 0 ? [] : ['naïve', '\u2028"'], firstByteMs: index / 3,
  }))));

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  for (let from = 0; from < count; from += 300) await ship(`seg_${from}`, from, from + 300);
});
after(async () => {
  await context?.end();
  place.remove();
});

test('a whole file verifies with only the public key', async () => {
  const text = await fileOf();
  const verdict = await verdictOf(text, [await keyOf()]);
  const { valid, checked, firstBad, first, last, withoutWords } = verdict;
  assert.deepEqual({ valid, checked, firstBad, first, last, withoutWords },
    { valid: true, checked: count, firstBad: null, first: 1, last: count, withoutWords: 0 });
  assert.equal(text.split('\n').filter((line) => line.startsWith('{"type":"checkpoint"')).length, 1);
});

test('a part of the chain verifies too, and says where it begins and ends', async () => {
  const verdict = await verdictOf(await fileOf({ fromMs: startMs + 1_010, toMs: startMs + 1_100 }), [await keyOf()]);
  assert.deepEqual([verdict.valid, verdict.checked, verdict.first, verdict.last], [true, 90, 1_011, 1_100]);
});

test('another\'s key does not do, nor a key of another kind', async () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const strange = rawKeysIn(publicKey.export({ format: 'pem', type: 'spki' }).toString())!;
  const { valid, fault, firstBad } = await verdictOf(await fileOf(), strange);
  assert.deepEqual({ valid, fault, firstBad }, { valid: false, fault: 'unknown_key', firstBad: 1 });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' }).toString();
  assert.deepEqual([rawKeysIn(rsa), rawKeysIn('no key')], [null, null]);
  assert.deepEqual(rawKeysIn(pemOf(await keyOf())), [await keyOf()]);
});

test('of more than a hundred files that were tampered with at random, all are found and the place is named', async () => {
  const whole = await fileOf({ fromMs: startMs + 900 });
  const key = await keyOf();
  const draw = drawing(0x5eed_0001);
  for (const [name, tamper] of Object.entries(tamperings)) {
    for (let time = 0; time < 10; time++) {
      const lines = whole.trimEnd().split('\n');
      const expected = tamper(lines, draw);
      const { valid, firstBad, fault } = await verdictOf(`${lines.join('\n')}\n`, [key]);
      assert.deepEqual({ name, valid, firstBad, found: fault !== null }, { name, valid: false, firstBad: expected, found: true });
    }
  }
});

test('nobody without the key can make a file that verifies: not by rehashing to the end, not with another key', async () => {
  const whole = (await fileOf()).trimEnd().split('\n');
  let previous = '';
  const forged = whole.map((text) => {
    const line = parseLine(text)!;
    if (line.type === 'head') previous = line.previous;
    if (line.type !== 'receipt') return formatLine(line.type === 'head' ? line : { ...line, hash: previous });
    const figures = { ...line.figures, cost: '0.000000000' };
    previous = sha256(linkText({ sequence: line.sequence, previous, wordsDigest: line.wordsDigest }, figures));
    return formatLine({ ...line, figures, hash: previous });
  });
  const { valid, fault, firstBad } = await verdictOf(`${forged.join('\n')}\n`);
  // The first signed checkpoint comes after record 1,200.
  assert.deepEqual([valid, fault, firstBad], [false, 'bad_signature', 1_201]);
});

test('a head, an end and anything outside the lines are checked too', async () => {
  const whole = await fileOf();
  const lines = whole.trimEnd().split('\n');
  const head = lines[0]!;
  const otherId = `${one.id.slice(0, -1)}${one.id.endsWith('x') ? 'y' : 'x'}`;
  const faults = await Promise.all([
    '', 'x', '\n', whole.slice(0, -1), ` ${whole}`, `${whole}${lines.at(-1)}\n`, `${whole}\n`, whole.replace('\n', '\r\n'),
    lines.slice(1).join('\n') + '\n', whole.replace(head, head.replace('"first":1', '"first":2')), whole.replace(head, `${head}\n${head}`),
    whole.replace('{"type":"receipt",', '{"type":"receipt","type":"receipt",'), whole.replace('"sequence":3,', '"sequence":3.0,'),
    whole.replace(head, head.replace(one.id, otherId)), whole.replace(/"signature":"...../, '"signature":"AAAAA'),
  ].map(async (text) => (await verdictOf(text)).valid));
  assert.deepEqual(faults, faults.map(() => false));
  const bytes = Buffer.from(whole, 'utf8');
  bytes[200] = 0xff;
  assert.equal((await checkReceipts((async function* () { yield bytes; })(), null)).valid, false);
});

test('a single receipt: its record, its place, the checkpoint over it; only for its own organization', async () => {
  const { record } = (await context.store.receipts.page(one.id, { first: 500, last: 500, limit: 1 }))[0]!;
  const shown = granted(await showReceipt(useCases(), record.id, one.id));
  assert.deepEqual([shown.sequence, shown.matches, shown.words!.project, shown.checkpoint!.last >= 500], [500, true, 'p3', true]);
  const other = await context.organization('other');
  const answers = await Promise.all([one, other].map(({ tokens }) =>
    context.ask(`/platform/v1/calls/${record.id}/receipt`, { token: tokens.viewer })));
  assert.deepEqual(answers.map(({ status }) => status), [200, 404]);
  assert.equal(answers[0]!.body.hash, shown.hash);
});

test('over HTTP: the same file, the keys for everybody, their rotation only for admins', async () => {
  const token = one.tokens.viewer;
  const answer = await context.ask('/platform/v1/receipts', { token });
  assert.equal(answer.status, 200);
  assert.equal((await verdictOf(answer.text, [await keyOf()])).valid, true);
  const part = await context.ask('/platform/v1/receipts?from=2026-01-05T00:00:00.100Z&to=2026-01-05T00:00:00.200Z', { token });
  assert.equal((await verdictOf(part.text)).checked, 100);
  const keys = await context.ask('/platform/v1/receipt-keys', { token });
  assert.match(String(keys.body.pem), /^-----BEGIN PUBLIC KEY-----\n/);
  assert.equal((await context.ask('/platform/v1/receipt-keys/rotate', { method: 'POST', token: one.tokens.member })).status, 403);
  const none = await context.ask('/platform/v1/receipts', { token: (await context.organization('empty')).tokens.viewer });
  assert.deepEqual([none.status, (none.body.error as { code: string }).code], [404, 'no_receipts']);
});

test('after a rotation the file verifies with the new key and with the one before it', async () => {
  const old = await keyOf();
  granted(await rotateReceiptKey(useCases(), one.id));
  await ship('seg_rotated', count, count + 10);
  const text = await fileOf();
  assert.notEqual(await keyOf(), old);
  for (const key of [old, await keyOf()]) assert.equal((await verdictOf(text, [key])).valid, true);
  const lines = text.trimEnd().split('\n');
  const head = parseLine(lines[0]!) as Extract<FileLine, { type: 'head' }>;
  const follows = head.keys[1]!.follows!;
  const forged = { ...head.keys[1]!, follows: { ...follows, signedByPrevious: follows.signedByItself } };
  const unvouched = formatLine({ ...head, keys: [head.keys[0]!, forged] });
  assert.equal((await verdictOf(text.replace(lines[0]!, unvouched), [old])).fault, 'unknown_key');
});

test('records that were changed in the store get no signature, also if hashes and the head were made to fit', async () => {
  const database = new DatabaseSync(place.url.slice('sqlite:'.length), { timeout: 5_000 });
  try {
    const differs = (sequence: number) => (fault: unknown) => fault instanceof StoreFault && fault.code === 'receipts_differ'
      && fault.message.includes(`sequence ${sequence} on`);
    database.exec('begin; update call_record set cost_nano = 1 where receipt_sequence = 700');
    database.exec('commit');
    await assert.rejects(fileOf(), differs(700));
    // Outside of what is written, but before the next signed checkpoint: it could be the reason for the file.
    await assert.rejects(fileOf({ fromMs: startMs + 100, toMs: startMs + 200 }), differs(700));
    const { cost_nano: cost } = database.prepare('select cost_nano from call_record where receipt_sequence = 701').get() as { cost_nano: number };
    assert.notEqual(cost, 1);
    const [call] = await context.store.receipts.page(one.id, { first: 700, last: 700, limit: 1 });
    assert.equal(granted(await showReceipt(useCases(), call!.record.id)).matches, false);
    database.exec('delete from call_record where receipt_sequence = 1100');
    database.exec(`update call_record set cost_nano = ${699 % 300}, cost_source = 'priced' where receipt_sequence = 700`);
    await assert.rejects(fileOf(), differs(1_100));
  } finally {
    database.close();
  }
});
