/**
 * The store's contract, the same on SQLite and on a real PostgreSQL server.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { requestIdFrom, type OrganizationId } from '@metergate/core/id.ts';
import { nanoDollarsMax } from '@metergate/core/money.ts';
import { interruptedRecord } from '@metergate/core/record/call-record.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import {
  granted, hashOf, openTestStore, refusalCode, sampleRecord, shippedAgain, shippedAtOnce, startMs, type EngineFixture,
} from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { StoreFault } from '../engine/fault.ts';
import { isRefusal } from '../engine/refusal.ts';

const contractStore = contractStores();
const canary = 'sk-canary-0123456789-ABCDEFGHIJ';

for (const on of bothEngines) {
  describe(`store contract on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const faultCode = async (work: Promise<unknown>): Promise<string> => {
      try {
        await work;
        return 'none';
      } catch (error) {
        assert.ok(error instanceof StoreFault, String(error));
        assert.match(error.message, /^[A-Z].*\.$/, 'a fault is a sentence');
        return error.code;
      }
    };

    describe('opening', () => {
      test('without create a missing store is reported, and nothing is made', async () => {
        const nowhere = await context.freshUrl();
        assert.equal(await faultCode(openTestStore(nowhere, { create: false })), 'store_absent');
        assert.equal(await faultCode(openTestStore(nowhere, { create: false })), 'store_absent');
        if (context.name === 'sqlite') assert.equal(existsSync(nowhere.slice('sqlite:'.length)), false);
      });

      test('a wrong master key stops the open; the right one still opens', async () => {
        assert.equal(await faultCode(openTestStore(url, { masterKey: new Uint8Array(32).fill(8) })), 'wrong_master_key');
        await (await openTestStore(url, { create: false })).close();
      });

      test('two that open a new place at once both succeed and share one store', async () => {
        const place = await context.freshUrl();
        const stores = await Promise.all([1, 2, 3, 4].map(() => openTestStore(place)));
        await granted(stores[0]!.organizations.create({ name: 'shared', plan: 'free' }));
        for (const opened of stores) assert.equal((await opened.organizations.find('shared'))?.plan, 'free');
        assert.equal((await context.query(place, 'select * from store_identity')).length, 1);
        await Promise.all(stores.map((opened) => opened.close()));
      });

      test('a store of a newer version is refused', async () => {
        const place = await context.freshUrl();
        await (await openTestStore(place)).close();
        await context.query(place, 'update metergate_schema set version = 99');
        assert.equal(await faultCode(openTestStore(place)), 'schema_newer');
      });
    });

    describe('organizations', () => {
      test('are found by id and by exact name, listed oldest first, and a name is taken once', async () => {
        const made = await granted(store.organizations.create({ name: 'Acme', plan: 'scale' }));
        assert.match(made.id, /^org_[0-9A-Za-z]{20}$/);
        assert.deepEqual(await store.organizations.find('Acme'), made);
        assert.deepEqual(await store.organizations.find(made.id), made);
        assert.equal(await store.organizations.find('acme'), null);
        assert.equal(await refusalCode(store.organizations.create({ name: 'Acme', plan: 'free' })), 'name_taken');
        const later = await granted(store.organizations.create({ name: 'AAA', plan: 'free' }));
        const listed = (await store.organizations.list()).map(({ id }) => id);
        assert.ok(listed.indexOf(made.id) < listed.indexOf(later.id));
      });

      test('an id takes precedence over a name that looks the same', async () => {
        const victim = await newOrganization();
        await granted(store.organizations.create({ name: victim, plan: 'free' }));
        assert.equal((await store.organizations.find(victim))?.id, victim);
      });

      test('settings are changed one by one and put back to their defaults (rules 7 and 8)', async () => {
        const id = await newOrganization();
        const price = { inputNanoPerMillion: 2n ** 63n - 1n, outputNanoPerMillion: 0n };
        assert.deepEqual((await granted(store.organizations.set(id, { fallbackPrice: price }))).fallbackPrice, price);
        const set = await granted(store.organizations.set(id, { plan: 'enterprise', drainSeconds: 0 }));
        assert.deepEqual([set.plan, set.drainSeconds, set.fallbackPrice], ['enterprise', 0, price]);
        const reset = await granted(store.organizations.set(id, { drainSeconds: null, fallbackPrice: null }));
        assert.deepEqual([reset.plan, reset.drainSeconds, reset.fallbackPrice], ['enterprise', null, null]);
        assert.equal(await refusalCode(store.organizations.set(id, { drainSeconds: 1.5 })), 'invalid_setting');
        const allowed = { deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'allow' };
        assert.deepEqual([reset.unmetered, (await store.settings.organization(id))!.unmetered], [allowed, null]);
        await granted(store.organizations.set(id, { unmetered: { deferred: 'refuse', handedOut: 'refuse-under-limits', hidden: 'refuse' } }));
        const kept = await granted(store.organizations.set(id, { unmetered: { deferred: 'allow', unreported: 'refuse' } }));
        const rules = { deferred: 'allow', unreported: 'refuse', handedOut: 'refuse-under-limits', hidden: 'refuse' };
        assert.deepEqual([kept.unmetered, (await store.settings.organization(id))!.unmetered], [rules, rules]);
        assert.equal(await refusalCode(store.organizations.set(id, { unmetered: { deferred: 'never' as 'refuse' } })), 'invalid_setting');
        assert.deepEqual((await granted(store.organizations.set(id, { unmetered: null }))).unmetered, allowed);
        assert.equal(await refusalCode(store.organizations.set('org_none' as OrganizationId, { drainSeconds: 1 })), 'unknown_organization');
      });

      test('any name is kept exactly or refused with a sentence, never a fault', async () => {
        for (const name of naughtyNames()) {
          const made = await store.organizations.create({ name, plan: 'free' });
          const found = await store.organizations.find(name);
          if (isRefusal(made)) assert.ok(made.refused.code === 'invalid_name' || found !== null, JSON.stringify(name));
          else assert.equal(found?.name, name);
        }
        assert.equal(await refusalCode(store.organizations.create({ name: 'half \ud800', plan: 'free' })), 'invalid_name');
        assert.equal(await refusalCode(store.organizations.create({ name: 'nul \0', plan: 'free' })), 'invalid_name');
      });

      test('of two that take one name at once, one is refused', async () => {
        const other = await openTestStore(url);
        const codes = await Promise.all([store, other, store, other].map((each) =>
          refusalCode(each.organizations.create({ name: 'contested', plan: 'free' }))));
        assert.deepEqual(codes.sort(), ['granted', 'name_taken', 'name_taken', 'name_taken']);
        await other.close();
      });
    });

    describe('service keys (spec: Authentication 1)', () => {
      const keyIn = async (organization: OrganizationId, key: string) => granted(store.serviceKeys.create({
        organization, name: 'ci', project: 'search', expiresAtMs: startMs + 5, hash: hashOf(key), prefix: 'svc_live_ab',
      }));

      test('are live until revoked, and listed with their revocation', async () => {
        const organization = await newOrganization();
        const made = await keyIn(organization, 'svc_live_one');
        assert.match(made.id, /^key_[0-9A-Za-z]{20}$/);
        assert.deepEqual(await store.settings.keyByHash(hashOf('svc_live_one')),
          { id: made.id, organization, project: 'search', expiresAtMs: startMs + 5, maxRunBudget: null, models: null, person: null });
        const { alreadyRevoked, ...revoked } = await granted(store.serviceKeys.revoke(made.id));
        assert.notEqual(revoked.revokedAtMs, null);
        assert.equal(alreadyRevoked, false);
        assert.deepEqual(await granted(store.serviceKeys.revoke(made.id)), { ...revoked, alreadyRevoked: true });
        assert.equal(await store.settings.keyByHash(hashOf('svc_live_one')), null);
        assert.deepEqual(await store.serviceKeys.findByHash(hashOf('svc_live_one')), revoked);
        assert.deepEqual(await store.serviceKeys.list(organization), [revoked]);
      });

      test('two keys equal in their first 40 characters belong to their own organizations (K3)', async () => {
        const [one, two] = [await newOrganization(), await newOrganization()];
        const common = 'svc_live_0123456789012345678901234567890';
        await keyIn(one, `${common}1`);
        await keyIn(two, `${common}2`);
        assert.equal((await store.settings.keyByHash(hashOf(`${common}1`)))?.organization, one);
        assert.equal((await store.settings.keyByHash(hashOf(`${common}2`)))?.organization, two);
        const [hashOfOne, hashOfTwo] = [hashOf(`${common}1`), hashOf(`${common}2`)];
        const both = await store.settings.keysByHash([hashOfTwo, 'NUL \0', hashOfOne, hashOf('none')]);
        assert.deepEqual([both.size, both.get(hashOfOne)?.organization, both.get(hashOfTwo)?.organization], [2, one, two]);
      });

      test('the keys used since a moment: the last one first, none that was revoked or never used', async () => {
        const organization = await newOrganization();
        const usedMs = startMs + 7_200_000_000;
        const texts = ['svc_live_used_0', 'svc_live_used_1', 'svc_live_used_2', 'svc_live_used_3'];
        const keys = await Promise.all(texts.map((text) => keyIn(organization, text)));
        const records = keys.slice(0, 3).map(({ id }, at) => sampleRecord(organization, { key: id, startedAtMs: usedMs + at * 60_000 }));
        await store.calls.ship({ segment: 'seg_keys_used', through: 3, records: records.map((record, at) => ({ seq: at + 1, record })) });
        await granted(store.serviceKeys.revoke(keys[2]!.id));
        const [first, second] = [hashOf(texts[0]!), hashOf(texts[1]!)];
        assert.deepEqual(await store.settings.hashesUsedSince(usedMs, 10), [second, first]);
        assert.deepEqual(await store.settings.hashesUsedSince(usedMs, 1), [second]);
        assert.deepEqual(await store.settings.hashesUsedSince(usedMs + 1, 10), [second]);
      });

      test('SQL in the place of a hash or an id is text that matches nothing (K1)', async () => {
        for (const text of ["x' OR '1'='1", "x'; drop table service_key; --", 'svc_live_%', '', 'NUL \0', "' OR pg_sleep(8)--"]) {
          assert.equal(await store.settings.keyByHash(text), null);
          assert.equal(await store.serviceKeys.findByHash(text), null);
          assert.equal(await refusalCode(store.serviceKeys.revoke(text)), 'unknown_key');
          assert.equal(await store.organizations.find(text), null);
        }
      });

      test('an unknown organization and a repeated key are refused', async () => {
        const organization = await newOrganization();
        const key = { organization, name: null, project: null, expiresAtMs: null, hash: hashOf('twice'), prefix: 'svc_live_tw' };
        await granted(store.serviceKeys.create(key));
        assert.equal(await refusalCode(store.serviceKeys.create(key)), 'key_taken');
        assert.equal(await refusalCode(store.serviceKeys.create({ ...key, organization: 'org_none' as OrganizationId })),
          'unknown_organization');
      });
    });

    describe('credentials (spec: Provider key connection, Declared upstream; rule 18)', () => {
      test('a provider key is missing, connected, replaced, missing again', async () => {
        const organization = await newOrganization();
        assert.deepEqual(await store.providers.state(organization, 'openai'), { state: 'missing' });
        assert.equal(await store.providers.connect(organization, 'openai', 'sk-one'), null);
        assert.equal(await store.providers.connect(organization, 'openai', 'sk-two'), null);
        assert.deepEqual(await store.providers.state(organization, 'openai'), { state: 'connected', credential: 'sk-two' });
        assert.deepEqual((await store.settings.organization(organization))?.openai, { state: 'connected', credential: 'sk-two' });
        assert.deepEqual((await store.settings.organization(organization))?.anthropic, { state: 'missing' });
        assert.equal(await store.providers.disconnect(organization, 'openai'), null);
        assert.deepEqual(await store.providers.state(organization, 'openai'), { state: 'missing' });
        assert.equal(await refusalCode(store.providers.disconnect(organization, 'openai')), 'provider_not_connected');
        assert.equal(await refusalCode(store.providers.connect(organization, 'openai', 'two\r\nlines')), 'invalid_credential');
      });

      test('an upstream starts disabled, and each declaration has a version never used before', async () => {
        const organization = await newOrganization();
        assert.equal(await refusalCode(store.upstreams.enable(organization)), 'upstream_not_declared');
        const declare = (credential: string) => store.upstreams.declare(organization, { url: 'https://llm.example.com/base', credential });
        const held = async () => (await store.settings.organization(organization))?.upstream;
        await declare(canary);
        const first = await held();
        assert.equal(first?.credential, canary);
        assert.equal(first?.enabled, false);
        await store.upstreams.enable(organization);
        assert.deepEqual(await held(), { ...first, enabled: true });
        await store.upstreams.remove(organization);
        assert.equal(await held(), null);
        assert.equal(await store.upstreams.show(organization), null);
        await declare('');
        assert.ok((await held())!.version > first!.version);
        assert.deepEqual(await store.upstreams.show(organization),
          { version: (await held())!.version, url: 'https://llm.example.com/base', enabled: false, hasCredential: false, state: 'readable' });
        assert.equal((await held())?.credential, '');
      });

      test('named upstreams are apart from each other and from the one without a name; nodes hold them with their credentials', async () => {
        const organization = await newOrganization();
        const { namedUpstreams } = store;
        assert.equal(await refusalCode(namedUpstreams.enable(organization, 'azure')), 'upstream_not_declared');
        const declare = (name: string, credential: string) => namedUpstreams.declare(organization,
          { name, url: `https://${name}.example.com`, credential, auth: 'api-key', dialect: null, provider: name === 'azure' ? 'azure' : null });
        const held = async () => (await store.settings.organization(organization))?.upstreams;
        assert.deepEqual(await held(), []);
        await declare('local', '');
        await declare('azure', canary);
        await namedUpstreams.enable(organization, 'azure');
        const [azure, local] = (await held())!;
        assert.deepEqual(azure, {
          name: 'azure', url: 'https://azure.example.com', enabled: true, version: azure!.version, auth: 'api-key', dialect: null, provider: 'azure',
          credential: canary,
        });
        assert.deepEqual([local!.name, local!.enabled, local!.credential], ['local', false, '']);
        assert.notEqual(azure!.version, local!.version);
        assert.equal((await store.settings.organization(organization))?.upstream, null);
        assert.deepEqual(await namedUpstreams.list(organization), [
          { name: 'azure', version: azure!.version, url: 'https://azure.example.com', auth: 'api-key', dialect: null, provider: 'azure',
            enabled: true, hasCredential: true, state: 'readable' },
          { name: 'local', version: local!.version, url: 'https://local.example.com', auth: 'api-key', dialect: null, provider: null,
            enabled: false, hasCredential: false, state: 'readable' },
        ]);
        await declare('azure', 'another');
        const [again] = (await held())!;
        assert.deepEqual([again!.enabled, again!.credential, again!.version > azure!.version], [false, 'another', true]);
        assert.equal(await namedUpstreams.remove(organization, 'azure'), null);
        assert.deepEqual((await held())!.map(({ name }) => name), ['local']);
        for (let n = 1; n < 32; n += 1) assert.equal(await declare(`n${n}`, ''), null);
        assert.equal(await refusalCode(declare('one-more', '')), 'invalid_setting');
        assert.equal(await declare('local', canary), null);
      });

      test("two organizations' sealed keys, swapped in the tables, are unreadable in both (K6)", async () => {
        const [one, two] = [await newOrganization(), await newOrganization()];
        await store.providers.connect(one, 'openai', 'sk-one');
        await store.providers.connect(two, 'openai', 'sk-two');
        const sealed = async (id: OrganizationId) => (await context.query(url,
          'select sealed, version from provider_connection where organization = $1', [id]))[0] as { sealed: Uint8Array; version: number };
        const [first, second] = [await sealed(one), await sealed(two)];
        const put = (id: OrganizationId, row: { sealed: Uint8Array; version: number }) => context.query(url,
          'update provider_connection set sealed = $1, version = $2 where organization = $3', [row.sealed, row.version, id]);
        await put(one, second);
        await put(two, first);
        for (const id of [one, two]) {
          assert.deepEqual(await store.providers.state(id, 'openai'), { state: 'unreadable' });
          assert.deepEqual((await store.settings.organization(id))?.openai, { state: 'unreadable' });
        }
        await put(one, first);
        assert.deepEqual(await store.providers.state(one, 'openai'), { state: 'connected', credential: 'sk-one' });
      });

      test('a data key taken from another organization, or damaged, makes the credentials unreadable, not a fault', async () => {
        const organization = await newOrganization();
        await store.providers.connect(organization, 'anthropic', 'sk-ant');
        await store.upstreams.declare(organization, { url: 'https://llm.example.com', credential: 'x' });
        const other = await newOrganization();
        await context.query(url, 'update organization_data_key set wrapped ='
          + ' (select wrapped from organization_data_key where organization = $1) where organization = $2', [other, organization]);
        const settings = await store.settings.organization(organization);
        assert.deepEqual(settings?.anthropic, { state: 'unreadable' });
        assert.equal(settings?.upstream?.credential, null);
        assert.deepEqual((await store.upstreams.show(organization))?.state, 'unreadable');
        await context.query(url, 'delete from organization_data_key where organization = $1', [organization]);
        assert.deepEqual((await store.settings.organization(organization))?.anthropic, { state: 'unreadable' });
        assert.equal(await faultCode(store.providers.connect(organization, 'anthropic', 'sk-new')), 'store_unreadable');
      });

      test('one flipped bit anywhere in a sealed key makes it unreadable (K6)', async () => {
        const organization = await newOrganization();
        await store.providers.connect(organization, 'openai', 'sk');
        const [row] = await context.query(url, 'select sealed from provider_connection where organization = $1', [organization]);
        const sealed = Uint8Array.from(row!['sealed'] as Uint8Array);
        for (let at = 0; at < sealed.length; at += 5) {
          const flipped = Uint8Array.from(sealed);
          flipped[at]! ^= 1 << (at % 8);
          await context.query(url, 'update provider_connection set sealed = $1 where organization = $2', [flipped, organization]);
          assert.deepEqual(await store.providers.state(organization, 'openai'), { state: 'unreadable' }, `byte ${at}`);
        }
      });

      test('no secret is in the clear in a dump of the tables, in any spelling (promise 6)', async () => {
        const organization = await newOrganization();
        await store.providers.connect(organization, 'openai', canary);
        await store.upstreams.declare(organization, { url: 'https://llm.example.com', credential: canary });
        const dump = await dumpOf(context, url);
        assert.ok(dump.includes(organization), 'the dump holds the rows');
        for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
          assert.equal(dump.includes(Buffer.from(canary).toString(encoding).replaceAll('=', '')), false, encoding);
        }
        assert.equal(dump.includes(Buffer.alloc(32, 7).toString('hex')), false, 'the master key');
      });
    });

    describe('the revision (rules: Snapshots)', () => {
      test('goes up by one with each change and names the organization changed; a refusal leaves it', async () => {
        const organization = await newOrganization();
        const key = await granted(store.serviceKeys.create(
          { organization, name: null, project: null, expiresAtMs: null, hash: hashOf('revision'), prefix: 'svc_live_re' }));
        const changes: (() => Promise<unknown>)[] = [
          () => store.organizations.set(organization, { plan: 'growth' }),
          () => store.serviceKeys.create({ organization, name: null, project: null, expiresAtMs: null, hash: hashOf('next'), prefix: 'p' }),
          () => store.serviceKeys.revoke(key.id),
          () => store.providers.connect(organization, 'openai', 'sk'),
          () => store.providers.disconnect(organization, 'openai'),
          () => store.upstreams.declare(organization, { url: 'https://a.example', credential: '' }),
          () => store.upstreams.enable(organization),
          () => store.upstreams.disable(organization),
          () => store.upstreams.remove(organization),
        ];
        for (const change of changes) {
          const revision = await store.settings.revision();
          await granted(change());
          assert.deepEqual(await store.settings.changedSince(revision),
            { revision: revision + 1, organizations: [organization], prices: false });
        }
        const revision = await store.settings.revision();
        await store.upstreams.remove(organization);
        await store.organizations.create({ name: '', plan: 'free' });
        assert.deepEqual(await store.settings.changedSince(revision), { revision, organizations: [], prices: false });
      });

      test('reports prices, which are kept as given', async () => {
        const revision = await store.settings.revision();
        await store.prices.loadOverlay('{"a": 1.50}');
        assert.equal((await store.prices.texts()).overlay, '{"a": 1.50}');
        assert.deepEqual(await store.settings.changedSince(revision), { revision: revision + 1, organizations: [], prices: true });
        await store.prices.loadOverlay('{}');
        assert.equal((await store.prices.texts()).overlay, '{}');
      });

      test('reports a price list that is put in force, keeps those before it, and leaves it', async () => {
        const texts = async (): Promise<string | null> => (await store.prices.texts()).list;
        await store.prices.loadOverlay('{"a": 2}');
        const revision = await store.settings.revision();
        await store.prices.importList({ id: '2026-11-01/a', json: '{"n": 1}' });
        await store.prices.importList({ id: '2026-11-02/b', json: '{"n": 2}' });
        assert.deepEqual(await store.prices.texts(), { list: '{"n": 2}', overlay: '{"a": 2}' });
        assert.deepEqual(await store.settings.changedSince(revision), { revision: revision + 2, organizations: [], prices: true });
        assert.equal(await store.prices.list('2026-11-01/a'), '{"n": 1}');
        assert.deepEqual([await store.prices.leaveList(), await texts(), await store.prices.leaveList()], [true, null, false]);
        await store.prices.importList({ id: '2026-11-01/a', json: '{"n": 1}' });
        assert.equal(await texts(), '{"n": 1}');
        await store.prices.leaveList();
      });

      test('changes from two connections at once get different numbers', async () => {
        const other = await openTestStore(url);
        const organization = await newOrganization();
        const revision = await store.settings.revision();
        await Promise.all(Array.from({ length: 20 }, (_, index) =>
          granted((index % 2 === 0 ? store : other).organizations.set(organization, { drainSeconds: index }))));
        assert.equal(await store.settings.revision(), revision + 20);
        await other.close();
      });
    });

    describe('call records (rules: Record; promise 2)', () => {
      const batch = (organization: OrganizationId, from: number, through: number) =>
        Array.from({ length: through - from + 1 }, (_, index) =>
          ({ seq: from + index, record: sampleRecord(organization, { startedAtMs: startMs + from + index }) }));
      const listed = (organization: OrganizationId) => keptCalls(store, organization);

      test('a record comes back as it was, to the last nano-dollar of a 64-bit cost', async () => {
        const organization = await newOrganization();
        const full = sampleRecord(organization, {
          cost: nanoDollarsMax, run: 'run 1', costGaps: ['audio', 'web_search'], transport: 'websocket', connection: requestIdFrom('c'.repeat(32)),
        });
        const { id, key, project, labelsDropped, run, wire, endpoint, method, path, startedAtMs, node } = full;
        const bare = { ...interruptedRecord(
          { id, organization, key, project, labels: [], labelsDropped, run, wire, endpoint, method, path, startedAtMs, node,
            transport: 'http', connection: null, session: null }) };
        await store.calls.ship({ segment: 'seg_whole', through: 2, records: [{ seq: 1, record: bare }, { seq: 2, record: full }] });
        assert.deepEqual(await listed(organization), [full, bare]);
      });

      test('responses of a WebSocket connection are found by the call that opened it, and no other call is', async () => {
        const organization = await newOrganization();
        const [one, other] = [requestIdFrom('a'.repeat(32)), requestIdFrom('b'.repeat(32))];
        const records = [one, null, other, one, null].map((connection, index) => sampleRecord(organization, {
          startedAtMs: startMs + index, transport: connection === null ? 'http' : 'websocket', connection,
        }));
        await store.calls.ship({ segment: 'seg_connections', through: 5, records: records.map((record, index) => ({ seq: index + 1, record })) });
        const of = (connection: string) => store.callPages.page({ organization, filter: { connection }, limit: 10 });
        assert.deepEqual(await of(one), [records[3], records[0]]);
        const filter = { connection: one, model: records[0]!.model! };
        assert.deepEqual(await store.callPages.page({ organization, filter, limit: 1 }), [records[3]]);
        assert.deepEqual([await of(requestIdFrom('c'.repeat(32))), await of('a\0b')], [[], []]);
      });

      test('text that a provider or a caller chose is kept, except for U+0000', async () => {
        const organization = await newOrganization();
        const texts = naughtyNames();
        await store.calls.ship({ segment: 'seg_naughty', through: texts.length, records: texts.map((text, index) =>
          ({ seq: index + 1, record: sampleRecord(organization, { model: text, labels: [text], startedAtMs: startMs + index }) })) });
        const kept = (await listed(organization)).reverse();
        assert.deepEqual(kept.map(({ model }) => model), texts);
        assert.deepEqual(kept.map(({ labels }) => labels), texts.map((text) => [text]));
        await store.calls.ship({ segment: 'seg_nul', through: 1, records:
          [{ seq: 1, record: sampleRecord(organization, { model: 'a\0b', labels: ['a\0b'], startedAtMs: startMs + 1e6 }) }] });
        const [newest] = await listed(organization);
        assert.deepEqual([newest?.model, newest?.labels], ['a\ufffdb', ['a\0b']]);
      });

      test('a batch sent again, wholly or in part, changes nothing', async () => {
        const organization = await newOrganization();
        const records = batch(organization, 1, 200);
        await store.calls.ship({ segment: 'seg_again', through: 100, records: records.slice(0, 100) });
        await store.calls.ship({ segment: 'seg_again', through: 100, records: records.slice(0, 100) });
        await store.calls.ship({ segment: 'seg_again', through: 200, records });
        await store.calls.ship({ segment: 'seg_again', through: 50, records: records.slice(0, 50) });
        assert.deepEqual(await listed(organization), records.map(({ record }) => record).reverse());
        assert.equal(await store.calls.mark('seg_again'), 200);
        assert.equal(await store.calls.mark('seg_unheard'), 0);
      });

      test('a batch that continues from a mark which the store no longer has is refused as a whole, and its segment is named', async () => {
        const organization = await newOrganization();
        const records = batch(organization, 1, 30);
        await store.calls.ship({ segment: 'seg_back', after: 0, through: 10, records: records.slice(0, 10) });
        await assert.rejects(store.calls.ship({ segment: 'seg_back', after: 20, through: 30, records: records.slice(20) }),
          { code: 'store_went_back', message: /seg_back up to row 20 and now holds it up to row 10/ });
        assert.equal(await store.calls.mark('seg_back'), 10);
        await store.calls.ship({ segment: 'seg_back', after: 10, through: 30, records: records.slice(10) });
        assert.deepEqual(await listed(organization), records.map(({ record }) => record).reverse());
      });

      test('a batch sent from four connections at once is kept once', async () => {
        const organization = await newOrganization();
        const others = await Promise.all([1, 2, 3].map(() => openTestStore(url)));
        const records = batch(organization, 1, 300);
        await Promise.all([store, ...others].map((each) => each.calls.ship({ segment: 'seg_raced', through: 300, records })));
        assert.deepEqual((await listed(organization)).map(({ id }) => id), records.map(({ record }) => record.id).reverse());
        await Promise.all(others.map((other) => other.close()));
      });

      test('a shipper killed at any moment leaves whole batches: sent again by the next one, every record is there once', async () => {
        const organization = await newOrganization();
        for (const killAfter of [1, 4, 9]) {
          const client = context.killable(url);
          const program = fileURLToPath(new URL('../test-support/shipping-process.ts', import.meta.url));
          const shipper = spawn(process.execPath, [program, client.url, organization], { stdio: ['ignore', 'pipe', 'inherit'] });
          const ended = once(shipper, 'exit');
          let printed = '';
          for await (const text of shipper.stdout.setEncoding('utf8')) {
            printed += text as string;
            if (printed.split('\n').length > killAfter) shipper.kill('SIGKILL');
          }
          await ended;
          await client.gone();
          const mark = await store.calls.mark('seg_killed');
          assert.equal((await listed(organization)).length, mark, 'the mark and the records are one transaction');
        }
        const reached = await store.calls.mark('seg_killed');
        assert.ok(reached > 0);
        for (let number = 0; number <= reached / shippedAtOnce; number++) await store.calls.ship(shippedAgain(organization, number));
        const ids = (await listed(organization)).map(({ id }) => id);
        assert.deepEqual([new Set(ids).size, ids.length], [ids.length, await store.calls.mark('seg_killed')]);
      });

      test('a batch that fails leaves neither records nor a mark', async () => {
        const organization = await newOrganization();
        const records = batch(organization, 1, 70);
        const broken = [...records, { seq: 71, record: sampleRecord(organization, { requestBytes: 'many' as unknown as number }) }];
        assert.equal(await faultCode(store.calls.ship({ segment: 'seg_broken', through: 71, records: broken })), 'row_refused');
        assert.deepEqual([await store.calls.mark('seg_broken'), (await listed(organization)).length], [0, 0]);
        await store.calls.ship({ segment: 'seg_broken', through: 70, records });
        assert.equal((await listed(organization)).length, 70);
      });

      test('more than a thousand records are one batch; a mark without records moves too', async () => {
        const organization = await newOrganization();
        await store.calls.ship({ segment: 'seg_large', through: 2_345, records: batch(organization, 1, 2_345) });
        assert.equal((await listed(organization)).length, 2_345);
        await store.calls.ship({ segment: 'seg_large', through: 2_350, records: [] });
        assert.equal(await store.calls.mark('seg_large'), 2_350);
        const above = batch(organization, 2_401, 2_401);
        await assert.rejects(store.calls.ship({ segment: 'seg_large', through: 2_400, records: above }), RangeError);
      });

      test('a list is newest first, then by arrival; its range is [since, until); others see nothing of it', async () => {
        const [organization, other] = [await newOrganization(), await newOrganization()];
        const at = (seq: number, startedAtMs: number, run: string | null) =>
          ({ seq, record: sampleRecord(organization, { startedAtMs, run }) });
        const records = [at(1, 1_000, null), at(2, 3_000, 'r'), at(3, 2_000, 'r'), at(4, 2_000, 'R'), at(5, 2_000, 'r')];
        await store.calls.ship({ segment: 'seg_order', through: 5, records });
        const foreign = { seq: 1, record: sampleRecord(other, { startedAtMs: 2_000 }) };
        await store.calls.ship({ segment: 'seg_other', through: 1, records: [foreign] });
        const seqs = async (query: object) => (await store.callPages.page({ organization, limit: 100, ...query }))!
          .map(({ id }) => records.find(({ record }) => record.id === id)?.seq);
        assert.deepEqual(await seqs({}), [2, 5, 4, 3, 1]);
        assert.deepEqual(await seqs({ limit: 2 }), [2, 5]);
        assert.deepEqual(await seqs({ sinceMs: 2_000 }), [2, 5, 4, 3]);
        assert.deepEqual(await seqs({ sinceMs: 2_000, untilMs: 3_000 }), [5, 4, 3]);
        assert.deepEqual(await seqs({ untilMs: 2_000 }), [1]);
        assert.deepEqual(await seqs({ filter: { run: 'r' } }), [2, 5, 3]);
        assert.deepEqual(await seqs({ filter: { run: "r' or '1'='1" } }), []);
      });

      test('newest first for an organization, and of a run, is one walk along an index, without sorting', async () => {
        const list = "select * from call_record where organization = 'org_x' and started_at_ms >= 1";
        const run = "select * from call_record where organization = 'org_x' and run = 'r' and started_at_ms >= 1";
        for (const [query, index] of [[list, 'call_record_by_time'], [run, 'call_record_by_run']] as const) {
          const plan = await context.planOf(url, `${query} order by started_at_ms desc, sequence desc limit 100`);
          assert.match(plan, new RegExp(index));
          assert.doesNotMatch(plan, /sort|temp b-tree/i);
        }
      });
    });
  });
}

/** Everything on disk for SQLite, everything in the tables for PostgreSQL. */
async function dumpOf(context: EngineFixture, url: string): Promise<string> {
  if (context.name === 'sqlite') {
    const path = url.slice('sqlite:'.length);
    const files = readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name)));
    return files.map((bytes) => bytes.toString('latin1') + bytes.toString('hex')).join('\n');
  }
  const tables = await context.query(url, "select tablename from pg_tables where schemaname = current_schema()");
  const rows = await Promise.all(tables.map(({ tablename }) => context.query(url, `select t::text as row from "${String(tablename)}" t`)));
  return JSON.stringify(rows);
}

function naughtyNames(): string[] {
  const shared = new URL('../../../../../shared/inputs/naughty-strings.json', import.meta.url);
  const own = ["Robert'); drop table organization; --", '𝒜cme 🏢', 'ﷺ', '‮esrever', 'e\u0301', 'é',
    '\u00a0', '%s%n', '$1', '?', 'null', ' padded ', '\u001b[31m'];
  return [...own, ...(existsSync(shared) ? (JSON.parse(readFileSync(shared, 'utf8')) as string[]) : [])];
}
