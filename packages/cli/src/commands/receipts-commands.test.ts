/** `metergate receipts` on a separate store: a file, its verdict and exit codes, a restored store, the keys. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
let organization: OrganizationId;
const at = (name: string): string => join(own.directory, name);
const ship = (segment: string, count: number): Promise<void> => own.inStore((store) =>
  store.calls.ship(batchOf(segment, Array.from({ length: count }, () => sampleRecord(organization, { startedAtMs: Date.now() })))));

before(async () => {
  own = await ownStore();
  organization = ((await own.json(['org', 'create', 'acme'])) as { id: OrganizationId }).id;
});
after(() => own?.end());

test('without a call there is nothing to export', async () => {
  const { code, stdout } = await own.run(['receipts', 'export', '--org', 'acme', '--out', 'none.jsonl', '--json']);
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).error.code, 'no_receipts');
});

test('for an organization that was erased without a call, nobody is asked to wait for receipts', async () => {
  const { id } = await own.json(['org', 'create', 'short-lived']) as { id: OrganizationId };
  await own.json(['org', 'erase', id, '--yes']);
  const { code, stdout } = await own.run(['receipts', 'export', '--org', id, '--out', 'none.jsonl', '--json']);
  assert.deepEqual([code, JSON.parse(stdout).error], [1, {
    code: 'no_receipts', message: 'This organization is erased, and it never had receipts.',
  }]);
});

test('a file is written, and verifies with the printed key, in a place without a store too', async () => {
  await ship('seg_1', 5);
  const made = await own.json(['receipts', 'export', '--org', 'acme', '--out', 'all.jsonl']) as Record<string, unknown>;
  assert.deepEqual([made.organization, made.first, made.last, made.receipts], [organization, 1, 5, 5]);
  writeFileSync(at('key.pem'), (await own.run(['receipts', 'public-key', '--org', 'acme'])).stdout);
  for (const env of [{}, { SVC_DATA_DIR: at('nowhere') }]) {
    const verdict = await own.json(['receipts', 'verify', 'all.jsonl', '--public-key', 'key.pem'], { env }) as Record<string, unknown>;
    assert.deepEqual([verdict.valid, verdict.checked, verdict.firstBad, verdict.keyGiven, 'storeBehind' in verdict], [true, 5, null, true, false]);
  }
  assert.match((await own.run(['receipts', 'verify', 'all.jsonl'])).stdout, /^Valid: 5 receipts .*\n.*give --public-key/);
});

test('an altered file exits 1 and names the place; a missing file and an invalid key are reported as such', async () => {
  const lines = readFileSync(at('all.jsonl'), 'utf8').split('\n');
  writeFileSync(at('altered.jsonl'), lines.map((line, index) => index === 3 ? line.replace('"status":"200"', '"status":"201"') : line).join('\n'));
  const { code, stdout } = await own.run(['receipts', 'verify', 'altered.jsonl', '--json']);
  assert.equal(code, 1);
  const { valid, checked, firstBad, fault } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual({ valid, checked, firstBad, fault }, { valid: false, checked: 2, firstBad: 3, fault: 'hash_differs' });
  assert.match((await own.run(['receipts', 'verify', 'altered.jsonl'])).stdout, /^NOT VALID from sequence 3: /);
  assert.match((await own.run(['receipts', 'verify', 'absent.jsonl'])).stderr, /absent\.jsonl does not exist/);
  assert.match((await own.run(['receipts', 'verify', 'all.jsonl', '--public-key', 'all.jsonl'])).stderr, /no Ed25519 public key/);
});

test('the receipt of one call is shown; of an unknown one not', async () => {
  const [call] = await own.json(['calls', 'list', '--org', 'acme', '--limit', '1']) as { id: string }[];
  const shown = await own.json(['receipts', 'show', call!.id]) as Record<string, unknown>;
  assert.deepEqual([shown.call, shown.sequence, shown.matches], [call!.id, 5, true]);
  assert.equal((await own.run(['receipts', 'show', 'req_none'])).code, 1);
});

test('another key signs after a rotation, and the first one still verifies', async () => {
  const rotated = await own.json(['receipts', 'rotate-key', '--org', 'acme']) as { keys: unknown[]; pem: string };
  assert.equal(rotated.keys.length, 2);
  await ship('seg_2', 3);
  await own.json(['receipts', 'export', '--org', 'acme', '--out', 'rotated.jsonl']);
  for (const pem of [readFileSync(at('key.pem'), 'utf8'), rotated.pem]) {
    writeFileSync(at('one.pem'), pem);
    assert.equal((await own.run(['receipts', 'verify', 'rotated.jsonl', '--public-key', 'one.pem'])).code, 0);
  }
  const { stdout } = await own.run(['audit', 'list', '--org', 'acme', '--json']);
  assert.match(stdout, /rotateReceiptKey/);
});

test('a store that was restored to an earlier moment is reported, by verify and by doctor', async () => {
  const store = at(join('data', 'metergate.db'));
  await own.inStore((each) => each.erasure.settle());
  copyFileSync(store, at('earlier.db'));
  await ship('seg_3', 4);
  await own.json(['receipts', 'export', '--org', 'acme', '--out', 'later.jsonl']);
  assert.match((await own.run(['doctor'])).stdout, /receipts .*holds every receipt/);
  for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
  copyFileSync(at('earlier.db'), store);
  const { code, stdout } = await own.run(['receipts', 'verify', 'later.jsonl', '--json']);
  assert.equal(code, 1);
  const { valid, storeBehind } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual({ valid, storeBehind }, { valid: true, storeBehind: { store: 8, file: 12 } });
  const doctor = await own.run(['doctor', '--json']);
  assert.equal(doctor.code, 1);
  assert.deepEqual((JSON.parse(doctor.stdout) as { storeBehind: unknown }).storeBehind, { organization, store: 8, file: 12 });
  // The restored store continues: it becomes as long as before, but different.
  await ship('seg_4', 6);
  const differs = await own.run(['receipts', 'verify', 'later.jsonl', '--json']);
  assert.deepEqual([differs.code, JSON.parse(differs.stdout).storeDiffers], [1, { at: 12 }]);
});

test('verify reports records removed for their age as such, and not as a restored store', async () => {
  organization = ((await own.json(['org', 'create', 'aged'])) as { id: OrganizationId }).id;
  await ship('seg_5', 4);
  await own.json(['receipts', 'export', '--org', 'aged', '--out', 'young.jsonl']);
  await own.inStore(async (store) => {
    await store.organizations.set(organization, { keepRecordsDays: 31 });
    while ((await store.retention.removeSlice(organization, { nowMs: Date.now() + 32 * 86_400_000, rowsMax: 2 })).more);
  });
  const young = await own.run(['receipts', 'verify', 'young.jsonl', '--json']);
  const { valid, storeBehind, storeDiffers } = JSON.parse(young.stdout) as Record<string, unknown>;
  assert.deepEqual([young.code, valid, storeBehind, storeDiffers], [0, true, undefined, undefined]);
  const none = await own.run(['receipts', 'export', '--org', 'aged', '--out', 'none.jsonl', '--json']);
  assert.match(none.stdout, /removed because of its age/);
  await ship('seg_6', 2);
  await own.json(['receipts', 'export', '--org', 'aged', '--out', 'left.jsonl']);
  const left = await own.json(['receipts', 'verify', 'left.jsonl']) as Record<string, unknown>;
  assert.deepEqual([left.valid, left.checked, left.first, (left.pruned as { last: number }).last], [true, 2, 5, 4]);
  const text = (await own.run(['receipts', 'verify', 'left.jsonl'])).stdout;
  assert.match(text, /The receipts up to 4 are not in it: their calls were removed for their age/);
  const checks = (JSON.parse((await own.run(['doctor', '--json'])).stdout) as { checks: { name: string; message: string }[] }).checks;
  assert.doesNotMatch(JSON.stringify(checks.filter(({ name }) => name === 'receipts')), new RegExp(organization));
  const removed = checks.find(({ name }) => name === 'retention')!.message;
  assert.match(removed, /^1 organization keeps records for a number of days; 4 were removed so far\.$/);
  await own.inStore((store) => store.calls.ship(batchOf('seg_7', [sampleRecord(organization, { startedAtMs: Date.now() - 40 * 86_400_000 })])));
  const behind = (JSON.parse((await own.run(['doctor', '--json'])).stdout) as { checks: typeof checks }).checks;
  assert.match(behind.find(({ name }) => name === 'retention')!.message, /past their age are still there: .* keeps records 31 days, and has one of /);
});
