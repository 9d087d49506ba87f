/**
 * The verifier in docs/verify_receipts.py, written only from docs/receipts.md, agrees with ours: on whole files, on parts, after a
 * rotation, after an erasure, and on every way to tamper. On the newest Python that is found; if there is none, one line says so.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as nodeTest } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OrganizationId } from '@metergate/core/id.ts';
import { checkReceipts } from '@metergate/platform/use-cases/receipts/check-receipts.ts';
import { exportReceipts, type ReceiptsQuery } from '@metergate/platform/use-cases/receipts/receipts.ts';
import { tamperings } from '@metergate/platform/use-cases/receipts/test-support/tamperings.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { Store } from '@metergate/store/store.ts';
import { pythons } from '../../tap/pythons.ts';
import { batchOf, drawing, granted, openTestStore, sampleRecord, startMs } from '@metergate/store/test-support/contract-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'metergate-python-'));
const script = fileURLToPath(new URL('../../../docs/verify_receipts.py', import.meta.url));
const python = pythons().at(-1);
if (python === undefined) {
  nodeTest('Pythons of this machine', (context) => context.diagnostic('no Python is found: the second verifier is not asked'));
}
const test = python === undefined ? nodeTest.skip : nodeTest;
let store: Store;
let organization: OrganizationId;

before(async () => {
  store = await openTestStore(`sqlite:${join(directory, 'store.db')}`);
  organization = (await granted(store.organizations.create({ name: 'acme', plan: 'team' }))).id;
  for (let batch = 0; batch < 4; batch++) await ship(batch, 300);
});
after(async () => {
  await store?.close();
  rmSync(directory, { recursive: true, force: true });
});

function ship(batch: number, count: number): Promise<void> {
  const texts = ['', 'naïve', '🤖', '\u2028\u2029', '\ud83e', '\0', '"\\/\b\f\n\r\t\u0001\u007f', 'a:b,c'];
  return store.calls.ship(batchOf(`seg_${batch}`, Array.from({ length: count }, (_, index) => sampleRecord(organization, {
    startedAtMs: startMs + batch * 300 + index, project: index % 5 === 0 ? null : texts[index % texts.length]!,
    labels: texts.slice(0, index % texts.length), model: texts[(index + 3) % texts.length]!, firstByteMs: index / 7, durationMs: null,
    toolCalls: index % 3 === 0 ? { webSearch: index, webFetch: 0, fileSearch: 1, codeInterpreter: 0 } : null,
    costGaps: index % 4 === 0 ? ['audio', 'region'] : [],
  }))));
}

async function fileOf(query: Partial<ReceiptsQuery> = {}): Promise<string> {
  const made = await exportReceipts({ store, randomBytes: () => new Uint8Array(), nowMs: Date.now() }, { organization, ...query });
  assert.ok(!isRefusal(made));
  let text = '';
  for await (const piece of made.file.pieces) text += Buffer.from(piece.bytes).toString('utf8');
  return text;
}

interface Verdict {
  readonly valid: boolean;
  readonly checked: number;
  readonly firstBad: number | null;
}

const run = promisify(execFile);

async function inPython(text: string, key: string | null): Promise<Verdict> {
  const path = join(directory, 'file.jsonl');
  writeFileSync(path, text);
  const { stdout } = await run(python!.path, [script, path, ...(key === null ? [] : [key])])
    .catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return JSON.parse(stdout) as Verdict;
}

async function ours(text: string, key: string | null): Promise<Verdict> {
  const bytes = async function* () { yield Buffer.from(text, 'utf8'); };
  const { valid, checked, firstBad } = await checkReceipts(bytes(), key === null ? null : [key]);
  return { valid, checked, firstBad };
}

const newestKey = async (): Promise<string> => (await store.receipts.open(organization)).keys.at(-1)!.publicKey;

test('both find whole files valid: all of it, a part, after a rotation', async () => {
  for (const query of [{}, { fromMs: startMs + 250, toMs: startMs + 1_150 }]) {
    const text = await fileOf(query);
    const expected = { valid: true, checked: query.fromMs === undefined ? 1_200 : 900, firstBad: null };
    assert.deepEqual([await ours(text, await newestKey()), await inPython(text, await newestKey())], [expected, expected]);
  }
  await store.receipts.rotateKey(organization);
  await ship(4, 5);
  const text = await fileOf();
  const expected = { valid: true, checked: 1_205, firstBad: null };
  for (const key of [null, await newestKey()]) assert.deepEqual([await ours(text, key), await inPython(text, key)], [expected, expected]);
  const strange = Buffer.alloc(32, 1).toString('base64');
  const pem = join(directory, 'key.pem');
  const pemOf = (key: string): string => {
    const x = Buffer.from(key, 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
  };
  writeFileSync(pem, pemOf(await newestKey()));
  assert.deepEqual(await inPython(text, pem), expected, 'as the command prints it');
  const refused = { valid: false, checked: 0, firstBad: 1 };
  writeFileSync(pem, pemOf(Buffer.alloc(32, 1).toString('base64')));
  assert.deepEqual(await inPython(text, pem), refused);
  assert.deepEqual([await ours(text, strange), await inPython(text, strange)], [refused, refused]);
});

test('both find every tampering, at the same place', async () => {
  const whole = await fileOf({ fromMs: startMs + 900 });
  const draw = drawing(0x7a3b_0001);
  const key = await newestKey();
  for (const [name, tamper] of Object.entries(tamperings)) {
    for (let time = 0; time < 2; time++) {
      const lines = whole.trimEnd().split('\n');
      const expected = tamper(lines, draw);
      const text = `${lines.join('\n')}\n`;
      const [here, there] = [await ours(text, key), await inPython(text, key)];
      assert.deepEqual({ name, ...there }, { name, ...here });
      assert.deepEqual([here.valid, here.firstBad], [false, expected], name);
    }
  }
  for (const text of [
    '', '\n', whole.slice(0, -1), ` ${whole}`, whole.replaceAll('\n', '\r\n'), whole.replace('"sequence":901,', '"sequence":901.0,'),
    whole.replace('"sequence":901,', '"sequence":901,"sequence":901,'),
  ]) {
    assert.deepEqual(await inPython(text, key), await ours(text, key));
  }
});

test('both judge the form of the head before anything in it: a head without it is the first bad line, whatever it says comes first', async () => {
  const whole = await fileOf({ fromMs: startMs + 900 });
  const key = await newestKey();
  const signature = Buffer.alloc(64, 1).toString('base64');
  const follows = (signed: string): string => `{"at":"2026-01-01","signedByPrevious":"${signed}","signedByItself":"${signature}"}`;
  const heads: readonly (readonly [from: RegExp | string, to: string, firstBad: number])[] = [
    [/"first":\d+/, '"first":9007199254740993', 1],
    [/"first":\d+/, '"first":9007199254740992', 1],
    [/"first":\d+/, '"first":9007199254740991', 2 ** 53 - 1],
    [/"first":\d+/, `"first":1${'0'.repeat(400)}`, 1],
    [/"first":\d+/, '"first":-1', 1],
    [/"first":\d+/, '"first":0', 1],
    [/"first":\d+/, '"first":901.0', 1],
    [/"first":\d+/, '"first":true', 1],
    [/"organization":"[^"]*"/, '"organization":"\\ud83e"', 1],
    [/"organization":"[^"]*"/, '"organization":"another"', 901],
    [/"publicKey":"[^"]*"/, '"publicKey":"AAAA"', 1],
    [/"publicKey":"[^"]*"/, `"publicKey":"${'A'.repeat(42)}B="`, 1],
    [/"follows":null/, '"follows":{}', 1],
    [/"follows":null/, `"follows":${follows('AAAA')}`, 1],
    [/"follows":null/, `"follows":${follows(signature)}`, 901],
    [/"keys":\[.*\]/, '"keys":[]', 901],
  ];
  for (const [from, to, firstBad] of heads) {
    const text = whole.replace(from, to);
    assert.notEqual(text, whole, to);
    const expected = { valid: false, checked: 0, firstBad };
    assert.deepEqual([to, await ours(text, key), await inPython(text, key)], [to, expected, expected]);
  }
});

test('both find the file of an erased organization valid, without its words', async () => {
  await granted(store.erasure.begin(organization));
  const text = await fileOf();
  assert.doesNotMatch(text, /naïve/);
  const expected = { valid: true, checked: 1_205, firstBad: null };
  assert.deepEqual([await ours(text, await newestKey()), await inPython(text, await newestKey())], [expected, expected]);
});

test('both read a chain whose beginning was removed for its age, and both detect any forgery in it', async () => {
  organization = (await granted(store.organizations.create({ name: 'pruned', plan: 'team' }))).id;
  for (let batch = 5; batch < 9; batch++) await ship(batch, 300);
  await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
  const nowMs = startMs + 31 * 86_400_000 + 2_750;
  await ship(9, 100);
  while ((await store.retention.removeSlice(organization, { nowMs, rowsMax: 500 })).more);
  const text = await fileOf();
  const key = await newestKey();
  const expected = { valid: true, checked: 100, firstBad: null };
  assert.deepEqual([await ours(text, key), await inPython(text, key)], [expected, expected]);
  const [head, pruned, ...rest] = text.split('\n') as [string, string, ...string[]];
  assert.match(pruned, /^\{"type":"pruned",/);
  for (const second of [
    pruned.replace('"last":1200', '"last":1199'), `${pruned}\n${pruned}`, pruned.replace(/"at":"20../, '"at":"1999'),
    pruned.replace('"pruned"', '"checkpoint"'), pruned.replace('"first":1', '"first":2'),
  ]) {
    const altered = [head, second, ...rest].join('\n');
    const [here, there] = [await ours(altered, key), await inPython(altered, key)];
    assert.deepEqual([here.valid, there], [false, here], second);
  }
});
