/** An erasure is finished whatever happens on the way: the engine keeps no copy of what was overwritten. Rule 23. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beforeEach, afterEach, test } from 'node:test';
import { openStore, type Store } from '@metergate/store/store.ts';
import { freshSqlite, masterKey } from '../http/test-support/platform-fixture.ts';
import { createErasureFinisher } from './finish-erasures.ts';

const word = 'CANARY-of-the-erased';
let place: ReturnType<typeof freshSqlite>;
let store: Store;
const file = (): string => fileURLToPath(place.url.replace(/^sqlite:/, 'file:'));
const holdsWord = (): boolean => [file(), `${file()}-wal`].some((each) => existsSync(each) && readFileSync(each).includes(word));

beforeEach(async () => {
  place = freshSqlite();
  store = await openStore({ url: place.url, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
  const made = await store.organizations.create({ name: word, plan: 'free' });
  assert.ok('id' in made);
  assert.ok(!('refused' in await store.erasure.begin(made.id)));
});
afterEach(async () => {
  await store.close();
  place.remove();
});

test('if a process dies after its last slice, the next one finishes the erasure', async () => {
  while (await store.erasure.eraseSlice());
  assert.equal(holdsWord(), true);
  await createErasureFinisher(store)();
  assert.equal(holdsWord(), false);
});

test('if a reader prevents it, it is tried again, and done at the next start at the latest', async () => {
  const reader = new DatabaseSync(file());
  reader.exec('begin; select count(*) from organization');
  let pauses = 0;
  const finish = createErasureFinisher(store, async () => { pauses += 1; });
  await finish();
  assert.ok(pauses >= 10, `${pauses} pauses`);
  reader.exec('commit');
  reader.close();
  await finish();
  assert.equal(holdsWord(), false);
});

test('a store without erased organizations is not touched', async () => {
  const other = freshSqlite();
  const untouched = await openStore({ url: other.url, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
  const log = `${fileURLToPath(other.url.replace(/^sqlite:/, 'file:'))}-wal`;
  const before = readFileSync(log).length;
  await createErasureFinisher(untouched)();
  assert.ok(before > 0);
  assert.equal(readFileSync(log).length, before);
  await untouched.close();
  other.remove();
});
