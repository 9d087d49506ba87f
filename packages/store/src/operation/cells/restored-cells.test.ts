/** A cell, or the store itself, that was restored to an earlier moment than the other: what differs is named, and mended (decision 286). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { cellUrl } from '../../engine/cell-url.ts';
import { StoreFault } from '../../engine/fault.ts';
import { openWithCells, type Store } from '../../store.ts';
import { batchOf, granted, hashOf, postgresFixture, sampleRecord, testMasterKey, type EngineFixture } from '../../test-support/contract-fixture.ts';
import type { OpenCells } from './cells.ts';
import { compareCells } from './compare-cells.ts';
import type { CellComparison } from './directory.ts';
import { cellReach } from './reach.ts';

describe('cells that were restored', () => {
  let fixture: EngineFixture;
  let url: string;
  let store: Store;
  let cells: OpenCells;
  const opened: Store[] = [];
  const open = async (): Promise<void> => {
    ({ store, cells } = await openWithCells({ url, masterKey: testMasterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true }));
    opened.push(store);
  };
  const inCell = async (name: string): Promise<OrganizationId> =>
    (await granted(store.organizations.create({ name, plan: 'team' }))).id;
  const keyOf = async (organization: OrganizationId, text: string): Promise<string> => {
    const hash = hashOf(text);
    await granted(store.serviceKeys.create({ organization, name: null, project: null, expiresAtMs: null, hash, prefix: 'svc_live_x' }));
    return hash;
  };
  /** Keeps what a schema holds now; the result puts it back. */
  const keep = async (schema: string): Promise<() => Promise<void>> => {
    const own = cellUrl(url, schema);
    const kept = `kept_${randomBytes(4).toString('hex')}`;
    const tables = await fixture.query(own, 'select tablename as name from pg_tables where schemaname = current_schema()');
    const names = tables.map(({ name }) => String(name));
    await fixture.run(own, [`create schema ${kept}`, ...names.map((name) => `create table ${kept}."${name}" as table "${name}"`)]);
    return () => fixture.run(own, [
      'set session_replication_role = replica', `truncate ${names.map((name) => `"${name}"`).join(', ')}`,
      ...names.map((name) => `insert into "${name}" overriding system value table ${kept}."${name}"`),
    ]);
  };
  const mendAs = (name: string) => store.acting({ actor: { kind: 'operator', id: null, name }, detail: {} }).cells.mend();
  const trailOf = async (organization: OrganizationId) =>
    (await store.audit.list({ organization, limit: 100 }))!.map(({ action, actor }) => [action, actor.kind]);
  const agree = { differences: [], unread: [] };
  const said = ({ differences }: CellComparison) =>
    differences.map(({ cell, what, organization }) => [cell, what, organization]).sort((one, other) => (String(one) < String(other) ? -1 : 1));

  before(async () => {
    fixture = await postgresFixture();
    url = await fixture.newStoreUrl();
    await open();
    await granted(store.cells.add('east'));
    await fixture.query(url, 'update cell set added_at_ms = 0');
    await granted(store.cells.setState('default', 'drained'));
  });
  after(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await fixture.end();
  });

  test('the cell goes back: what it lost is made again without its keys, what was erased since is erased again', async () => {
    const [stays, gone] = [await inCell('stays'), await inCell('gone')];
    const key = await keyOf(stays, 'stays');
    const restore = await keep('east');
    const late = await inCell('late');
    const lateKey = await keyOf(late, 'late');
    assert.equal('refused' in await store.erasure.begin(gone), false);
    assert.deepEqual(await store.cells.compare(), agree);
    await restore();
    await open();
    // As a node ships it again from its journal.
    await (await cells.of(late)).store().then((own) => own.calls.ship(batchOf('seg_again', [sampleRecord(late)])));
    const expected = [['east', 'erased', gone], ['east', 'lacking', late]].sort((one, other) => (String(one) < String(other) ? -1 : 1));
    assert.deepEqual(said(await store.cells.compare()), expected);
    assert.deepEqual(said(await mendAs('op')), expected);
    assert.deepEqual([await store.cells.compare(), await store.cells.mend()], [agree, agree]);
    assert.deepEqual([await trailOf(gone), await trailOf(late)], [[['eraseOrganization', 'operator']], [['createOrganization', 'operator']]]);
    assert.equal((await store.organizations.find(late))!.name, 'late');
    assert.equal((await keptCalls(store, late)).length, 1);
    assert.equal(await store.settings.keyByHash(lateKey), null);
    assert.equal((await store.settings.keyByHash(key))!.organization, stays);
    assert.deepEqual((await store.organizations.list()).filter(({ id }) => id === gone), []);
    const again = await keyOf(late, 'late, again');
    assert.equal((await store.settings.keyByHash(again))!.organization, late);
  });

  test('the store itself goes back: what its cells have is found again, its keys too, under a name that nobody has', async () => {
    const stays = await inCell('stays, too');
    const [{ schema }] = await fixture.query(url, 'select current_schema() as schema') as [{ schema: string }];
    const restore = await keep(schema);
    const longName = '𝔫'.repeat(200);
    const [late, other, long] = [await inCell('later'), await inCell('other'), await inCell(longName)];
    const [lateKey, stayingKey] = [await keyOf(late, 'later'), await keyOf(stays, 'a later key')];
    await restore();
    await open();
    assert.equal(await store.organizations.find(other), null);
    assert.equal(await store.settings.keyByHash(lateKey), null);
    // Another one of this name, which its cell therefore has under another one.
    const [taken, takenLong] = [await inCell('later'), await inCell(longName)];
    const expected = [['east', 'keys', stays], ...[late, other, long].map((id) => ['east', 'unplaced', id])]
      .sort((one, next) => (String(one) < String(next) ? -1 : 1));
    assert.deepEqual(said(await store.cells.mend()), expected);
    assert.deepEqual(await store.cells.compare(), agree);
    await open();
    assert.deepEqual([(await store.organizations.find(other))!.name, (await store.organizations.find('later'))!.id], ['other', taken]);
    const { organizations } = await cells.home.store();
    assert.equal((await organizations.find(late))!.name, `later ${late}`);
    assert.equal((await organizations.find(long))!.name, `${'𝔫'.repeat(199 - long.length)} ${long}`);
    const { name } = (await store.organizations.find(takenLong))!;
    assert.equal(name, `${'𝔫'.repeat(199 - takenLong.length)} ${takenLong}`, 'its cell had the name for the one before');
    assert.equal((await store.settings.keyByHash(lateKey))!.organization, late);
    assert.equal((await store.settings.keyByHash(stayingKey))!.organization, stays);
  });

  test('the store itself goes back: an organization of a cell that was erased since is erased again with its accounts', async () => {
    const gone = await inCell('erased in its cell');
    await keyOf(gone, 'erased in its cell');
    await granted(store.members.create({ organization: gone, email: 'gone@example.com', passwordHash: 'x', role: 'owner' }));
    const [{ schema }] = await fixture.query(url, 'select current_schema() as schema') as [{ schema: string }];
    const restore = await keep(schema);
    await granted(store.erasure.begin(gone));
    await restore();
    await open();
    const kept = async () => Promise.all(['membership', 'key_place'].map(async (table) =>
      (await fixture.query(url, `select 1 from ${table} where organization = $1`, [gone])).length));
    assert.deepEqual(await kept(), [1, 1]);
    assert.deepEqual(said(await store.cells.compare()), [['east', 'erased', gone]]);
    assert.deepEqual(said(await mendAs('op')), [['east', 'erased', gone]]);
    assert.deepEqual([await store.cells.compare(), await kept()], [agree, [0, 0]]);
    assert.deepEqual([await store.organizations.find(gone), await store.organizations.find('erased in its cell')], [null, null]);
    assert.deepEqual(await fixture.query(url, "select id from person where email = 'gone@example.com'"), []);
    assert.deepEqual(await trailOf(gone), [['eraseOrganization', 'operator']]);
  });

  test('the store itself goes back to where an organization was in the making that its cell has erased since', async () => {
    const gone = await inCell('in the making');
    await granted((await (await cells.of(gone)).store()).erasure.begin(gone));
    await fixture.query(url, 'update organization_place set ready = 0 where organization = $1', [gone]);
    await store.cells.keepHouse();
    assert.deepEqual(said(await store.cells.mend()), [['east', 'erased', gone]]);
    assert.deepEqual([await store.cells.compare(), await store.organizations.find('in the making')], [agree, null]);
  });

  test('what is made and erased while they are compared is no difference', async () => {
    const gone = await inCell('erased meanwhile');
    const home = await cells.home.store();
    let looks = 0;
    const list: Store['organizations']['list'] = async () => {
      const listed = await home.organizations.list();
      looks += 1;
      if (looks > 1) return listed;
      await keyOf(await inCell('made meanwhile'), 'made meanwhile');
      await granted(store.erasure.begin(gone));
      return listed;
    };
    const busy: Store = { ...home, organizations: { ...home.organizations, list } };
    assert.deepEqual(await compareCells(cellReach(cells, busy, (own) => own)), agree);
    assert.equal(looks, 2);
  });
  test('a cell that fails in the middle of a read is named, and the others are compared all the same', async () => {
    await granted(store.cells.add('west'));
    const stays = await inCell('its key has no place');
    const hash = await keyOf(stays, 'without a place');
    await fixture.query(url, 'delete from key_place where hash = $1', [hash]);
    await open();
    await cells.look();
    const reach = cellReach(cells, await cells.home.store(), (own) => own);
    const away = new StoreFault('store_unreachable', 'The server went away.');
    const failing: typeof reach.at = async (cell) => {
      const own = await reach.at(cell);
      return cell.name !== 'west' ? own : { ...own, directory: { ...own.directory, ownKeys: () => Promise.reject(away) } };
    };
    const { differences, unread } = await compareCells({ ...reach, at: failing });
    assert.deepEqual(said({ differences, unread }), [['east', 'keys', stays]]);
    assert.deepEqual(unread, [{ cell: 'west', why: away.message }]);
    const gone: typeof reach.at = (cell) => (cell.name === 'west' ? Promise.reject(away) : reach.at(cell));
    assert.deepEqual((await compareCells({ ...reach, at: gone })).unread, unread);
  });
});
