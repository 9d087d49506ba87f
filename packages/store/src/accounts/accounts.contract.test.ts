/**
 * On both engines: an audit row with every change and none without; an organization erased to its figures, also in what
 * arrives later; the master key rotated whole or not at all, followed by whoever still holds the old one.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { figureIn, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { RecordedBill } from '../spend/corrections.ts';
import { auditActions, type AuditIntent } from '../engine/change.ts';
import { isRefusal } from '../engine/refusal.ts';
import { StoreFault } from '../engine/fault.ts';
import type { Store } from '../store.ts';
import { granted, hashOf, openTestStore, refusalCode, sampleRecord, testMasterKey } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const canary = 'CANARY-words-of-the-erased';
const nextKey = new Uint8Array(32).fill(77);

for (const on of bothEngines) {
  describe(`accounts on ${on.title}`, async () => {
    const { context, url, store, newName, newOrganization } = await contractStore(on);
    const actor = { kind: 'person', id: 'usr_1', name: 'ada@example.com' } as const;
    const intent = (detail: Record<string, unknown> = {}): AuditIntent => ({ actor, detail });
    const newKey = (on: Store, organization: OrganizationId, secret: string) =>
      on.serviceKeys.create({
        organization, name: null, project: null, expiresAtMs: null, hash: hashOf(secret), prefix: 'svc_live_aaa', maxRunBudget: null,
      });
    const dailyCap = (organization: OrganizationId, limit: bigint) =>
      ({ organization, scope: 'organization', subject: null, window: 'day', limit: nanoDollars(limit), mode: 'refuse' }) as const;
    const billOf = (organization: OrganizationId, ...models: string[]): RecordedBill => ({
      organization, provider: 'openai', fromMs: 0, toMs: 86_400_000, bill: 'ab',
      days: models.map((model) => ({ dayMs: 0, model, ours: nanoDollars(1n), theirs: nanoDollars(8n) })),
    });
    const trail = async (organization: OrganizationId) => (await store.audit.list({ organization, limit: 100 }))!;

    describe('the audit trail', () => {
      test('a change through an acting store leaves one row: who, what, when, on which subject', async () => {
        const organization = await newOrganization();
        const made = await granted(newKey(store.acting(intent({ name: 'x' })), organization, 'one'));
        const [row, ...more] = await trail(organization);
        assert.deepEqual(more, []);
        assert.deepEqual([row!.actor, row!.action, row!.subject, row!.detail], [actor, 'createKey', made.id, { name: 'x' }]);
        assert.ok(row!.atMs > 0);
      });

      test('every change carries its organization and the id of the changed object, whoever makes it and however', async () => {
        const acting = store.acting(intent());
        const { id: organization } = await granted(acting.organizations.create({ name: newName(), plan: 'scale' }));
        const key = await granted(newKey(acting, organization, 'of every change'));
        await granted(acting.serviceKeys.set(key.id, { name: 'renamed' }));
        await granted(acting.serviceKeys.rotate(key.id, { hash: hashOf('rotated'), prefix: 'svc_live_ro', formerUntilMs: 9e12 }));
        await granted(acting.serviceKeys.revoke(key.id));
        await acting.receipts.rotateKey(organization);
        await acting.providers.connect(organization, 'openai', 'sk');
        await acting.providers.disconnect(organization, 'openai');
        await acting.upstreams.declare(organization, { url: 'https://llm.example', credential: '' });
        await acting.upstreams.enable(organization);
        await acting.upstreams.disable(organization);
        await acting.upstreams.remove(organization);
        const azure = { name: 'azure', url: 'https://llm.example', credential: '', auth: 'api-key', dialect: null, provider: null } as const;
        await acting.namedUpstreams.declare(organization, azure);
        await acting.namedUpstreams.enable(organization, 'azure');
        await acting.namedUpstreams.disable(organization, 'azure');
        await acting.namedUpstreams.remove(organization, 'azure');
        const cap = await granted(acting.caps.set(dailyCap(organization, 1n)));
        await granted(acting.caps.remove(cap.id));
        await store.runs.open([{
          organization, id: 'a-run', declared: null, effective: null, clampReason: null, startedAtMs: 1, expiresAtMs: null,
          exposureLimit: null, mayCreate: true,
        }]);
        await granted(acting.runs.close({ organization, id: 'a-run' }));
        await granted(acting.grants.mint({ organization, run: 'a-run', max: nanoDollars(1_000_000_000n), expiresAtMs: 9e12 }));
        const token = await granted(acting.managementTokens.create({
          organization, name: null, role: 'viewer', madeBy: null, expiresAtMs: null, hash: hashOf('token of every change'), prefix: 'svc_mgmt_a',
        }));
        await granted(acting.managementTokens.revoke(token.id));
        const invitation = { organization, email: null, role: 'owner' as const, invitedBy: null, expiresAtMs: 9e12 };
        const [used, withdrawn] = [
          await granted(acting.invitations.create({ ...invitation, tokenHash: hashOf('used') })),
          await granted(acting.invitations.create({ ...invitation, tokenHash: hashOf('withdrawn') })),
        ];
        await granted(acting.invitations.withdraw(organization, withdrawn.id, 'owner'));
        const acceptance = { tokenHash: hashOf('used'), email: 'joined@example.com', passwordHash: 'h', as: null };
        const joined = await granted(acting.invitations.accept(acceptance));
        const member = await granted(acting.members.create({ organization, email: 'made@example.com', passwordHash: 'h', role: 'viewer' }));
        await granted(acting.members.setRole(organization, member.id, { role: 'member', by: 'owner' }));
        await granted(acting.members.remove(organization, member.id, 'owner'));
        const tapKey = (secret: string) => ({ hash: hashOf(secret), prefix: 'svc_tap_aaaa' }) as const;
        const baseline = await granted(acting.baselines.create({ organization, key: tapKey('1'), unread: 'svc_tap_1' }));
        await granted(acting.baselines.readKey(baseline.id));
        await granted(acting.baselines.rotateKey(baseline.id, tapKey('2')));
        await granted(acting.baselines.declare(baseline.id, { name: 'seats', amount: nanoDollars(1n) }));
        await granted(acting.baselines.retire(baseline.id));
        await granted(acting.organizations.set(organization, { plan: 'free' }));
        const [corrected] = await granted(acting.corrections.record(billOf(organization, 'gpt-6')));
        await granted(acting.corrections.remove(corrected!.id));

        const rows = (await trail(organization)).toReversed();
        assert.deepEqual(rows.map(({ action, subject }) => [action, subject]), [
          ['createOrganization', organization], ['createKey', key.id], ['setKey', key.id], ['rotateKey', key.id], ['revokeKey', key.id],
          ['rotateReceiptKey', organization], ['connectProvider', 'openai'], ['disconnectProvider', 'openai'],
          ['declareUpstream', 'upstream'], ['enableUpstream', 'upstream'], ['disableUpstream', 'upstream'],
          ['removeUpstream', 'upstream'], ['declareNamedUpstream', 'azure'],
          ['enableNamedUpstream', 'azure'],
          ['disableNamedUpstream', 'azure'], ['removeNamedUpstream', 'azure'],
          ['setCap', cap.id], ['removeCap', cap.id], ['closeRun', 'a-run'], ['mintGrant', 'a-run'],
          ['createToken', token.id], ['revokeToken', token.id], ['inviteMember', used.id], ['inviteMember', withdrawn.id],
          ['withdrawInvitation', withdrawn.id], ['acceptInvitation', joined.id], ['createUser', member.id], ['setMemberRole', member.id],
          ['removeMember', member.id], ['createAssessment', baseline.id], ['readTapKey', baseline.id], ['rotateTapKey', baseline.id],
          ['declareFigure', baseline.id], ['retireAssessment', baseline.id], ['setOrganization', organization],
          ['recordCorrections', 'openai'], ['removeCorrection', corrected!.id],
        ]);
        const joining = { kind: 'person', id: joined.id, name: 'joined@example.com' };
        for (const row of rows) assert.deepEqual(row.actor, row.action === 'acceptInvitation' ? joining : actor, row.action);
        const elsewhere = [
          'eraseOrganization', 'linkIdentity', 'provideMember', 'withdrawMember', 'endWayIn',
          'changePassword', 'makePasswordLink', 'usePasswordLink', 'freeLeases', 'loadPrices', 'importPrices', 'repriceCalls', 'rotateMasterKey',
          'closeMonth', 'reopenMonth', 'setAllocation', 'removeAllocation', 'setBudget', 'removeBudget',
          'setAlert', 'removeAlert', 'createWebhook', 'setWebhook', 'removeWebhook', 'testWebhook', 'capReached', 'capReset',
          'addCell', 'openCell', 'drainCell',
        ];
        const made = new Set<string>([...rows.map(({ action }) => action), ...elsewhere]);
        assert.deepEqual(auditActions.filter((action) => !made.has(action)), [], 'every name stands for a change that was made here or is elsewhere');
      });

      test('a repeated change without effect leaves no row', async () => {
        const organization = await newOrganization();
        const acting = store.acting(intent());
        const key = await granted(newKey(store, organization, 'revoked twice'));
        const token = await granted(store.managementTokens.create({
          organization, name: null, role: 'viewer', madeBy: null, expiresAtMs: null, hash: hashOf('revoked twice'), prefix: 'svc_mgmt_b',
        }));
        for (let time = 0; time < 2; time += 1) {
          await granted(acting.serviceKeys.revoke(key.id));
          await granted(acting.managementTokens.revoke(token.id));
        }
        assert.deepEqual((await trail(organization)).map(({ action }) => action), ['revokeToken', 'revokeKey']);
      });

      test('changes of the whole product are a separate list, and a list begins at the given row', async () => {
        await store.acting(intent({ file: 'prices.json' })).prices.loadOverlay('{"prices":[]}');
        const [row] = (await store.audit.list({ organization: null, limit: 1 }))!;
        assert.deepEqual([row!.action, row!.organization, row!.subject], ['loadPrices', null, null]);
        assert.equal((await store.audit.list({ organization: null, sinceMs: row!.atMs, limit: 1 }))!.length, 1);
        assert.deepEqual(await store.audit.list({ organization: null, sinceMs: row!.atMs + 1, limit: 1 }), []);
      });

      test('a refusal, a fault and a reading leave none', async () => {
        const organization = await newOrganization();
        const acting = store.acting(intent());
        await granted(newKey(store, organization, 'two'));
        assert.equal(await refusalCode(newKey(acting, organization, 'two')), 'key_taken');
        assert.equal(await refusalCode(acting.providers.disconnect(organization, 'openai')), 'provider_not_connected');
        await acting.serviceKeys.list(organization);
        await assert.rejects(store.acting(intent({ n: 1n })).organizations.set(organization, { plan: 'free' }), TypeError);
        assert.equal((await store.organizations.find(organization))!.plan, 'team', 'a change whose row cannot be written is not made');
        assert.deepEqual(await trail(organization), []);
      });

      test('a trail of one subject or one kind holds only its changes, and nothing of another organization', async () => {
        const [one, other] = [await newOrganization(), await newOrganization()];
        for (const plan of ['free', 'team'] as const) await store.acting(intent()).organizations.set(one, { plan });
        await store.acting(intent()).serviceKeys.create({
          organization: one, name: null, project: null, expiresAtMs: null, hash: randomBytes(32).toString('hex'), prefix: 'svc_live_abcde',
        });
        const all = await trail(one);
        const key = all[0]!.subject!;
        assert.deepEqual(await store.audit.list({ organization: one, subject: key, limit: 9 }), all.slice(0, 1));
        const own = all.filter(({ subject }) => subject === one);
        assert.deepEqual(await store.audit.list({ organization: one, subject: one, limit: 9 }), own);
        assert.equal(own.length, 2);
        assert.deepEqual(await store.audit.list({ organization: other, subject: key, limit: 9 }), []);
        assert.deepEqual(await store.audit.list({ organization: one, subject: '\0', limit: 9 }), []);
        assert.deepEqual(await store.audit.list({ organization: one, action: 'createKey', limit: 9 }), all.slice(0, 1));
        assert.deepEqual(await store.audit.list({ organization: one, action: 'revokeKey', limit: 9 }), []);
      });

      test('pages continue after a row of the own trail, and not after that of another', async () => {
        const [one, other] = [await newOrganization(), await newOrganization()];
        for (const plan of ['free', 'team', 'scale'] as const) await store.acting(intent()).organizations.set(one, { plan });
        await store.acting(intent()).organizations.set(other, { plan: 'free' });
        const all = await trail(one);
        assert.deepEqual(await store.audit.list({ organization: one, after: all[0]!.id, limit: 2 }), all.slice(1));
        assert.equal(await store.audit.list({ organization: other, after: all[0]!.id, limit: 2 }), null);
        assert.equal(await store.audit.list({ organization: one, after: '\0', limit: 2 }), null);
      });
    });

    describe('erasure', () => {
      const erase = async (organization: OrganizationId): Promise<void> => {
        await granted(store.acting(intent({ name: canary })).erasure.begin(organization));
        while (await store.erasure.eraseSlice());
      };
      const ship = (segment: string, organization: OrganizationId, startedAtMs = 1_000) => store.calls.ship({
        segment, through: 1, records: [{
          seq: 1, record: sampleRecord(organization, {
            startedAtMs, project: canary, labels: [canary], run: canary, path: `/v1/${canary}`, model: canary, finishReason: canary,
            providerRequestId: canary, session: canary, cost: nanoDollars(5n), inputTokens: 7,
          }),
        }],
      });

      test('no table holds a word, a secret or a key of it afterwards; its figures stay', async () => {
        const organization = (await granted(store.organizations.create({ name: canary, plan: 'scale' }))).id;
        const person = await granted(store.members.create({ organization, email: 'canary@erased.example', passwordHash: canary, role: 'owner' }));
        await store.accounts.create('session', {
          id: 'ses_1', userId: person.id, token: canary, expiresAt: new Date(9e12), createdAt: new Date(1), updatedAt: new Date(1), userAgent: canary,
        });
        await granted(store.invitations.create({
          organization, email: null, role: 'viewer', tokenHash: canary, invitedBy: canary, expiresAtMs: 9e12,
        }));
        await granted(store.managementTokens.create({
          organization, name: canary, role: 'viewer', madeBy: null, expiresAtMs: null, hash: hashOf(canary), prefix: canary,
        }));
        await granted(newKey(store, organization, canary));
        await store.providers.connect(organization, 'openai', canary);
        await store.upstreams.declare(organization, { url: `https://${canary}.example`, credential: canary });
        await granted(store.caps.set({ organization, scope: 'project', subject: canary, window: 'day', limit: nanoDollars(5n), mode: 'refuse' }));
        const tap = { organization, key: { hash: hashOf(canary), prefix: canary }, unread: canary };
        await granted(store.baselines.create(tap as Parameters<Store['baselines']['create']>[0]));
        await store.acting({ actor: { ...actor, name: canary }, detail: { name: canary } }).organizations.set(organization, { plan: 'team' });
        const kept = await granted(store.caps.set(dailyCap(organization, 7n)));
        await granted(store.acting(intent()).grants.mint({ organization, run: canary, max: nanoDollars(1_000_000_000n), expiresAtMs: 9e12 }));
        await store.corrections.record(billOf(organization, canary, `${canary} too`));
        await context.run(url, [
          `insert into corrected_spend (number, organization, key, labels, day_ms, amount_nano, at_ms)
            values (1, '${organization}', 'key_x', '["${canary}"]', 0, 5, ${Date.now()})`,
          `insert into figure_difference (organization, kind, place, kept, derived, found_ms, mended_ms)
            values ('${organization}', 'usage_sum', '2026 label ${canary}', '1', '2', 1, 2)`,
        ]);
        await ship('seg_before', organization);
        assert.ok((await everything()).some((row) => row.includes(canary)), 'the canary is in the store before');

        await erase(organization);
        await ship('seg_after', organization, 2_000);

        for (const row of await everything()) {
          assert.ok(!row.includes(canary) && !row.includes('canary@erased'), row);
          assert.ok(!row.includes(hashOf(canary)), row);
        }
        const corrected = (await store.corrections.list({ organization })).map(({ model, ours, theirs }) => [model, ours, theirs]);
        assert.deepEqual(corrected, [[null, 2n, 16n]]);
        const records = await keptCalls(store, organization);
        assert.deepEqual(records.map(({ cost, inputTokens, project, path }) => [cost, inputTokens, project, path]),
          [5n, 5n].map((cost) => [cost, 7, null, '']));
        assert.deepEqual((await store.caps.list(organization, 1_000)).map(({ cap, spent }) => [cap.id, cap.limit, spent]), [[kept.id, 7n, 10n]]);
        assert.equal(await refusalCode(store.caps.remove(kept.id)), 'unknown_cap');
        assert.equal((await store.organizations.findErased(organization))!.id, organization);
        assert.equal(await store.organizations.findErased(`erased ${organization}`), null, 'by its id alone');
      });

      test('its usage stays whole in every dimension, under no name', async () => {
        const organization = await newOrganization();
        await ship('seg_used', organization);
        await ship('seg_used_later', organization, 86_400_000);
        const unnamed = sampleRecord(organization, {
          startedAtMs: 5, project: null, labels: [], run: null, model: null, cost: nanoDollars(1n), inputTokens: 1,
        });
        await store.calls.ship({ segment: 'seg_unnamed', through: 1, records: [{ seq: 1, record: unnamed }] });
        const by = async (dimension: UsageDimension) => (await store.usageReports.usage({ organization, by: [dimension], rowsMax: 10 }))!
          .map(({ subjects: [subject], figures: all }) =>
            [subject, Number(figureIn(all, 'calls')), figureIn(all, 'inputTokens'), figureIn(all, 'cost')]);
        const days = await by('day');
        await erase(organization);
        await ship('seg_used_last', organization, 2_000);
        for (const dimension of ['model', 'project', 'run', 'label'] as const) {
          assert.deepEqual(await by(dimension), [['', 4, 22n, 16n]], dimension);
        }
        assert.deepEqual(days.map(([, calls]) => calls), [2, 1]);
        for (const pair of [['label', 'key'], ['run', 'project'], ['model', 'month'], ['label', 'model']] as const) {
          const rows = (await store.usageReports.usage({ organization, by: pair, rowsMax: 10 }))!;
          assert.equal(rows.reduce((sum, { figures }) => sum + figureIn(figures, 'cost'), 0n), 16n, pair.join());
          assert.ok(rows.every(({ subjects }) => subjects.every((subject) => subject === '' || /^(?:key_|\d+$)/.test(subject))), pair.join());
        }
      });

      test('from then on it is like one that never was, and nothing can be made for it', async () => {
        const organization = await newOrganization();
        await granted(newKey(store, organization, 'erased soon'));
        const revision = await store.settings.revision();
        await erase(organization);
        assert.equal(await store.organizations.find(organization), null);
        assert.ok(!(await store.organizations.list()).some(({ id }) => id === organization));
        assert.equal(await store.settings.keyByHash(hashOf('erased soon')), null);
        assert.ok((await store.settings.changedSince(revision)).organizations.includes(organization), 'nodes are told');
        assert.equal(await refusalCode(newKey(store, organization, 'after')), 'unknown_organization');
        assert.equal(await refusalCode(store.organizations.set(organization, { plan: 'free' })), 'unknown_organization');
        assert.equal(await refusalCode(store.providers.connect(organization, 'openai', 'sk')), 'unknown_organization');
        assert.equal(await refusalCode(store.erasure.begin(organization)), 'unknown_organization');
        assert.equal((await trail(organization)).map(({ action }) => action)[0], 'eraseOrganization', 'who erased it stays known');
      });

      test('it affects only its own: another organization, and a person who belongs to both, stay', async () => {
        const [gone, kept] = [await newOrganization(), await newOrganization()];
        const person = await granted(store.members.create({ organization: gone, email: 'both@example.com', passwordHash: 'h', role: 'owner' }));
        const invitation = {
          organization: kept, email: null, role: 'viewer' as const, tokenHash: 'hash of both', invitedBy: null, expiresAtMs: 9e12,
        };
        await granted(store.invitations.create(invitation));
        const as = { person: person.id, way: 'credential' };
        await granted(store.invitations.accept({ tokenHash: 'hash of both', email: 'both@example.com', passwordHash: 'h', as }));
        await store.providers.connect(kept, 'openai', 'sk-kept');
        await ship('seg_kept', kept);
        await erase(gone);
        assert.deepEqual((await store.members.of(person.id)).map(({ organization }) => organization), [kept]);
        assert.deepEqual(await store.providers.state(kept, 'openai'), { state: 'connected', credential: 'sk-kept' });
        assert.equal((await keptCalls(store, kept))[0]!.project, canary);
      });

      test('an erasure continues in slices, over many records of one millisecond', async () => {
        const organization = await newOrganization();
        const records = Array.from({ length: 1_201 }, (_, index) =>
          ({ seq: index + 1, record: sampleRecord(organization, { startedAtMs: 7, project: 'p' }) }));
        await store.calls.ship({ segment: 'seg_many', through: records.length, records });
        await granted(store.erasure.begin(organization));
        assert.equal(await store.erasure.eraseSlice(), true);
        const left = async () => Number((await context.query(url,
          'select count(*) as worded from call_record where organization = $1 and project is not null', [organization]))[0]!['worded']);
        const afterOne = await left();
        assert.ok(afterOne > 0 && afterOne < records.length, String(afterOne));
        while (await store.erasure.eraseSlice());
        assert.equal(await left(), 0);
      });

      /** Every row of every table, as text. */
      async function everything(): Promise<string[]> {
        const tables = await context.query(url, context.name === 'sqlite' ? "select name from sqlite_master where type = 'table'"
          : "select tablename as name from pg_tables where schemaname = current_schema()");
        const rows: string[] = [];
        for (const { name } of tables) {
          rows.push(...(await context.query(url, `select * from "${String(name)}"`)).map((row) => `${String(name)} ${textOf(row)}`));
        }
        return rows;
      }
    });

    describe('the master key', () => {
      const open = (masterKey: Uint8Array) => openTestStore(place, { masterKey, create: false });
      let place: string;
      let first: Store;
      let organization: OrganizationId;
      before(async () => {
        place = await context.freshUrl();
        first = await openTestStore(place);
        organization = await newOrganization(first);
        await first.providers.connect(organization, 'openai', 'sk-before');
      });
      after(() => first?.close());

      test('after a rotation the new key opens everything and the old one nothing', async () => {
        const running = await open(testMasterKey);
        const before = (await context.query(place, 'select wrapped_by, wrapped from organization_data_key'))[0]!;
        assert.deepEqual(await granted(first.masterKey.rotate(nextKey)), { dataKeys: 1, unreadable: 0 });
        const after = (await context.query(place, 'select wrapped_by, wrapped from organization_data_key'))[0]!;
        assert.notEqual(after['wrapped_by'], before['wrapped_by']);
        assert.notDeepEqual(after['wrapped'], before['wrapped']);
        await assert.rejects(open(testMasterKey), (fault) => fault instanceof StoreFault && fault.code === 'wrong_master_key');
        const next = await open(nextKey);
        assert.deepEqual(await next.providers.state(organization, 'openai'), { state: 'connected', credential: 'sk-before' });
        await next.close();

        // A server that has run since before takes the new key over, for reading and for what it seals.
        assert.deepEqual((await running.settings.organization(organization))!.openai, { state: 'connected', credential: 'sk-before' });
        const other = await newOrganization(running);
        await running.providers.connect(other, 'anthropic', 'sk-made-meanwhile');
        const again = await open(nextKey);
        assert.deepEqual(await again.providers.state(other, 'anthropic'), { state: 'connected', credential: 'sk-made-meanwhile' });
        await Promise.all([again.close(), running.close()]);
      });

      test('a process that missed two rotations arrives at the current key', async () => {
        const sleeper = await open(nextKey);
        const one = await open(nextKey);
        await granted(one.masterKey.rotate(new Uint8Array(randomBytes(32))));
        await granted(one.masterKey.rotate(testMasterKey));
        await one.close();
        assert.equal(await sleeper.masterKey.follow(), true);
        assert.deepEqual(await sleeper.providers.state(organization, 'openai'), { state: 'connected', credential: 'sk-before' });
        assert.equal(await sleeper.masterKey.follow(), false);
        await sleeper.close();
      });

      test('the key in force is refused, and a rotation that breaks leaves all as it was', async () => {
        const on = await open(testMasterKey);
        assert.ok(isRefusal(await on.masterKey.rotate(testMasterKey)));
        const before = await context.query(place, 'select * from organization_data_key order by organization');
        await assert.rejects(on.acting(intent({ n: 1n })).masterKey.rotate(nextKey), TypeError);
        assert.deepEqual(await context.query(place, 'select * from organization_data_key order by organization'), before);
        assert.deepEqual(await on.providers.state(organization, 'openai'), { state: 'connected', credential: 'sk-before' });
        await on.close();
        await (await open(testMasterKey)).close();
      });

      test('the handed-over key is gone after an hour, and then a holder of the old key learns nothing', async () => {
        const on = await open(testMasterKey);
        const late = await open(testMasterKey);
        await granted(on.masterKey.rotate(nextKey));
        await context.query(place, 'update master_key_handover set until_ms = 1');
        await on.masterKey.endHandOver();
        assert.deepEqual(await context.query(place, 'select * from master_key_handover'), []);
        assert.equal((await late.providers.state(organization, 'openai')).state, 'unreadable');
        await Promise.all([on.close(), late.close()]);
      });

      test('no key is in the store in the clear', async () => {
        const rows = (await context.query(place, 'select * from store_identity')).map(textOf).join(' ');
        for (const key of [testMasterKey, nextKey]) {
          assert.ok(!rows.includes(Buffer.from(key).toString('hex')) && !rows.includes(Buffer.from(key).toString('base64')));
        }
      });
    });
  });
}

function textOf(row: Record<string, unknown>): string {
  return Object.values(row).map((value) =>
    value instanceof Uint8Array ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}` : String(value)).join(' ');
}
