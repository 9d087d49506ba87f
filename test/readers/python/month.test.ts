/**
 * The verifier in docs/verify_month.py, written only from docs/month.md and docs/receipts.md, agrees with ours: on a closed month with all kinds of
 * lines, after a rotation, after an erasure, and on every way to tamper. On the newest Python that is found; if there is none, one line says so.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as nodeTest } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { setAllocationRules } from '@metergate/platform/use-cases/allocation/allocation-rules.ts';
import { checkMonth } from '@metergate/platform/use-cases/months/check-month.ts';
import { closeAndShow, exportMonth } from '@metergate/platform/use-cases/months/months.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { Store } from '@metergate/store/store.ts';
import { batchOf, granted, openTestStore, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { pythons } from '../../tap/pythons.ts';

const directory = mkdtempSync(join(tmpdir(), 'metergate-python-month-'));
const script = fileURLToPath(new URL('../../../docs/verify_month.py', import.meta.url));
const python = pythons().at(-1);
if (python === undefined) {
  nodeTest('Pythons of this machine', (context) => context.diagnostic('no Python is found: the second verifier is not asked'));
}
const test = python === undefined ? nodeTest.skip : nodeTest;
const [september, october, november] = [8, 9, 10].map((month) => Date.UTC(2026, month, 1)) as [number, number, number];
let store: Store;
let organization: OrganizationId;
let whole: string;
let key: string;

const context = () => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs: november + 1 });

/** September, then October with calls and a bill of September that came late. */
before(async () => {
  store = await openTestStore(`sqlite:${join(directory, 'store.db')}`);
  organization = (await granted(store.organizations.create({ name: 'acme', plan: 'team' }))).id;
  const texts = ['', 'naïve', '🤖', '\u2028\u2029', '"\\/\b\f\n\r\t\u0001\u007f', 'team:a', 'team:ü,2:c'];
  const records = (monthMs: number, count: number) => Array.from({ length: count }, (_, index) => sampleRecord(organization, {
    startedAtMs: monthMs + index * 3_600_000, project: index % 5 === 0 ? null : texts[index % texts.length]!,
    labels: texts.slice(0, index % texts.length), model: texts[(index + 3) % texts.length]!, cost: nanoDollars(BigInt(index) * 1_234_567n),
  }));
  const bill = (difference: bigint) => store.corrections.record({
    organization, provider: 'openai', fromMs: september, toMs: september + 86_400_000, bill: 'ab'.repeat(32),
    days: [{ dayMs: september, model: 'naïve', ours: nanoDollars(5n), theirs: nanoDollars(5n + difference) }],
  });
  await setAllocationRules(context(), organization, { rules: [{ byLabel: 'team:*' }], markup: '3.5', rest: { split: 'own-shares' },
    currency: { code: 'EUR', rate: '0.9', date: '2026-09-30' } });
  await store.calls.ship(batchOf('seg_1', records(september, 60)));
  await store.calls.ship(batchOf('seg_2', records(october, 60)));
  for (const monthMs of [september, october]) {
    assert.ok(!isRefusal(await closeAndShow(context(), { organization, monthMs })));
    await store.calls.ship(batchOf(`seg_late_${monthMs}`, records(september, 3)));
    await bill(monthMs === september ? 77n : 78n);
  }
  whole = await fileOf();
  key = (await store.receipts.open(organization)).keys.at(-1)!.publicKey;
});
after(async () => {
  await store?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function fileOf(): Promise<string> {
  const made = await exportMonth(context(), { organization, monthMs: october });
  assert.ok(!isRefusal(made));
  let text = '';
  for await (const piece of made.pieces) text += Buffer.from(piece.bytes).toString('utf8');
  return text;
}

interface Verdict { readonly valid: boolean; readonly month: string | null; readonly adjustedCost: string | null; readonly line: number | null }

const run = promisify(execFile);

async function inPython(text: string, given: string | null): Promise<Verdict> {
  const path = join(directory, 'month.jsonl');
  writeFileSync(path, text);
  const { stdout } = await run(python!.path, [script, path, ...(given === null ? [] : [given])])
    .catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const { valid, month, adjustedCost, line } = JSON.parse(stdout) as Verdict;
  return { valid, month, adjustedCost, line };
}

async function ours(text: string, given: string | null): Promise<Verdict> {
  const bytes = async function* () { yield Buffer.from(text, 'utf8'); };
  const { valid, month, adjustedCost, line } = await checkMonth(bytes(), given === null ? null : [given]);
  return { valid, month, adjustedCost, line };
}

test('both find a month with all kinds of lines valid, with the key and without, after a rotation and after an erasure', async () => {
  const kinds = new Set(whole.trimEnd().split('\n').map((line) => (JSON.parse(line) as { type: string }).type));
  assert.deepEqual([...kinds].sort(), ['allocation', 'calls', 'day', 'end', 'late', 'late_correction', 'month', 'name', 'rules', 'team', 'total']);
  for (const given of [key, null]) {
    const [own, other] = [await ours(whole, given), await inPython(whole, given)];
    assert.deepEqual([own.valid, own.month, other], [true, '2026-10', own]);
  }
  await store.receipts.rotateKey(organization);
  const rotated = await fileOf();
  assert.deepEqual([(await ours(rotated, key)).valid, await inPython(rotated, key)], [true, await ours(rotated, key)]);
  await granted(store.erasure.begin(organization));
  while (await store.erasure.eraseSlice());
  const erased = await fileOf();
  assert.doesNotMatch(erased, /team:a/);
  assert.deepEqual([(await ours(erased, key)).valid, await inPython(erased, key)], [true, await ours(erased, key)]);
});

test('both refuse each file that was altered, and name the same line', async () => {
  const other = Buffer.alloc(32, 7).toString('base64');
  const lines = whole.trimEnd().split('\n');
  const at = (type: string): number => lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const without = (index: number): string => `${lines.toSpliced(index, 1).join('\n')}\n`;
  const twice = (index: number): string => `${lines.toSpliced(index, 0, lines[index]!).join('\n')}\n`;
  const changed = (from: RegExp, to: string): string => {
    const text = whole.replace(from, to);
    assert.notEqual(text, whole, String(from));
    return text;
  };
  const files: readonly (readonly [what: string, text: string, key: string | null])[] = [
    ['another key', whole, other], ['nothing', '', key], ['no end', without(lines.length - 1), key], ['no head', without(0), key],
    ['a second end', twice(lines.length - 1), key], ['a second head', twice(0), key],
    ...['name', 'calls', 'day', 'late', 'late_correction', 'rules', 'allocation', 'team', 'total'].flatMap((type) => [
      [`without a line of ${type}`, without(at(type)), key] as const, [`a line of ${type} twice`, twice(at(type)), key] as const,
    ]),
    ['a name', changed(/naïve/, 'naive'), key], ['a cost', changed(/("type":"calls".*?"cost":")/, '$19'), key],
    ['a count', changed(/"calls":"1"/, '"calls":"2"'), key], ['the version', changed(/"version":1/, '"version":2'), key],
    ['the month', changed(/"month":"2026-10","version"/, '"month":"2026-09","version"'), key],
    ['the sequence', changed(/"sequence":(\d+)/, '"sequence":1$1'), key], ['the currency', changed(/"EUR"/, '"USD"'), key],
    ['a space', changed(/"type":"total",/, '"type":"total", '), key], ['a member more', changed(/"type":"day",/, '"type":"day","more":1,'), key],
    ['the signature', changed(/"signature":"(.)/, (lines.at(-1)!.includes('"signature":"A') ? '"signature":"B' : '"signature":"A')), key],
  ];
  for (const [what, text, given] of files) {
    const [own, theirs] = [await ours(text, given), await inPython(text, given)];
    assert.deepEqual([own.valid, theirs.valid, theirs.line], [false, false, own.line], what);
  }
});
