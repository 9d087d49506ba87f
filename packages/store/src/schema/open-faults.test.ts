/**
 * Places that cannot be a store: each is one clear sentence with a stable code and without a password.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';
import { granted, openTestStore, sampleRecord } from '../test-support/contract-fixture.ts';
import { StoreFault, type StoreFaultCode } from '../engine/fault.ts';

async function faultOf(work: Promise<unknown>): Promise<StoreFault> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof StoreFault, String(error));
    assert.match(error.message, /^[A-Z][^\n]*\.$/);
    return error;
  }
  throw new Error('no fault');
}

describe('a SQLite place that cannot be a store', () => {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-faults-'));
  after(() => {
    chmodSync(join(directory, 'closed'), 0o700);
    rmSync(directory, { recursive: true, force: true });
  });

  const place = (name: string): string => join(directory, name);
  const at = async (name: string, code: StoreFaultCode): Promise<void> => {
    const before = readdirSync(directory).sort();
    const fault = await faultOf(openTestStore(`sqlite:${place(name)}`));
    assert.equal(fault.code, code);
    assert.ok(fault.message.includes(directory), fault.message);
    assert.deepEqual(readdirSync(directory).sort(), before, 'nothing is left behind');
  };

  mkdirSync(place('closed'), { mode: 0o500 });
  mkdirSync(place('folder'));
  writeFileSync(place('text.db'), 'This is a letter, not a database. '.repeat(100));

  test('a directory that does not exist', () => at('missing/store.db', 'store_unreadable'));
  test('a directory', () => at('folder', 'store_unreadable'));
  test('a path through a file', () => at('text.db/store.db', 'store_unreadable'));
  test('a file that is not a database', () => at('text.db', 'store_unreadable'));

  test('the database of another program is not touched', async () => {
    const foreign = new DatabaseSync(place('foreign.db'));
    foreign.exec('create table photos (id integer primary key)');
    foreign.close();
    const fault = await faultOf(openTestStore(`sqlite:${place('foreign.db')}`));
    assert.equal(fault.code, 'store_unreadable');
    const reopened = new DatabaseSync(place('foreign.db'));
    assert.deepEqual(reopened.prepare('select name from sqlite_master').all().map((row) => row['name']), ['photos']);
    reopened.close();
  });

  test('an empty file is an empty place', async () => {
    writeFileSync(place('empty.db'), '');
    assert.equal((await faultOf(openTestStore(`sqlite:${place('empty.db')}`, { create: false }))).code, 'store_absent');
    await (await openTestStore(`sqlite:${place('empty.db')}`)).close();
  });

  test('a new store is readable only by its owner', async () => {
    await (await openTestStore(`sqlite:${place('mode.db')}`)).close();
    assert.equal(statSync(place('mode.db')).mode & 0o777, process.platform === 'win32' ? 0o666 : 0o600);
  });

  test('a directory that lets nobody write is named; root may write everywhere', async () => {
    const open = openTestStore(`sqlite:${place('closed/store.db')}`);
    if (process.getuid?.() === 0) await (await open).close();
    else assert.equal((await faultOf(open)).code, 'store_unreadable');
  });
});

test('an address that is neither SQLite nor PostgreSQL is refused without being repeated', async () => {
  for (const url of ['', 'sqlite:', 'sqlite::memory:', 'mysql://u:hunter2@h/d', 'postgres://[bad:hunter2@/x', '/var/lib/store.db']) {
    const fault = await faultOf(openTestStore(url));
    assert.equal(fault.code, 'bad_store_url');
    assert.ok(!fault.message.includes('hunter2'));
  }
});

describe('a PostgreSQL that does not let us in, or goes away', () => {
  let server: OwnPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  const withUrl = async (change: (url: URL) => void): Promise<StoreFault> => {
    const url = new URL(server.url);
    change(url);
    const fault = await faultOf(openTestStore(url.href));
    assert.ok(!fault.message.includes(url.password), 'no password in a message');
    return fault;
  };

  test('a wrong password, an unknown database, a host that does not exist, a port where nobody listens', async () => {
    assert.equal((await withUrl((url) => { url.password = 'hunter2hunter2'; })).code, 'store_unreachable');
    assert.match((await withUrl((url) => { url.pathname = '/nowhere'; })).message, /no such database/);
    assert.equal((await withUrl((url) => { url.hostname = 'no-such-host.invalid'; })).code, 'store_unreachable');
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const refused = await withUrl((url) => { url.port = String(port); });
    assert.equal(refused.code, 'store_unreachable');
    assert.match(refused.message, new RegExp(`127\\.0\\.0\\.1:${port}`));
  });

  test('while it is away everything is store_unreachable; when it is back the same store works on', async () => {
    const store = await openTestStore(await server.createDatabase());
    const { id } = await granted(store.organizations.create({ name: 'Acme', plan: 'free' }));
    const batch = { segment: 'seg_1', through: 1, records: [{ seq: 1, record: sampleRecord(id) }] };
    await server.pause();
    assert.equal((await faultOf(store.calls.ship(batch))).code, 'store_unreachable');
    assert.equal((await faultOf(store.settings.organization(id))).code, 'store_unreachable');
    await server.resume();
    await store.calls.ship(batch);
    assert.equal((await keptCalls(store, id)).length, 1);
    await store.close();
  });
});
