/**
 * A store of several cells, each a schema of one PostgreSQL: every organization is wholly in one of them, and whoever asks the store finds it there.
 * Decision 210.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { isRefusal } from '../../engine/refusal.ts';
import { openWithCells, type Store } from '../../store.ts';
import {
  batchOf, granted, hashOf, postgresFixture, refusalCode, sampleRecord, startMs, testMasterKey, type EngineFixture,
} from '../../test-support/contract-fixture.ts';
import { cellUrl, schemaOfUrl } from '../../engine/cell-url.ts';
import { OpenCells } from './cells.ts';
import { cellReach, type CellReach } from './reach.ts';
import { routedProvidedPeople } from './routed-members.ts';
import { directoryLookMs, leastLoaded, type StoredCell } from './directory.ts';

describe('cells of a PostgreSQL store', () => {
  let fixture: EngineFixture;
  let url: string;
  let store: Store;
  let cells: OpenCells;
  const opened: Store[] = [];
  const passFile = process.env['PGPASSFILE'];
  let folder: string;

  async function open(masterKey: Uint8Array = testMasterKey): Promise<{ readonly store: Store; readonly cells: OpenCells }> {
    const both = await openWithCells({ url, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
    opened.push(both.store);
    return both;
  }

  /** As if it had been added long ago. */
  async function addCell(name: string): Promise<void> {
    await granted(store.cells.add(name));
    await fixture.query(url, "update cell set added_at_ms = 0 where name = $1", [name]);
  }

  let names = 0;
  const newOrganization = async (): Promise<OrganizationId> =>
    (await granted(store.organizations.create({ name: `organization ${++names}`, plan: 'team' }))).id;
  const cellOf = async (organization: string): Promise<string> => (await cells.of(organization)).name;
  const inCell = async (name: string): Promise<OrganizationId> => {
    for (;;) {
      const organization = await newOrganization();
      if (await cellOf(organization) === name) return organization;
    }
  };
  const newKey = (organization: OrganizationId, hash: string = hashOf(randomBytes(8).toString('hex'))) =>
    granted(store.serviceKeys.create({ organization, name: null, project: null, expiresAtMs: null, hash, prefix: 'svc_live_x' }));

  before(async () => {
    fixture = await postgresFixture();
    folder = mkdtempSync(join(tmpdir(), 'metergate-pass-'));
    process.env['PGPASSFILE'] = join(folder, 'pass');
    url = await fixture.newStoreUrl();
    ({ store, cells } = await open());
  });
  after(async () => {
    await Promise.all(opened.map((each) => each.close()));
    if (passFile === undefined) delete process.env['PGPASSFILE'];
    else process.env['PGPASSFILE'] = passFile;
    rmSync(folder, { recursive: true, force: true });
    await fixture.end();
  });

  test('a store has none but itself, and is then asked nothing more', async () => {
    assert.deepEqual(await store.cells.list(), []);
    assert.equal(cells.several, false);
    const organization = await newOrganization();
    assert.equal(await cellOf(organization), 'default');
  });

  test('a cell is a schema with a complete store; names are checked, and taken once', async () => {
    for (const name of ['', 'Upper', '1st', 'a-b', 'default', 'a'.repeat(41), 'x;drop']) {
      assert.equal(await refusalCode(store.cells.add(name)), 'invalid_name');
    }
    assert.equal(await refusalCode(store.cells.add('pg_own')), 'invalid_name');
    const [{ schema }] = await fixture.query(url, 'select current_schema() as schema') as [{ schema: string }];
    assert.equal(await refusalCode(store.cells.add(schema)), 'cell_exists', 'the store itself is no other cell');
    await granted(store.cells.add('order'));
    await granted(store.cells.setState('order', 'drained'));
    await addCell('east');
    await addCell('west');
    assert.equal(await refusalCode(store.cells.add('east')), 'cell_exists');
    assert.deepEqual((await store.cells.list()).map(({ name, state, away }) => [name, state, away]),
      [['default', 'open', null], ['order', 'drained', null], ['east', 'open', null], ['west', 'open', null]]);
    assert.equal((await fixture.query(cellUrl(url, 'east'), 'select version from metergate_schema')).length, 1);
  });

  test('a new organization goes to the open cell with the fewest', async () => {
    const made: string[] = [];
    for (let count = 0; count < 6; count += 1) made.push(await cellOf(await newOrganization()));
    assert.deepEqual(new Set(made), new Set(['default', 'east', 'west']));
    const loads = (await store.cells.list()).filter(({ state }) => state === 'open').map(({ organizations }) => organizations);
    assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, `${loads}`);
    await granted(store.cells.setState('west', 'drained'));
    const later = [await newOrganization(), await newOrganization(), await newOrganization()];
    assert.ok(!(await Promise.all(later.map(cellOf))).includes('west'));
    await granted(store.cells.setState('west', 'open'));
    assert.equal(await refusalCode(store.cells.setState('nowhere', 'open')), 'unknown_cell');
  });

  test('an organization is found by id and name, listed once, set in its cell; a name is unique across cells', async () => {
    const organization = await inCell('east');
    const found = (await store.organizations.find(organization))!;
    assert.equal((await store.organizations.find(found.name))!.id, organization);
    await granted(store.organizations.set(organization, { plan: 'scale' }));
    assert.equal((await store.organizations.find(organization))!.plan, 'scale');
    const listed = (await store.organizations.list()).filter(({ id }) => id === organization);
    assert.deepEqual(listed.map(({ plan }) => plan), ['scale']);
    assert.equal(await refusalCode(store.organizations.create({ name: found.name, plan: 'free' })), 'name_taken');
    const rows = await fixture.query(cellUrl(url, 'east'), 'select plan from organization where id = $1', [organization]);
    assert.deepEqual(rows, [{ plan: 'scale' }]);
  });

  test('what was begun by a process that ended is finished by whoever looks after the cells, and is nowhere to be found until then', async () => {
    const home = await cells.home.store();
    const east = cells.all.find(({ name }) => name === 'east')!;
    const begun = await granted(home.organizations.create({ name: 'half made', plan: 'team' }, { cell: east.number }));
    assert.equal(await store.organizations.find(begun.id), null);
    assert.equal(await refusalCode(store.organizations.create({ name: 'half made', plan: 'team' })), 'name_taken');
    await store.cells.keepHouse();
    await store.cells.keepHouse();
    assert.equal((await store.organizations.find('half made'))!.id, begun.id);
    assert.deepEqual(await home.directory.placesOf([begun.id]), [{ organization: begun.id, cell: east.number, ready: true }]);
  });

  test('keys are found by hash from another process, rotated, and revoked by id alone', async () => {
    const organization = await inCell('west');
    const [first, second] = [hashOf('first'), hashOf('second')];
    const key = await newKey(organization, first);
    const other = await open();
    assert.equal((await other.store.settings.keyByHash(first))!.id, key.id);
    assert.equal((await other.cells.ofKey(first)).name, 'west');
    await granted(other.store.serviceKeys.rotate(key.id, { hash: second, prefix: 'svc_live_y', formerUntilMs: 0 }));
    assert.equal((await store.settings.keyByHash(second))!.id, key.id);
    assert.equal(await refusalCode(other.store.serviceKeys.revoke(key.id, await inCell('east'))), 'unknown_key');
    assert.equal(isRefusal(await other.store.serviceKeys.revoke(key.id)), false);
    assert.equal(await store.settings.keyByHash(second), null);
    assert.equal(await refusalCode(store.serviceKeys.revoke('key_none')), 'unknown_key');
  });

  test('records, sums, caps, runs and receipts of an organization are in its cell alone', async () => {
    const organization = await inCell('east');
    const key = await newKey(organization);
    const limit = nanoDollars(10n ** 9n);
    const cap = await granted(store.caps.set({ organization, scope: 'organization', subject: null, window: 'month', limit, mode: 'refuse' }));
    const record = sampleRecord(organization, { key: key.id, startedAtMs: startMs });
    const own = await (await cells.of(organization)).store();
    await own.calls.ship(batchOf('seg_cells', [record]));
    assert.deepEqual((await keptCalls(store, organization)).map(({ id }) => id), [record.id]);
    assert.equal((await store.callPages.find(null, record.id))!.id, record.id);
    assert.equal((await store.caps.list(organization, startMs))[0]!.spent, record.cost);
    assert.equal((await store.receipts.find(record.id))!.record.id, record.id);
    assert.equal((await store.receipts.open(organization)).length, 1);
    const walked = [];
    for await (const part of store.callWalk.walk({ organization, fromMs: 0, toMs: startMs * 2 })) walked.push(...part);
    assert.equal(walked.length, 1);
    assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, []);
    assert.equal(isRefusal(await store.caps.remove(cap.id)), false);
    const home = await cells.home.store();
    assert.deepEqual(await keptCalls(home, organization), []);
  });

  test('a person\'s key needs their membership, and ends with it', async () => {
    const organization = await inCell('west');
    const person = (await granted(store.members.create({ organization, email: 'ada@example.com', passwordHash: 'x', role: 'member' }))).id;
    const owner = (await granted(store.members.create({ organization, email: 'eve@example.com', passwordHash: 'x', role: 'owner' }))).id;
    const hash = hashOf('a person\'s');
    const wanted = { organization, name: null, project: null, expiresAtMs: null, prefix: 'svc_live_p' };
    assert.equal(await refusalCode(store.serviceKeys.create({ ...wanted, hash, person: 'person_none' as typeof person })), 'unknown_member');
    await granted(store.serviceKeys.create({ ...wanted, hash, person }));
    await granted(store.serviceKeys.create({ ...wanted, hash: hashOf('the owner\'s'), person: owner }));
    assert.notEqual(await store.settings.keyByHash(hash), null);
    await granted(store.members.remove(organization, person, 'owner'));
    assert.equal(await store.settings.keyByHash(hash), null);
    // Where the process ended between the two cells, the next look does it.
    const home = await cells.home.store();
    await granted(home.members.create({ organization, email: 'bob@example.com', passwordHash: 'x', role: 'owner' }));
    await granted(home.members.remove(organization, owner, 'owner'));
    assert.notEqual(await store.settings.keyByHash(hashOf('the owner\'s')), null);
    await store.cells.keepHouse();
    assert.equal(await store.settings.keyByHash(hashOf('the owner\'s')), null);
  });

  test('what is proved, parted or lowered of a person is done in the organization\'s cell too, and no other cell is asked', async () => {
    const [organization, elsewhere] = [await inCell('west'), await inCell('east')];
    const member = (email: string, role: 'owner' | 'member', at = organization) =>
      granted(store.members.create({ organization: at, email, passwordHash: 'x', role }));
    await member('owner@moved.example', 'owner');
    let made = 0;
    const keyOf = async (person: PersonId, at = organization) => {
      const { id } = await granted(store.serviceKeys.create({
        organization: at, name: null, project: null, expiresAtMs: null, prefix: 'svc_live_p', hash: hashOf(`moved ${made += 1}`), person }));
      return async () => (await store.serviceKeys.find(at, id))!;
    };
    const cap = (person: PersonId) => granted(store.caps.set({
      organization, scope: 'person', subject: person, window: 'day', limit: nanoDollars(1n), mode: 'refuse' }));
    const capped = async () => (await store.caps.list(organization, Date.now())).map(({ cap: { subject } }) => subject);
    const whoLeft = async (person: PersonId) => (await fixture.query(cellUrl(url, 'west'),
      'select person from membership where person = $1', [person])).length;

    const email = 'ada@moved.example';
    await member(email, 'member', elsewhere);
    const claimant = await member(email, 'member');
    const key = await keyOf(claimant.id);
    await cap(claimant.id);
    const identity = { issuer: 'https://id.example', subject: 'ada', email, emailVerified: true };
    const { id: ada } = await granted(store.providedPeople.admit(identity, new Map([[elsewhere, 'member']])));
    assert.notEqual(ada, claimant.id);
    assert.deepEqual([(await key()).person, (await key()).revokedAtMs, await capped()], [ada, null, [ada]]);
    await store.cells.keepHouse();
    assert.deepEqual([(await key()).person, (await key()).revokedAtMs, await whoLeft(claimant.id)], [ada, null, 0]);

    const link = hashOf('a link that parts');
    await granted(store.passwordLinks.makeForMember(organization, ada, { tokenHash: link, expiresAtMs: 4e12 }));
    const { id: parted } = await granted(store.passwordLinks.use(link, 'y'));
    assert.deepEqual([(await key()).person, await capped()], [parted, [parted]]);
    await granted(store.members.setRole(organization, parted, { role: 'viewer', by: 'owner' }));
    assert.notEqual((await key()).disabledAtMs, null);

    // A process that ends between the two cells: the next look does it, in the order of the changes.
    const home = await cells.home.store();
    await member('bob@moved.example', 'member', elsewhere);
    const bob = await member('bob@moved.example', 'member');
    const his = await keyOf(bob.id);
    await cap(bob.id);
    const { id: proved } = await granted(home.providedPeople.admit(
      { ...identity, subject: 'bob', email: bob.email }, new Map([[elsewhere, 'member']])));
    await granted(home.members.setRole(organization, proved, { role: 'viewer', by: 'owner' }));
    assert.equal((await his()).person, bob.id);
    await store.cells.keepHouse();
    assert.deepEqual([(await his()).person, (await his()).disabledAtMs !== null, (await capped()).includes(proved)], [proved, true, true]);
    assert.deepEqual(await home.guests.changes(), []);

    // Where nothing changed, a sign-in reads one table of the default cell.
    const asked: string[] = [];
    const counted = cells.all.map((cell) => ({ ...cell, store: async () => (asked.push(cell.name), cell.store()) }));
    const followed = routedProvidedPeople.admit as (reach: CellReach, ...given: unknown[]) => Promise<unknown>;
    const reach = { ...cellReach(cells, home, (each) => each), cells: { all: counted } as unknown as OpenCells };
    await followed(reach, { ...identity, subject: 'bob', email: bob.email }, new Map([[elsewhere, 'member']]));
    assert.deepEqual(asked, []);
    await granted(store.members.remove(organization, proved, 'owner'));
    const actions = (await store.audit.list({ organization, subject: (await his()).id, limit: 9 }))!.map(({ action, actor }) => [action, actor.kind]);
    assert.deepEqual(actions, [['revokeKey', 'system'], ['setKey', 'system']]);
  });

  test('the audit trail of an organization is one list, page by page, of what happened in both cells', async () => {
    const organization = await inCell('east');
    const acting = store.acting({ actor: { kind: 'operator', id: null, name: 'op' }, detail: {} });
    for (let count = 0; count < 3; count += 1) {
      const hash = hashOf(`audited ${count}`);
      await granted(acting.serviceKeys.create({ organization, name: `k${count}`, project: null, expiresAtMs: null, hash, prefix: 'svc' }));
      await granted(acting.members.create({ organization, email: `m${count}@example.com`, passwordHash: 'x', role: 'member' }));
    }
    const whole = (await store.audit.list({ organization, limit: 100 }))!;
    assert.equal(whole.filter(({ action }) => action === 'createKey').length, 3);
    assert.equal(whole.filter(({ action }) => action === 'createUser').length, 3);
    const paged: string[] = [];
    for (let after: string | undefined; ;) {
      const query = { organization, limit: 2, ...(after === undefined ? {} : { after }) };
      const page: readonly { readonly id: string }[] = (await store.audit.list(query))!;
      if (page.length === 0) break;
      paged.push(...page.map(({ id }) => id));
      after = page.at(-1)!.id;
    }
    assert.deepEqual(paged, whole.map(({ id }) => id));
    assert.equal(await store.audit.list({ organization, limit: 2, after: 'evt_none' }), null);
  });

  test('a cell on another server is reached by its address, and its password comes from a file', async () => {
    const elsewhere = new URL(await fixture.freshUrl());
    elsewhere.search = '';
    assert.equal(await refusalCode(store.cells.add('far', elsewhere.href)), 'invalid_setting');
    const { hostname, port, username, password } = elsewhere;
    writeFileSync(join(folder, 'pass'), `${hostname}:${port}:*:${username}:${password}\n`, { mode: 0o600 });
    elsewhere.password = '';
    for (const address of ['sqlite:x', `${elsewhere.href}?options=-c%20search_path%3Dother`]) {
      assert.equal(await refusalCode(store.cells.add('far', address)), 'invalid_setting');
    }
    await granted(store.cells.add('far', elsewhere.href));
    await fixture.query(url, "update cell set added_at_ms = 0 where name = 'far'");
    const organization = await inCell('far');
    const hash = hashOf('far away');
    await newKey(organization, hash);
    const other = await open();
    assert.equal((await other.store.settings.keyByHash(hash))!.organization, organization);
    const { away, address } = (await other.store.cells.list()).find(({ name }) => name === 'far')!;
    assert.deepEqual([away, address], [null, elsewhere.href]);
    elsewhere.password = password;
    const kept = await fixture.query(cellUrl(elsewhere.href, 'far'), 'select organization from service_key');
    assert.deepEqual(kept, [{ organization }]);
  });

  test('an erased organization is gone from both cells, and its figures stay', async () => {
    const organization = await inCell('east');
    const hash = hashOf('erased');
    await newKey(organization, hash);
    const eraser = store.acting({ actor: { kind: 'operator', id: null, name: 'op' }, detail: {} });
    assert.equal(isRefusal(await eraser.erasure.begin(organization)), false);
    const erasures = await store.audit.list({ organization, action: 'eraseOrganization', limit: 10 });
    assert.deepEqual(erasures!.map(({ actor }) => actor.name), ['op'], 'told once');
    assert.equal(await store.organizations.find(organization), null);
    assert.equal(await store.settings.keyByHash(hash), null);
    assert.notEqual(await store.organizations.findErased(organization), null);
    assert.equal(await refusalCode(store.erasure.begin(organization)), 'unknown_organization');
    while (await store.erasure.eraseSlice());
    assert.deepEqual(await fixture.query(url, 'select hash from key_place where organization = $1', [organization]), []);
  });

  test('an erasure that was cut short between two cells is finished by whoever keeps house, or by asking again', async () => {
    const home = await cells.home.store();
    for (const ending of ['kept house', 'asked again'] as const) {
      const organization = await inCell('east');
      const hash = hashOf(`cut short, ${ending}`);
      await newKey(organization, hash);
      const east = await cells.all.find(({ name }) => name === 'east')!.store();
      if (ending === 'kept house') await home.directory.beginErasure(organization);
      await granted(east.erasure.begin(organization));
      assert.equal(await store.organizations.find(organization), null);
      assert.notEqual(await home.organizations.find(organization), null, 'its accounts are still there');
      if (ending === 'kept house') await store.cells.keepHouse();
      else await granted(store.erasure.begin(organization));
      assert.equal(await home.organizations.find(organization), null);
      assert.notEqual(await home.organizations.findErased(organization), null);
      assert.deepEqual(await fixture.query(url, 'select hash from key_place where organization = $1', [organization]), []);
      assert.equal(await refusalCode(store.erasure.begin(organization)), 'unknown_organization');
      assert.equal((await home.directory.erasing()).some((place) => place.organization === organization), false);
    }
  });

  test('a key that is refused leaves nothing in the directory', async () => {
    const organization = await inCell('east');
    const [hash, other] = [hashOf('refused'), hashOf('refused again')];
    const wanted = { organization, name: null, project: null, expiresAtMs: null, hash, prefix: 'svc_live_x' };
    assert.equal(await refusalCode(store.serviceKeys.create({ ...wanted, person: 'user_nobody' as never })), 'unknown_member');
    const key = await newKey(organization);
    await granted(store.serviceKeys.revoke(key.id));
    const rotated = store.serviceKeys.rotate(key.id, { hash: other, prefix: 'svc_live_y', formerUntilMs: 0 }, organization);
    assert.equal(await refusalCode(rotated), 'key_revoked');
    assert.deepEqual(await fixture.query(url, 'select hash from key_place where hash in ($1, $2)', [hash, other]), []);
  });

  test('a row of another organization is no place in the audit trail', async () => {
    const [one, other] = [await inCell('east'), await inCell('east')];
    await store.acting({ actor: { kind: 'operator', id: null, name: 'op' }, detail: {} }).organizations.set(other, { plan: 'free' });
    const [row] = (await store.audit.list({ organization: other, limit: 1 }))!;
    assert.equal(await store.audit.list({ organization: one, after: row!.id, limit: 5 }), null);
    assert.notEqual(await store.audit.list({ organization: other, after: row!.id, limit: 5 }), null);
  });

  test('the master key is rotated in every cell, also where a first attempt ended in the middle', async () => {
    const organization = await inCell('west');
    await granted(store.providers.connect(organization, 'openai', 'sk-secret').then((refusal) => refusal ?? { ok: true }));
    const next = new Uint8Array(32).fill(9);
    const west = await cells.all.find(({ name }) => name === 'west')!.store();
    assert.equal(isRefusal(await west.masterKey.rotate(next)), false);
    // A new process still has the old key: the cell that is ahead hands it over.
    const between = await open();
    assert.equal((await between.store.providers.state(organization, 'openai')).state, 'connected');
    assert.equal(isRefusal(await between.store.masterKey.rotate(next)), false);
    await store.masterKey.follow();
    const rotated = await open(next);
    assert.ok((await rotated.store.cells.list()).every(({ away }) => away === null));
    assert.equal((await rotated.store.providers.state(organization, 'openai')).state, 'connected');
  });
});

test('a process that keeps no house learns of the first cell when it asks; a number that the directory does not list is a fault', async () => {
  let nowMs = 0;
  let listed: StoredCell[] = [];
  let asked = 0;
  const places = new Map([['org_east', 1], ['org_lost', 7]]);
  const directory = {
    cells: async () => { asked += 1; return listed; },
    placesOf: async ([organization]: readonly string[]) =>
      (places.has(organization!) ? [{ organization, cell: places.get(organization!)!, ready: true }] : []),
  };
  const thread = new OpenCells({ home: { directory } as never, open: async () => ({}) as never, monotonicMs: () => nowMs });
  await thread.look();
  const cellOf = async (organization: string): Promise<string> => (await thread.of(organization)).name;
  assert.deepEqual([await cellOf('org_east'), asked], ['default', 1], 'it asks once in a while, not each time');
  listed = [0, 1].map((number) => ({ number, name: number === 0 ? 'default' : 'east', schema: '', state: 'open', addedAtMs: 0, address: '' }));
  nowMs += directoryLookMs;
  assert.deepEqual([await cellOf('org_east'), await cellOf('org_home')], ['east', 'default']);
  await assert.rejects(cellOf('org_lost'), /names cell 7/);
});

test('the fewest organizations decide; a cell that was added just now, or is drained, takes none', () => {
  const cell = (number: number, given: Partial<StoredCell> = {}): StoredCell =>
    ({ number, name: `c${number}`, schema: `c${number}`, state: 'open', addedAtMs: 0, address: '', ...given });
  const nowMs = 10 * directoryLookMs;
  assert.equal(leastLoaded([], new Map(), nowMs), 0);
  assert.equal(leastLoaded([cell(0), cell(1), cell(2)], new Map([[0, 2], [1, 1], [2, 1]]), nowMs), 1);
  assert.equal(leastLoaded([cell(0), cell(1, { state: 'drained' }), cell(2)], new Map([[0, 2], [2, 1]]), nowMs), 2);
  assert.equal(leastLoaded([cell(0), cell(1, { addedAtMs: nowMs - directoryLookMs })], new Map([[0, 2]]), nowMs), 0);
  assert.equal(leastLoaded([cell(0, { state: 'drained' }), cell(1, { state: 'drained' })], new Map(), nowMs), 0);
});

test('a cell\'s address is the store\'s with a search path, whatever options it has', () => {
  const url = 'postgres://u:p%40ss@host:5433/db?sslmode=require&options=-c%20lock_timeout%3D1s';
  const own = cellUrl(url, 'east');
  assert.equal(new URL(own).searchParams.get('options'), '-c lock_timeout=1s -c search_path=east');
  assert.equal(new URL(own).searchParams.get('sslmode'), 'require');
  assert.ok(!own.includes('+'));
  assert.equal(schemaOfUrl(new URL(own)), 'east');
  assert.equal(cellUrl(url, ''), url);
  assert.equal(schemaOfUrl(new URL(url)), null);
});
