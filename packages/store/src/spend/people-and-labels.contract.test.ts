/**
 * On both engines: what people and labels spent is the sum of their calls' records in each window, whoever ships them, and also once records were
 * removed for their age or a key's person has changed. Decision 161.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cappedLabelsMax, cappedMax, type Cap } from '@metergate/core/spend/cap.ts';
import type { GatewayNodeId, OrganizationId, PersonId, RequestId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { calendarWindows, windowAt, type CalendarWindow } from '@metergate/core/spend/window.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import type { NewCap } from '../settings/caps.ts';
import { batchOf, drawing, granted, hashOf, refusalCode, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores, onPostgres } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;
const oddLabels = ['__proto__', 'constructor', 'team:search', 'équipe 🦊', "a'); drop table cap; --", '%'];
let made = 0;

for (const on of bothEngines) {
  describe(`spend of people and labels on ${on.title}`, async () => {
    const { context, url, store, another, newOrganization } = await contractStore(on);
    const member = (organization: OrganizationId, email: string = `p${made += 1}@people.example`) =>
      granted(store.members.create({ organization, email, passwordHash: 'a hash', role: 'member' }));
    const keyFor = async (organization: OrganizationId, person: PersonId | null): Promise<ServiceKeyId> => (await granted(store.serviceKeys.create({
      organization, name: null, project: null, expiresAtMs: null, hash: hashOf(`key ${made += 1}`), prefix: 'svc', person,
    }))).id;
    const cap = (organization: OrganizationId, changes: Partial<NewCap>): NewCap =>
      ({ organization, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(5n), mode: 'refuse', ...changes });
    const ship = async (records: readonly CallRecord[]): Promise<void> => store.calls.ship(batchOf(`segment ${made += 1}`, records));
    const call = (organization: OrganizationId, changes: Partial<CallRecord>): CallRecord => {
      made += 1;
      return sampleRecord(organization, { id: `req_${made.toString(16).padStart(32, '0')}` as RequestId, labels: [], ...changes });
    };
    const spentOf = async (organization: OrganizationId, id: string, atMs: number = startMs): Promise<bigint> =>
      (await store.caps.find(organization, id, atMs))!.spent;
    const isIn = (window: CalendarWindow, startedAtMs: number): boolean =>
      windowAt(window, startMs).startMs === windowAt(window, startedAtMs).startMs;

    test('a new cap counts what was spent since its window began, in every window, call by call', async () => {
      const organization = await newOrganization();
      const [ada, bob] = [await member(organization), await member(organization)];
      const keys: ServiceKeyId[] = [];
      for (const person of [ada.id, ada.id, bob.id, null]) keys.push(await keyFor(organization, person));
      const draw = drawing(7);
      const records = Array.from({ length: 300 }, () => call(organization, {
        key: keys[draw(4)]!, labels: oddLabels.filter(() => draw(3) === 0), startedAtMs: startMs - draw(500) * dayMs / 2,
        cost: draw(9) === 0 ? null : nanoDollars(BigInt(draw(1_000))),
      }));
      await ship(records.slice(0, 150));
      const wanted: [Cap, (record: CallRecord) => boolean][] = [];
      for (const window of calendarWindows) {
        const ofPerson = await granted(store.caps.set(cap(organization, { scope: 'person', subject: ada.id, window })));
        wanted.push([ofPerson, ({ key }) => keys.indexOf(key) < 2]);
        for (const label of oddLabels) {
          const ofLabel = await granted(store.caps.set(cap(organization, { scope: 'label', subject: label, window })));
          wanted.push([ofLabel, ({ labels }) => labels.includes(label)]);
        }
      }
      await ship(records.slice(150));
      for (const [{ id, window, subject }, counts] of wanted) {
        const own = records.filter((record) => counts(record) && isIn(window, record.startedAtMs));
        const expected = own.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
        assert.equal(await spentOf(organization, id), expected, `${subject} ${window}`);
      }
      const [listed] = (await store.caps.list(organization, startMs))
        .filter(({ cap: { scope, window } }) => scope === 'label' && window === 'lifetime');
      const days = await store.spentDays.of(organization, { scope: 'label', subject: listed!.cap.subject, sinceMs: 0 });
      assert.equal(days.reduce((sum, { spent }) => sum + spent, 0n), listed!.spent);
      const inForce = await store.caps.on(organization, { key: keys[0]!, labels: ['__proto__'] }, startMs);
      assert.deepEqual([...new Set(inForce.map(({ cap: { scope, subject } }) => `${scope} ${subject}`))], [`person ${ada.id}`, 'label __proto__']);
    });

    const removeAll = async (organization: OrganizationId, nowMs: number): Promise<number> => {
      for (let records = 0; ;) {
        const slice = await store.retention.removeSlice(organization, { nowMs, rowsMax: 2 });
        records += slice.records;
        if (!slice.more) return records;
      }
    };
    const sound = async (organization: OrganizationId): Promise<void> => {
      const other = await another();
      const report = await other.spendReconciler.reconcile(async () => true);
      assert.deepEqual(report!.differences.filter((each) => each.organization === organization), []);
    };
    /** Every call costs `cost` by other prices; null: what its record says. */
    const correct = async (organization: OrganizationId, records: readonly CallRecord[], cost: bigint | null): Promise<void> => {
      const calls: (CallRecord & { readonly sequence: bigint })[] = [];
      for await (const page of store.callWalk.walk({ organization, fromMs: 0, toMs: startMs + 100 * dayMs })) {
        for (const { record, place: { sequence } } of page) if (records.some(({ id }) => id === record.id)) calls.push({ ...record, sequence });
      }
      assert.equal(calls.length, records.length);
      const corrections = new Map(cost === null ? [] : calls.map((each) => [each.sequence, {
        recorded: each.cost, cost: nanoDollars(cost), costGaps: [], priceList: 'other' }] as const));
      await store.callCorrections.replace({ organization, calls, corrections, counted: true, audited: false });
    };

    test('what was removed for its age still counts, with what is counted of corrections', async () => {
      const organization = await newOrganization();
      const key = await keyFor(organization, (await member(organization)).id);
      const person = (await store.serviceKeys.find(organization, key))!.person!;
      const caps: Cap[] = [];
      for (const window of ['lifetime', 'year', 'month'] as const) {
        caps.push(await granted(store.caps.set(cap(organization, { scope: 'label', subject: 'team:search', window }))));
        caps.push(await granted(store.caps.set(cap(organization, { scope: 'person', subject: person, window }))));
      }
      const records = [400, 40, 4, 3, 2, 1, 0].map((days) => call(organization, {
        key, labels: days % 2 === 0 ? ['other', 'team:search', 'team:search'] : ['team:search'],
        startedAtMs: startMs - days * dayMs, cost: nanoDollars(7n),
      }));
      await ship(records);
      const spent = () => Promise.all(caps.map(({ id }) => spentOf(organization, id)));
      assert.deepEqual(await spent(), [49n, 49n, 35n, 35n, 35n, 35n]);
      await correct(organization, records, 9n);
      assert.deepEqual(await spent(), [63n, 63n, 45n, 45n, 45n, 45n]);
      await correct(organization, records.slice(0, 5), 4n);
      const due = [38n, 38n, 30n, 30n, 30n, 30n];
      assert.deepEqual(await spent(), due);
      await sound(organization);
      await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
      assert.equal(await removeAll(organization, startMs + 31.5 * dayMs), 7);
      assert.deepEqual(await spent(), due);
      await sound(organization);
    });

    test('a label without a cap loses its corrections with its records, and an erased organization has no labels left', async () => {
      const organization = await newOrganization();
      const records = [1, 0].map((days) => call(organization, { labels: ['plain'], startedAtMs: startMs - days * dayMs, cost: nanoDollars(7n) }));
      await ship(records);
      await correct(organization, records, 9n);
      await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
      assert.equal(await removeAll(organization, startMs + 31.5 * dayMs), 2);
      await sound(organization);
      const late = [call(organization, { labels: ['plain'], cost: nanoDollars(7n) })];
      await ship(late);
      await correct(organization, late, 5n);
      await granted(store.caps.set(cap(organization, { scope: 'label', subject: 'plain' })));
      await granted(store.erasure.begin(organization));
      await sound(organization);
      while (await store.erasure.eraseSlice());
      assert.deepEqual(await context.query(url, "select subject from spend_day where organization = $1 and scope = 'label'", [organization]), []);
      await sound(organization);
    });

    test('a cap is set for members and labels that calls can have, for so many labels', async () => {
      const [organization, other] = [await newOrganization(), await newOrganization()];
      const stranger = await member(other);
      const rows: readonly [code: string, wanted: NewCap][] = [
        ['unknown_member', cap(organization, { scope: 'person', subject: stranger.id })],
        ['unknown_member', cap(organization, { scope: 'person', subject: 'NUL \0' })],
        ...['', ' team', 'a,b', 'x'.repeat(129), 'line\nfeed', 'NUL \0', '\ud800'].map((subject): [string, NewCap] =>
          ['invalid_setting', cap(organization, { scope: 'label', subject })]),
      ];
      for (const [code, wanted] of rows) assert.equal(await refusalCode(store.caps.set(wanted)), code, JSON.stringify(wanted.subject));
      for (let at = 0; at < cappedLabelsMax; at += 1) await granted(store.caps.set(cap(organization, { scope: 'label', subject: `label ${at}` })));
      assert.equal(await refusalCode(store.caps.set(cap(organization, { scope: 'label', subject: 'one more' }))), 'invalid_setting');
      await granted(store.caps.set(cap(organization, { scope: 'label', subject: 'label 7', window: 'day' })));
      await granted(store.caps.set(cap(other, { scope: 'label', subject: 'one more' })));
    });

    test('caps of keys that no longer work are not for nodes, and each scope has a maximum in an organization', async () => {
      const organization = await newOrganization();
      const [works, revoked] = [await keyFor(organization, null), await keyFor(organization, null)];
      const expired = await keyFor(organization, null);
      for (const subject of [works, revoked, expired]) await granted(store.caps.set(cap(organization, { scope: 'key', subject })));
      const held = async () => (await store.settings.organization(organization))!.caps.map(({ subject }) => subject);
      assert.deepEqual(await held(), [works, revoked, expired]);
      await granted(store.serviceKeys.revoke(revoked));
      await granted(store.serviceKeys.set(expired, { expiresAtMs: 1 }));
      assert.deepEqual(await held(), [works]);
      assert.equal((await store.caps.list(organization, startMs)).length, 3, 'they stay as figures');
      await granted(store.serviceKeys.set(expired, { expiresAtMs: null }));
      assert.deepEqual(await held(), [works, expired], 'a key that works again is bound again');

      const rows = Array.from({ length: cappedMax.project + 2 }, (_, at) =>
        `('cap_${organization}_${at}', '${organization}', 'project', 'p${at}', 'day', 1, 'refuse', 1)`);
      await context.run(url, [`insert into cap (id, organization, scope, subject, "window", limit_nano, mode, made) values ${rows.join(', ')}`]);
      const answer = await store.caps.set(cap(organization, { scope: 'project', subject: 'one more' }));
      assert.match('refused' in answer ? answer.refused.message : '', /^At most 2000 projects of an organization can have caps\.$/);
      for (const window of ['day', 'month'] as const) {
        await granted(store.caps.set(cap(organization, { scope: 'project', subject: 'p7', window })));
      }
      await granted(store.caps.set(cap(organization, { scope: 'key', subject: works, window: 'day' })));
    });

    test('a person\'s caps end with the membership, and go to whoever proves to be them', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const email = `p${made += 1}@claimed.example`;
      const [claimant, proved] = [await member(one, email), await member(two, email)];
      const key = await keyFor(one, claimant.id);
      await ship([call(one, { key, cost: nanoDollars(3n) })]);
      const { id } = await granted(store.caps.set(cap(one, { scope: 'person', subject: claimant.id })));
      await granted(store.caps.set(cap(two, { scope: 'person', subject: proved.id })));
      const identity = { issuer: 'https://id.example', subject: email, email, emailVerified: true };
      const { id: person } = await granted(store.providedPeople.admit(identity, new Map([[one, 'member']])));
      const [kept] = await store.caps.list(one, startMs);
      assert.deepEqual([kept?.cap.id, kept?.cap.subject, kept?.spent], [id, person, 3n]);
      const before = await store.settings.revision();
      await granted(store.members.remove(one, person, 'owner'));
      assert.deepEqual(await store.caps.list(one, startMs), []);
      assert.equal((await store.caps.list(two, startMs)).length, 1);
      assert.deepEqual((await store.settings.changedSince(before)).organizations, [one]);
    });

    const [ofEmbedded, ofShared] = [{ skip: on === onPostgres }, { skip: on !== onPostgres }];
    test('a node that is alone with its store learns what they spent, and how far its journal was shipped then', ofEmbedded, async () => {
      const organization = await newOrganization();
      const ada = await member(organization);
      const key = await keyFor(organization, ada.id);
      const records = [1n, 2n, 4n].map((cost, index) => call(organization, {
        key, labels: index === 1 ? [] : ['a'], cost: nanoDollars(cost), startedAtMs: startMs - index * dayMs,
      }));
      await store.calls.ship(batchOf('journal', records));
      const { spent, marks } = await store.spend.cappedSums([
        { organization, scope: 'label', subject: 'a' }, { organization, scope: 'person', subject: ada.id },
        { organization, scope: 'label', subject: 'b' },
      ], startMs);
      assert.deepEqual(spent.map(({ sums: { day, lifetime } }) => [day.spent, lifetime.spent]), [[1n, 5n], [1n, 7n], [0n, 0n]]);
      assert.equal(marks.get('journal'), 3);
    });

    test('a lease of theirs knows what all nodes spent, and what this one has shipped of what it counted', ofShared, async () => {
      const organization = await newOrganization();
      const ada = await member(organization);
      const key = await keyFor(organization, ada.id);
      const node = `node_${String(made += 1).padStart(20, '0')}` as GatewayNodeId;
      await store.leases.begin(node, `home ${made}`);
      for (const [scope, subject] of [['label', 'a b'], ['person', ada.id]] as const) {
        await granted(store.caps.set(cap(organization, { scope, subject, window: 'lifetime', limit: nanoDollars(100n) })));
      }
      await ship([
        call(organization, { key, node, labels: ['a b'], cost: nanoDollars(10n) }),
        call(organization, { key, node, labels: ['a b'], cost: nanoDollars(20n), countedFor: { person: null, labels: ['a b'] } }),
        call(organization, { key, node, labels: ['a b'], cost: nanoDollars(4n), countedFor: { person: ada.id, labels: ['a b'] } }),
      ]);
      const claims = ([['label', 'a b'], ['person', ada.id]] as const).map(([scope, subject]): SubjectClaim => ({
        subject: { organization, scope, subject, window: 'lifetime', ...windowAt('lifetime', startMs) },
        settled: nanoDollars(0n), holds: nanoDollars(0n), recent: nanoDollars(0n), underWay: nanoDollars(0n), wants: true,
      }));
      const answers = (await store.leases.claim(node, 1, claims))!;
      assert.deepEqual(answers.map(({ spent, shipped, limit }) => [spent, shipped, limit]), [[34n, 24n, 100n], [34n, 4n, 100n]]);
    });
  });
}
