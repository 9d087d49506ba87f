/**
 * Caps, policies and sums of spend, the same on SQLite and on a real PostgreSQL server: spend always equals the sum of the
 * records, whoever ships them in whatever batches. Rules: Journal; rules: Spend across nodes; rules 4, 5, 5a, 12 and 22.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { projectOf } from '@metergate/core/call/labels.ts';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { NewCap } from '../settings/caps.ts';
import type { Store } from '../store.ts';
import { allDaysMs } from './spend-days.ts';
import { batchOf, drawing, granted, hashOf, openTestStore, refusalCode, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;

for (const on of bothEngines) {
  describe(`caps and spend on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    let keys = 0;
    const newKey = async (organization: OrganizationId): Promise<ServiceKeyId> => (await granted(store.serviceKeys.create(
      { organization, name: null, project: null, expiresAtMs: null, hash: hashOf(`key ${++keys}`), prefix: 'svc_live_ab' }))).id;
    const cap = (organization: OrganizationId, changes: Partial<NewCap> = {}): NewCap =>
      ({ organization, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(5n), mode: 'refuse', ...changes });

    describe('caps (spec: Budget cap; rules: Interfaces)', () => {
      test('the same scope, subject and window replaces limit and mode and keeps the id and the place', async () => {
        const organization = await newOrganization();
        const first = await granted(store.caps.set(cap(organization)));
        assert.match(first.id, /^cap_[0-9A-Za-z]{20}$/);
        const second = await granted(store.caps.set(cap(organization, { window: 'day' })));
        const again = await granted(store.caps.set(cap(organization, { limit: nanoDollarsMax, mode: 'pause' })));
        assert.deepEqual(again, { ...first, limit: nanoDollarsMax, mode: 'pause' });
        assert.deepEqual((await store.caps.list(organization, startMs)).map((each) => each.cap), [again, second]);
        assert.deepEqual((await store.settings.organization(organization))?.caps, [again, second]);
      });

      test('a cap that is made while the batch that reaches it is shipped is reached: reported once, refused from then on', async () => {
        const organization = await newOrganization();
        const call = (seq: number) => ({ seq, record: sampleRecord(organization, { startedAtMs: startMs, cost: nanoDollars(5n) }) });
        await store.calls.ship({ segment: `made ${organization}`, through: 1, records: [call(1)] });
        await Promise.all([
          store.calls.ship({ segment: `made ${organization}`, through: 2, records: [call(2)] }), granted(store.caps.set(cap(organization))),
        ]);
        const [standing] = await store.caps.list(organization, startMs);
        assert.deepEqual([standing!.spent, standing!.cap.limit], [10n, 5n]);
        for (const _ of ['raised', 'known']) await store.alertWatch.caps(startMs);
        const told = (await store.audit.list({ organization, limit: 100 }))!.filter(({ action }) => action === 'capReached');
        assert.equal(told.length, 1);
      });

      test('organization, keys and projects have separate caps', async () => {
        const organization = await newOrganization();
        const [one, two] = [await newKey(organization), await newKey(organization)];
        const subjects: [CapScope, string | null][] = [
          ['organization', null], ['key', one], ['key', two], ['project', one], ['project', "a'); drop table cap; --"], ['project', 'naïve 🤖'],
        ];
        for (const [scope, subject] of subjects) {
          for (const window of calendarWindows) await granted(store.caps.set(cap(organization, { scope, subject, window })));
        }
        const held = (await store.settings.organization(organization))!.caps;
        assert.deepEqual(held.map(({ scope, subject, window }) => [scope, subject, window]),
          subjects.flatMap((subject) => calendarWindows.map((window) => [...subject, window])));
        assert.equal(new Set(held.map(({ id }) => id)).size, held.length);
      });

      test('what cannot be a cap is refused, and no revision is taken', async () => {
        const [organization, other] = [await newOrganization(), await newOrganization()];
        const foreignKey = await newKey(other);
        const revision = await store.settings.revision();
        const rows: readonly [code: string, wanted: NewCap][] = [
          ['unknown_organization', cap('org_none' as OrganizationId)],
          ['unknown_key', cap(organization, { scope: 'key', subject: 'key_none' })],
          ['unknown_key', cap(organization, { scope: 'key', subject: foreignKey })],
          ['invalid_setting', cap(organization, { scope: 'key' })],
          ['invalid_setting', cap(organization, { scope: 'key', subject: 'NUL \0' })],
          ['invalid_setting', cap(organization, { scope: 'project' })],
          ['invalid_setting', cap(organization, { subject: foreignKey })],
          ['invalid_name', cap(organization, { scope: 'project', subject: 'NUL \0' })],
          ['invalid_name', cap(organization, { scope: 'project', subject: '😀'.repeat(257) })],
          ['invalid_setting', cap(organization, { limit: nanoDollars(-1n) })],
          ['invalid_setting', cap(organization, { window: 'hour' as NewCap['window'] })],
          ['invalid_setting', cap(organization, { scope: 'run' as CapScope })],
          ['invalid_setting', cap(organization, { mode: 'warn' as NewCap['mode'] })],
        ];
        for (const [code, wanted] of rows) assert.equal(await refusalCode(store.caps.set(wanted)), code);
        assert.equal(await store.settings.revision(), revision);
      });

      test('every project that a call may name can be capped: both count its characters the same way', async () => {
        const organization = await newOrganization();
        const subject = '😀'.repeat(256);
        assert.equal(projectOf(['x-svc-project', Buffer.from(subject).toString('latin1')]), subject);
        await granted(store.caps.set(cap(organization, { scope: 'project', subject })));
      });

      test('those on a key are the organization\'s and its own, and none of any other key or project', async () => {
        const organization = await newOrganization();
        const [own, other] = [await newKey(organization), await newKey(organization)];
        const set = async (changes: Partial<NewCap>) => (await granted(store.caps.set(cap(organization, changes)))).id;
        const wanted = [await set({}), await set({ scope: 'key', subject: own }), await set({ scope: 'key', subject: own, window: 'day' })];
        await set({ scope: 'key', subject: other });
        await set({ scope: 'project', subject: own });
        assert.deepEqual((await store.caps.on(organization, { key: own, labels: [] }, startMs)).map((each) => each.cap.id), wanted);
        assert.deepEqual(await store.caps.on(await newOrganization(), { key: own, labels: [] }, startMs), []);
      });

      test('a removed cap is gone; unknown and foreign ones get the same answer; each change is named in the feed', async () => {
        const [organization, other] = [await newOrganization(), await newOrganization()];
        const revision = await store.settings.revision();
        const made = await granted(store.caps.set(cap(organization)));
        assert.deepEqual(await store.settings.changedSince(revision), { revision: revision + 1, organizations: [organization], prices: false });
        for (const [id, within] of [['cap_none', undefined], ['NUL \0', undefined], [made.id, other]] as const) {
          assert.equal(await refusalCode(store.caps.remove(id, within)), 'unknown_cap');
        }
        assert.deepEqual(await store.caps.remove(made.id, organization), { ...made, organization });
        assert.deepEqual(await store.settings.changedSince(revision + 1),
          { revision: revision + 2, organizations: [organization], prices: false });
        assert.deepEqual((await store.settings.organization(organization))?.caps, []);
        assert.equal(await refusalCode(store.caps.remove(made.id)), 'unknown_cap');
      });
    });

    describe('policies (rules 4, 12 and 22)', () => {
      test('are set one by one, reset, and reach the nodes', async () => {
        const organization = await newOrganization();
        const found = async () => (await store.settings.organization(organization))!;
        const none = { maxRunBudget: null, runCeiling: null, runExposure: null };
        assert.deepEqual([(await found()).enforceKeyCaps, (await found()).runPolicy, (await found()).agreedFigures], [false, none, null]);
        const policy = { maxRunBudget: nanoDollars(0n), runCeiling: nanoDollarsMax, runExposure: nanoDollars(7n) };
        const set = await granted(store.organizations.set(organization, { ...policy, enforceKeyCaps: true, plan: 'enterprise', tokensPerMinute: 9 }));
        assert.deepEqual([set.enforceKeyCaps, set.runPolicy, set.agreedFigures], [true, policy, { requestsPerMinute: null, tokensPerMinute: 9 }]);
        const { enforceKeyCaps, runPolicy, agreedFigures } = await found();
        assert.deepEqual({ enforceKeyCaps, runPolicy, agreedFigures },
          { enforceKeyCaps: set.enforceKeyCaps, runPolicy: set.runPolicy, agreedFigures: set.agreedFigures });
        await granted(store.organizations.set(organization, { maxRunBudget: null, tokensPerMinute: null }));
        assert.deepEqual((await found()).runPolicy, { ...policy, maxRunBudget: null });
        assert.equal((await found()).agreedFigures, null);
      });

      test('figures are agreed only on Enterprise; removing them is always allowed', async () => {
        const organization = await newOrganization();
        assert.equal(await refusalCode(store.organizations.set(organization, { requestsPerMinute: 1 })), 'invalid_setting');
        assert.equal(await refusalCode(store.organizations.set(organization, { requestsPerMinute: null, tokensPerMinute: null })), 'granted');
        await granted(store.organizations.set(organization, { plan: 'enterprise', requestsPerMinute: 1 }));
        for (const figure of [0, 1.5, -1, 10_000_000_001, Number.NaN]) {
          assert.equal(await refusalCode(store.organizations.set(organization, { requestsPerMinute: figure })), 'invalid_setting');
        }
        assert.equal(await refusalCode(store.organizations.set(organization, { runCeiling: nanoDollars(-1n) })), 'invalid_setting');
        assert.equal((await granted(store.organizations.set(organization, { plan: 'free' }))).agreedFigures?.requestsPerMinute, 1);
      });

      test("a key's own run budget comes back with it", async () => {
        const organization = await newOrganization();
        const made = await granted(store.serviceKeys.create({
          organization, name: null, project: null, expiresAtMs: null, hash: hashOf('budget'), prefix: 'p', maxRunBudget: nanoDollarsMax,
        }));
        assert.equal(made.maxRunBudget, nanoDollarsMax);
        assert.equal((await store.settings.keyByHash(hashOf('budget')))?.maxRunBudget, nanoDollarsMax);
      });
    });

    describe('spend is the sum of the records (promise 4; rule 5a)', () => {
      const recomputed = (records: readonly CallRecord[], at: (record: CallRecord) => readonly [scope: string, subject: string | null][]) => {
        const sums = new Map<string, { spent: bigint; calls: bigint; unknown: bigint; unpriced: bigint; gaps: bigint }>();
        for (const record of records) {
          for (const [scope, subject] of at(record)) {
            for (const day of [Math.floor(record.startedAtMs / dayMs) * dayMs, allDaysMs]) {
              if (subject === null) continue;
              const name = JSON.stringify([record.organization, scope, subject, day]);
              const sum = sums.get(name) ?? { spent: 0n, calls: 0n, unknown: 0n, unpriced: 0n, gaps: 0n };
              sum.spent += record.cost ?? 0n;
              sum.calls += 1n;
              if (record.usage === 'unknown' || record.usage === 'partial') sum.unknown += 1n;
              if (record.costSource === 'unpriced') sum.unpriced += 1n;
              if (record.costGaps.length > 0) sum.gaps += 1n;
              sums.set(name, sum);
            }
          }
        }
        return sums;
      };
      const kept = async (organizations: readonly OrganizationId[]) => {
        // As text: a driver's numbers would lose digits.
        const rows = await context.query(url, 'select organization, scope, subject, day_ms, cast(spent_nano as text) as spent_nano,'
          + ' cast(calls as text) as calls, cast(unknown_calls as text) as unknown_calls,'
          + ' cast(unpriced_calls as text) as unpriced_calls, cast(gap_calls as text) as gap_calls from spend_day');
        return new Map(rows.filter((row) => organizations.includes(row['organization'] as OrganizationId)).map((row) => [
          JSON.stringify([row['organization'], row['scope'], row['subject'], Number(row['day_ms'])]),
          {
            spent: BigInt(row['spent_nano'] as string), calls: BigInt(row['calls'] as string), unknown: BigInt(row['unknown_calls'] as string),
            unpriced: BigInt(row['unpriced_calls'] as string), gaps: BigInt(row['gap_calls'] as string),
          },
        ]));
      };

      test('3,000 records in batches of any size, repeated and overlapping, by two shippers at once: every sum is exact', async () => {
        const draw = drawing(0x1234_5678);
        const organizations = [await newOrganization(), await newOrganization(), await newOrganization()];
        const record = (): CallRecord => sampleRecord(organizations[draw(3)]!, {
          key: `key_${draw(7)}` as ServiceKeyId,
          project: draw(4) === 0 ? null : `project ${draw(5)}`,
          startedAtMs: startMs - draw(500 * 86_400) * 1_000,
          cost: draw(5) === 0 ? null : nanoDollars(BigInt(draw(1_000_000_000))),
          usage: (['reported', 'partial', 'unknown', 'none'] as const)[draw(4)]!,
          costSource: draw(4) === 0 ? 'unpriced' : 'priced',
          costGaps: draw(3) === 0 ? ['audio', 'region'] : [],
        });
        const segments = [0, 1, 2, 3].map((number) => ({ id: `seg_${context.name}_${number}`, records: Array.from({ length: 750 }, record) }));
        const other = await openTestStore(url);
        const shipAll = async (through: Store, seed: number): Promise<void> => {
          const size = drawing(seed);
          for (const { id, records } of seed % 2 === 0 ? segments : segments.toReversed()) {
            for (let from = 0; from < records.length;) {
              const to = Math.min(records.length, from + 1 + size(200));
              const again = Math.max(0, from - size(100));
              await through.calls.ship(batchOf(id, records.slice(again, to), again + 1));
              from = to;
            }
          }
        };
        await Promise.all([shipAll(store, 0x0bad_cafe), shipAll(other, 0x7eed_5eed)]);
        await other.close();
        const listed = (await Promise.all(organizations.map((organization) => keptCalls(store, organization)))).flat();
        assert.equal(listed.length, 3_000);
        assert.deepEqual(await kept(organizations),
          recomputed(listed, ({ key, project }) => [['organization', ''], ['key', key], ['project', project]]));
      });

      test('sums are those of the requested windows, of this organization and this key', async () => {
        const [organization, other] = [await newOrganization(), await newOrganization()];
        const [one, two] = [await newKey(organization), await newKey(organization)];
        const cost = nanoDollars(10n);
        const records = [
          sampleRecord(organization, { key: one, cost, startedAtMs: startMs }),
          sampleRecord(organization, { key: one, cost, startedAtMs: startMs - 1, usage: 'unknown' }),
          sampleRecord(organization, { key: two, cost, startedAtMs: startMs }),
          sampleRecord(organization, { key: one, cost, startedAtMs: startMs + dayMs }),
          sampleRecord(other, { key: one, cost, startedAtMs: startMs }),
        ];
        await store.calls.ship(batchOf(`seg_windows_${context.name}`, records));
        const at = async (key: ServiceKeyId, atMs: number) => {
          const sums = (await store.spend.sumsOfAll([{ organization, key }], atMs))[0]!;
          const windows = ['day', 'week', 'month', 'year', 'lifetime'] as const;
          return (['organization', 'key'] as const).map((subject) => windows.map((window) => sums[subject][window].spent));
        };
        // 5 January 2026 is a Monday: the call before it belongs to another day and another week.
        assert.deepEqual(await at(one, startMs), [[20n, 30n, 40n, 40n, 40n], [10n, 20n, 30n, 30n, 30n]]);
        assert.deepEqual(await at(two, startMs), [[20n, 30n, 40n, 40n, 40n], [10n, 10n, 10n, 10n, 10n]]);
        assert.deepEqual(await at(one, startMs - 1), [[10n, 10n, 40n, 40n, 40n], [10n, 10n, 30n, 30n, 30n]]);
        assert.deepEqual(await at(one, startMs + 400 * dayMs), [[0n, 0n, 0n, 0n, 40n], [0n, 0n, 0n, 0n, 30n]]);
        assert.deepEqual(await at('key_none' as ServiceKeyId, startMs), [[20n, 30n, 40n, 40n, 40n], [0n, 0n, 0n, 0n, 0n]]);
        const all = await store.spend.sumsOfAll([
          { organization, key: one }, { organization: other, key: one }, { organization, key: two },
        ], startMs);
        assert.deepEqual(all.map((sums) => [sums.organization.day.spent, sums.key.day.spent]), [[20n, 10n], [10n, 10n], [20n, 10n]]);
        const sums = (await store.spend.sumsOfAll([{ organization, key: one }], startMs - 1))[0]!;
        assert.deepEqual(sums.key.day, { window: 'day', startMs: startMs - dayMs, endMs: startMs, spent: 10n });
      });

      test('a cap is listed with its subject’s spend in its window, including spend from before the cap', async () => {
        const organization = await newOrganization();
        const key = await newKey(organization);
        const records = [
          sampleRecord(organization, { key, project: 'p', cost: nanoDollars(3n), startedAtMs: startMs }),
          sampleRecord(organization, { key, project: null, cost: nanoDollars(4n), startedAtMs: startMs - 1, usage: 'partial' }),
        ];
        await store.calls.ship(batchOf(`seg_caps_${context.name}`, records));
        const wanted: readonly Partial<NewCap>[] = [
          { window: 'day' }, { window: 'lifetime' }, { scope: 'key', subject: key, window: 'month' },
          { scope: 'project', subject: 'p', window: 'year' }, { scope: 'project', subject: 'q', window: 'year' },
        ];
        for (const each of wanted) await granted(store.caps.set(cap(organization, each)));
        const standings = async (atMs: number) => (await store.caps.list(organization, atMs)).map(({ spent, unknownCalls }) => [spent, unknownCalls]);
        assert.deepEqual(await standings(startMs), [[3n, 0], [7n, 1], [7n, 1], [3n, 0], [0n, 0]]);
        assert.deepEqual(await standings(startMs - 1), [[4n, 1], [7n, 1], [7n, 1], [3n, 0], [0n, 0]]);
      });

      test('sums stop at the 64-bit bound and block nothing', async () => {
        const organization = await newOrganization();
        const key = await newKey(organization);
        const records = [1, 2, 3].map(() => sampleRecord(organization, { key, cost: nanoDollarsMax }));
        await store.calls.ship(batchOf(`seg_bound_${context.name}`, records.slice(0, 2)));
        await store.calls.ship(batchOf(`seg_bound_${context.name}`, records.slice(2), 3));
        assert.equal((await store.spend.sumsOfAll([{ organization, key }], startMs))[0]!.organization.lifetime.spent, nanoDollarsMax);
      });

      test('a batch that fails adds nothing', async () => {
        const organization = await newOrganization();
        const broken = [sampleRecord(organization), sampleRecord(organization, { requestBytes: 'x' as unknown as number })];
        await assert.rejects(store.calls.ship(batchOf(`seg_broken_${context.name}`, broken)));
        assert.equal((await kept([organization])).size, 0);
      });

      test('reading the sums of a key takes a few index lookups, however many sums there are', async () => {
        const one = (scope: string) => `(organization = 'o' and scope = '${scope}' and subject = 's' and day_ms >= 5 and day_ms < 370)`;
        const query = `select sum(spent_nano) from spend_day where ${one('key')} or ${one('organization')}`;
        if (context.name === 'sqlite') {
          assert.doesNotMatch(JSON.stringify(await context.query(url, `explain query plan ${query}`)), /SCAN/);
        } else {
          await context.query(url, 'create or replace function spend_plan() returns setof text language plpgsql set enable_seqscan = off'
            + ` as $body$ begin return query execute $query$explain ${query}$query$; end $body$`);
          const plan = JSON.stringify(await context.query(url, 'select spend_plan()'));
          assert.match(plan, /spend_day_pk/);
          assert.doesNotMatch(plan, /Seq Scan/);
        }
      });
    });
  });
}
