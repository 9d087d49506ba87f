/**
 * On SQLite and on a real PostgreSQL server: one Baseline for each organization, its key read once and never in the clear in
 * a dump, events kept once whoever sends them when, sums that always equal the events, and nothing stored by a key that stopped.
 * Spec: Tap key, Baseline, Tap ingestion; rules 20, 23 and 30.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import type { TapEvent } from '@metergate/core/tap/event.ts';
import { latencyCountsText } from '@metergate/core/tap/latency-bucket.ts';
import { rollUp, type TapLatency } from '@metergate/core/tap/rollup.ts';
import { understoodEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { openEngine } from '../engine/engine.ts';
import { isRefusal } from '../engine/refusal.ts';
import { openStore, type Store } from '../store.ts';
import { granted, refusalCode, testMasterKey, type EngineFixture } from '../test-support/contract-fixture.ts';
import { bothEngines } from '../test-support/contract-store.ts';
import type { Baseline } from './baselines.ts';
import { dropErasedEvents, eraseTap } from './tap-events.ts';

const noonMs = Date.UTC(2026, 2, 4, 12);
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

for (const on of bothEngines) {
  describe(`the tap's contract on ${on.title}`, () => {
    let context: EngineFixture;
    let url: string;
    /** Two connections to one store, as two nodes have them. */
    let store: Store;
    let other: Store;
    let nowMs = noonMs;
    let count = 0;
    const open = (): Promise<Store> =>
      openStore({ url, masterKey: testMasterKey, clock: () => nowMs, randomBytes: (n) => randomBytes(n), create: true });

    before(async () => {
      context = await on.context();
      url = await context.newStoreUrl();
      store = await open();
      other = await open();
    });
    after(async () => {
      await Promise.all([store?.close(), other?.close()]);
      await context?.end();
    });

    interface Tapped { readonly organization: OrganizationId; readonly baseline: Baseline; readonly key: string }
    const newKey = (): string => `svc_tap_${randomBytes(32).toString('hex')}`;
    const stored = (key: string) => ({ hash: hashOf(key), prefix: key.slice(0, 12) });
    const newOrganization = async (): Promise<OrganizationId> =>
      (await granted(store.organizations.create({ name: `tapped ${++count}`, plan: 'free' }))).id;
    const newBaseline = async (): Promise<Tapped> => {
      nowMs = noonMs;
      const organization = await newOrganization();
      const key = newKey();
      return { organization, key, baseline: await granted(store.baselines.create({ organization, key: stored(key), unread: key })) };
    };
    interface Way { readonly from?: Store; readonly isPriced?: () => boolean }
    const keep = (key: string, events: readonly TapEvent[], { from = store, isPriced = () => true }: Way = {}) =>
      from.tapEvents.keep({ keyHash: hashOf(key), events, isPriced, priceSteps: [200_000] });
    const event = (requestId: string, changes: Partial<TapEvent> = {}) => understoodEvent({ requestId, timestampMs: nowMs, ...changes });
    const events = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => event(`r${from + index}`));
    const eventRows = async ({ baseline }: Tapped): Promise<number> => Number((await context.query(url,
      'select count(*) as n from tap_event e join baseline b on b.number = e.baseline where b.id = $1', [baseline.id]))[0]!['n']);
    const callsOf = async ({ baseline }: Tapped): Promise<number> =>
      (await store.tapEvents.sums(baseline.id, baseline.organization)).cells.reduce((sum, cell) => sum + cell.sums[0]!, 0);

    describe('events past their age', () => {
      test('events and sums of such days are removed, other sums equal their events; other organizations keep everything', async () => {
        const [tapped, untouched] = [await newBaseline(), await newBaseline()];
        await granted(store.organizations.set(tapped.organization, { plan: 'team', keepRecordsDays: 31 }));
        for (const { key } of [tapped, untouched]) {
          for (let day = 0; day < 4; day += 1) {
            nowMs = noonMs + day * dayLengthMs;
            await keep(key, Array.from({ length: 30 }, (_, at) => event(`d${day}r${at}`, { tag: `t${at % 3}` })));
          }
        }
        const removedAt = noonMs + 33 * dayLengthMs;
        let removed = 0;
        for (let more = true; more;) {
          const slice = await store.retention.removeSlice(tapped.organization, { nowMs: removedAt, rowsMax: 7 });
          removed += slice.events;
          ({ more } = slice);
          if (removed > 0) assert.equal(await callsOf(tapped), 60, 'a day that is going is in no report');
        }
        assert.deepEqual([removed, await eventRows(tapped), await callsOf(tapped), await eventRows(untouched), await callsOf(untouched)],
          [60, 60, 60, 120, 120]);
        const { latencies } = await store.tapEvents.sums(tapped.baseline.id, tapped.baseline.organization);
        assert.ok(latencies.every(({ part }) => Number(part.split(':')[0]) >= dayOf(removedAt - 31 * dayLengthMs)));
        const cells = await context.query(url, 'select count(*) as n from tap_cell as c join baseline as b on b.number = c.baseline where b.id = $1',
          [tapped.baseline.id]);
        assert.equal(Number(cells[0]!['n']), 6);
        assert.equal((await store.retention.progress(tapped.organization))!.removedEvents, 60);
      });

      test('a replaced Baseline is removed with its last event, the current one stays', async () => {
        const old = await newBaseline();
        await granted(store.organizations.set(old.organization, { keepRecordsDays: 31 }));
        await keep(old.key, events(0, 5), { isPriced: () => false });
        nowMs = noonMs + 61 * dayLengthMs;
        const key = newKey();
        const current = await granted(store.baselines.create({ organization: old.organization, key: stored(key), unread: null }));
        nowMs = noonMs + 100 * dayLengthMs;
        while ((await store.retention.removeSlice(old.organization, { nowMs, rowsMax: 2 })).more);
        assert.deepEqual((await store.baselines.list(old.organization)).map(({ id }) => id), [current.id]);
        assert.equal(await store.baselines.find(old.baseline.id), null);
      });
    });

    describe('the Baseline', () => {
      test('is made once for an organization, also by two at the same instant', async () => {
        const organization = await newOrganization();
        const make12 = Array.from({ length: 12 }, (_, index) =>
          refusalCode((index % 2 === 0 ? store : other).baselines.create({ organization, key: stored(newKey()), unread: null })));
        const codes = await Promise.all(make12);
        assert.equal(codes.filter((code) => code === 'granted').length, 1);
        assert.equal(codes.filter((code) => code === 'baseline_exists').length, 11);
        assert.equal((await store.baselines.list(organization)).length, 1);
        const nobody = store.baselines.create({ organization: 'org_none' as OrganizationId, key: stored(newKey()), unread: null });
        assert.equal(await refusalCode(nobody), 'unknown_organization');
      });

      test('another replaces it only if it closed without ever having begun; the old key is closed for good', async () => {
        const tapped = await newBaseline();
        const again = () => refusalCode(store.baselines.create({ organization: tapped.organization, key: stored(newKey()), unread: null }));
        nowMs = noonMs + 60 * dayLengthMs - 1;
        assert.equal(await again(), 'baseline_exists');
        nowMs = noonMs + 60 * dayLengthMs;
        assert.equal(await again(), 'granted');
        await granted(store.organizations.set(tapped.organization, { plan: 'team' }));
        assert.equal(await store.tapEvents.admission(hashOf(tapped.key)), 'baseline_closed');
        const [current, old] = await store.baselines.list(tapped.organization);
        assert.deepEqual([current!.replacedAtMs, old!.id, old!.replacedAtMs], [null, tapped.baseline.id, nowMs]);
        assert.equal(await again(), 'baseline_exists');
      });

      test('declared figures are kept by name, exactly, and in the order of their names', async () => {
        const { baseline } = await newBaseline();
        const most = nanoDollars(2n ** 63n - 1n);
        await granted(store.baselines.declare(baseline.id, { name: 'seats', amount: nanoDollars(1n) }));
        await granted(store.baselines.declare(baseline.id, { name: 'naïve 🤖', amount: most }));
        await granted(store.baselines.declare(baseline.id, { name: 'seats', amount: nanoDollars(2n) }));
        assert.deepEqual(await store.baselines.declared(baseline.id), [{ name: 'naïve 🤖', amount: most }, { name: 'seats', amount: 2n }]);
        assert.equal(await refusalCode(store.baselines.declare(baseline.id, { name: 'a\n', amount: most })), 'invalid_name');
        assert.equal(await refusalCode(store.baselines.declare('bsl_none', { name: 'a', amount: most })), 'unknown_baseline');
        for (let index = 2; index < 200; index++) await granted(store.baselines.declare(baseline.id, { name: `n${index}`, amount: most }));
        assert.equal(await refusalCode(store.baselines.declare(baseline.id, { name: 'one more', amount: most })), 'too_many_figures');
        assert.equal(await refusalCode(store.baselines.declare(baseline.id, { name: 'n7', amount: most })), 'granted');
      });
    });

    describe('the tap key', () => {
      test('is read once by 50 readers at once on two connections, and 49 learn that it was read', async () => {
        const { baseline, key } = await newBaseline();
        assert.deepEqual([baseline.keyPrefix, baseline.keyUnread], [key.slice(0, 12), true]);
        const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? store : other).baselines.readKey(baseline.id)));
        const read = answers.filter((answer) => !isRefusal(answer));
        assert.deepEqual(read, [{ id: baseline.id, organization: baseline.organization, key, prefix: key.slice(0, 12) }]);
        assert.ok(answers.every((answer) => !isRefusal(answer) || answer.refused.code === 'tap_key_already_shown'));
        assert.equal((await store.baselines.find(baseline.id))!.keyUnread, false);
        assert.equal(await refusalCode(store.baselines.readKey('bsl_none\u0000')), 'unknown_baseline');
      });

      test('rotated, the old one stops and the new one counts as read, also if the old one was never read', async () => {
        const tapped = await newBaseline();
        const next = newKey();
        const rotated = await granted(store.baselines.rotateKey(tapped.baseline.id, stored(next)));
        assert.deepEqual([rotated.keyPrefix, rotated.keyUnread], [next.slice(0, 12), false]);
        assert.equal(await refusalCode(store.baselines.readKey(tapped.baseline.id)), 'tap_key_already_shown');
        assert.equal(await other.tapEvents.admission(hashOf(tapped.key)), 'unknown_key');
        assert.deepEqual(await keep(next, [event('a')], { from: other }), { accepted: 1 });
      });

      test('rotated while a request is under way on another node: admitted before, nothing stored after', async () => {
        const tapped = await newBaseline();
        assert.equal(await other.tapEvents.admission(hashOf(tapped.key)), 'admitted');
        await granted(store.baselines.rotateKey(tapped.baseline.id, stored(newKey())));
        assert.equal(await keep(tapped.key, events(0, 3), { from: other }), 'unknown_key');
        assert.equal(await eventRows(tapped), 0);
      });

      test('rotated in the middle of posts from both nodes: accepted events are stored, refused ones are not', async () => {
        const tapped = await newBaseline();
        const posts = Array.from({ length: 30 }, (_, index) =>
          keep(tapped.key, events(index * 10, index * 10 + 10), { from: index % 2 === 0 ? store : other }));
        const rotation = other.baselines.rotateKey(tapped.baseline.id, stored(newKey()));
        const [answers] = await Promise.all([Promise.all(posts), rotation]);
        const accepted = answers.reduce((sum, answer) => sum + (typeof answer === 'string' ? 0 : answer.accepted), 0);
        assert.ok(answers.every((answer) => answer === 'unknown_key' || (typeof answer !== 'string' && answer.accepted === 10)));
        assert.deepEqual([await eventRows(tapped), await callsOf(tapped)], [accepted, accepted]);
      });

      test('is nowhere in the clear: neither unread, nor read, nor rotated', async () => {
        const tapped = await newBaseline();
        const keys = [tapped.key];
        const dumped = async (): Promise<string> => {
          const tables = ['organization', 'organization_data_key', 'baseline', 'tap_event', 'tap_cell', 'tap_latency', 'audit_event'];
          const all = await Promise.all(tables.map((name) => context.query(url, `select * from ${name}`)));
          return JSON.stringify(all, (_, value: unknown) => (value instanceof Uint8Array || Buffer.isBuffer(value)
            ? `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}` : typeof value === 'bigint' ? String(value) : value));
        };
        const dumps = [await dumped()];
        await granted(store.baselines.readKey(tapped.baseline.id));
        dumps.push(await dumped());
        keys.push(newKey());
        await granted(store.baselines.rotateKey(tapped.baseline.id, stored(keys[1]!)));
        dumps.push(await dumped());
        for (const dump of dumps) {
          assert.ok(dump.includes(tapped.organization));
          for (const key of keys) for (const secret of [key, key.slice(13)]) assert.ok(!dump.includes(secret));
        }
      });
    });

    describe('a batch', () => {
      test('keeps each request_id once: in a batch, across batches, per Baseline', async () => {
        const [first, second] = [await newBaseline(), await newBaseline()];
        assert.deepEqual(await keep(first.key, [event('a', { inputTokens: 5 }), event('b'), event('a', { inputTokens: 7 })]), { accepted: 2 });
        assert.deepEqual(await keep(first.key, [event('b'), event('c')]), { accepted: 1 });
        assert.deepEqual(await keep(first.key, [event('a'), event('c')]), { accepted: 0 });
        assert.deepEqual(await keep(second.key, [event('a'), event('c')]), { accepted: 2 });
        assert.deepEqual([await eventRows(first), await callsOf(first), await eventRows(second), await callsOf(second)], [3, 3, 2, 2]);
        const cells = (await store.tapEvents.sums(first.baseline.id, first.baseline.organization)).cells;
        assert.equal(cells.reduce((sum, cell) => sum + cell.sums[1]!, 0), 5 + 1_000 + 1_000, 'of two in a batch the first is kept');
      });

      test('sent at the same instant over two connections, in any order, is counted once in all', async () => {
        const tapped = await newBaseline();
        const batch = events(0, 120);
        const answers = await Promise.all(Array.from({ length: 12 }, (_, index) =>
          keep(tapped.key, index % 3 === 0 ? batch.toReversed() : batch, { from: index % 2 === 0 ? store : other })));
        const accepted = answers.map((answer) => (typeof answer === 'string' ? answer : answer.accepted));
        assert.equal(accepted.reduce<number>((sum, each) => sum + Number(each), 0), 120, String(accepted));
        assert.deepEqual([await eventRows(tapped), await callsOf(tapped)], [120, 120]);
      });

      test('is kept whole or not at all', async () => {
        const tapped = await newBaseline();
        nowMs = noonMs + dayLengthMs;
        const broken = keep(tapped.key, events(0, 400), { isPriced: () => { throw new Error('broke in the middle'); } });
        await assert.rejects(broken, /broke in the middle/);
        assert.deepEqual([await eventRows(tapped), await callsOf(tapped)], [0, 0]);
        assert.deepEqual((await store.tapEvents.sums(tapped.baseline.id, tapped.baseline.organization)).latencies, []);
        assert.deepEqual(await keep(tapped.key, events(0, 500)), { accepted: 500 });
      });

      test('that broke off between two slices adds the missing part when it comes again, and nothing twice', async () => {
        const tapped = await newBaseline();
        nowMs = noonMs + dayLengthMs;
        const batch = events(0, 499).map((each, at) => ({ ...each, tag: `t${at}`, model: `m${at}` }));
        const way = { keyHash: hashOf(tapped.key), isPriced: () => true, priceSteps: [] };
        const slices = store.tapEvents.keepInSlices({ ...way, events: batch });
        await slices.next();
        const early = await eventRows(tapped);
        assert.equal(early, on.title === 'SQLite' ? 50 : 499);
        assert.equal(await callsOf(tapped), early, 'what a slice stored is in the sums');
        assert.deepEqual(await keep(tapped.key, batch, { from: other }), { accepted: 499 - early });
        assert.deepEqual([await eventRows(tapped), await callsOf(tapped)], [499, 499]);
        assert.deepEqual(await keep(tapped.key, batch), { accepted: 0 });
      });

      test('whose process is killed between two slices is whole when it comes again, counted once', async () => {
        const tapped = await newBaseline();
        const program = fileURLToPath(new URL('../test-support/tapping-process.ts', import.meta.url));
        const client = context.killable(url);
        const child = spawn(process.execPath, [program, client.url, hashOf(tapped.key), String(noonMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
        await once(child.stdout, 'data');
        child.kill('SIGKILL');
        await once(child, 'exit');
        await client.gone();
        const early = await eventRows(tapped);
        assert.deepEqual([early > 0, await callsOf(tapped)], [true, early]);
        assert.deepEqual(await keep(tapped.key, events(0, 500)), { accepted: 500 - early });
        assert.deepEqual([await eventRows(tapped), await callsOf(tapped)], [500, 500]);
      });

      test('that was admitted is kept to its end whatever happens to its key, except for an erased organization', async () => {
        const [rotated, erased] = [await newBaseline(), await newBaseline()];
        const begun = async ({ key }: Tapped) => {
          const slices = store.tapEvents.keepInSlices({ keyHash: hashOf(key), events: events(0, 101), isPriced: () => false, priceSteps: [] });
          return { slices, first: await slices.next() };
        };
        const [one, two] = [await begun(rotated), await begun(erased)];
        await granted(store.baselines.rotateKey(rotated.baseline.id, stored(newKey())));
        await granted(store.erasure.begin(erased.organization));
        while (await store.erasure.eraseSlice());
        if (on.title !== 'SQLite') return assert.deepEqual([one.first, two.first].map(({ done }) => done), [true, true]);
        const end = async (slices: typeof one.slices) => {
          for (;;) {
            const { done, value } = await slices.next();
            if (done === true) return value;
          }
        };
        assert.deepEqual([await end(one.slices), await end(two.slices)], [{ accepted: 101 }, 'unknown_key']);
        assert.equal((await store.tapEvents.sums(erased.baseline.id, erased.baseline.organization)).cells.length, 0);
      });

      test('adds the same to sums, latencies and headroom as a rollup of all events', async () => {
        const tapped = await newBaseline();
        const limits = (requestsRemaining: number) => ({ requestsLimit: 1_000_000_000, requestsRemaining, tokensLimit: 10, tokensRemaining: null });
        const some = [
          event('a', { rateLimit: limits(999_999_999), latencyMs: 10, tag: 'x' }), event('b', { rateLimit: limits(999_999_998), latencyMs: 11 }),
          event('c', { inputTokens: 1_000_000_000, model: 'other', status: 599, stopReason: 'error' }),
          event('d', { timestampMs: noonMs - dayLengthMs, tag: 'x' }),
        ];
        await keep(tapped.key, some.slice(0, 1));
        await keep(tapped.key, some.slice(1));
        const expected = rollUp(some, [200_000]);
        const sums = await store.tapEvents.sums(tapped.baseline.id, tapped.baseline.organization);
        const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted();
        const inText = (rows: readonly TapLatency[]): string[] =>
          sorted(rows.map(({ part, counts }) => ({ part, counts: latencyCountsText(counts) })));
        assert.deepEqual(sorted(sums.cells), sorted(expected.cells));
        assert.deepEqual(inText(sums.latencies), inText(expected.latencies));
        assert.deepEqual(sorted(sums.headroom), sorted(expected.headroom));
        assert.equal(sums.headroom[0]!.remaining, 999_999_998);
      });
    });

    describe('days passing', () => {
      const state = async ({ baseline }: Tapped) => (await store.baselines.find(baseline.id))!.firstDayMs;

      test('the first whole day with a priced event begins the seven; after them posts store nothing, except on a plan other than Free', async () => {
        const tapped = await newBaseline();
        await keep(tapped.key, [event('today')]);
        assert.equal(await state(tapped), null);
        nowMs = noonMs + dayLengthMs;
        await keep(tapped.key, [event('unpriced')], { isPriced: () => false });
        assert.equal(await state(tapped), null);
        await keep(tapped.key, [event('priced')]);
        const firstDayMs = dayOf(nowMs);
        assert.equal(await state(tapped), firstDayMs);
        nowMs = firstDayMs + 7 * dayLengthMs - 1;
        assert.deepEqual(await keep(tapped.key, [event('last')]), { accepted: 1 });
        nowMs += 1;
        assert.equal(await keep(tapped.key, [event('late')]), 'baseline_closed');
        assert.equal(await store.tapEvents.admission(hashOf(tapped.key)), 'baseline_closed');
        await granted(store.organizations.set(tapped.organization, { plan: 'developer' }));
        assert.deepEqual(await keep(tapped.key, [event('paid')]), { accepted: 1 });
        await granted(store.organizations.set(tapped.organization, { plan: 'free' }));
        assert.equal(await keep(tapped.key, [event('late')]), 'baseline_closed');
        assert.equal(await eventRows(tapped), 5);
      });

      test('200 models and 200 tags keep separate lines, the rest is `other`, and the events keep their words', async () => {
        const tapped = await newBaseline();
        const many = Array.from({ length: 450 }, (_, index) => event(`r${index}`, { model: `m${index % 250}`, tag: `t${index}` }));
        for (const part of [many.slice(0, 150), many.slice(150)]) await keep(tapped.key, part);
        const { cells } = await store.tapEvents.sums(tapped.baseline.id, tapped.baseline.organization);
        const names = (of: 'model' | 'tag') => new Set(cells.map((cell) => cell[of]));
        assert.deepEqual([names('model').size, names('tag').size, names('model').has('other'), names('tag').has('t199')], [201, 201, true, true]);
        assert.equal(await callsOf(tapped), 450);
        const [row] = await context.query(url, `select count(distinct e.tag) as n from tap_event e join baseline b on b.number = e.baseline
          where b.id = $1`, [tapped.baseline.id]);
        assert.equal(Number(row!['n']), 450);
      });

      test('a late event begins nothing; one dated ahead begins the count when its day does', async () => {
        const tapped = await newBaseline();
        nowMs = noonMs + 15 * dayLengthMs;
        await keep(tapped.key, [event('late', { timestampMs: noonMs + 3 * dayLengthMs })]);
        assert.deepEqual([await state(tapped), await store.tapEvents.admission(hashOf(tapped.key))], [null, 'admitted']);
        const midnight = dayOf(nowMs) + dayLengthMs;
        nowMs = midnight - 60_000;
        await keep(tapped.key, [event('ahead', { timestampMs: midnight + 1 })]);
        await keep(tapped.key, [event('before it')]);
        assert.equal(await state(tapped), midnight - dayLengthMs, 'a day that has begun goes first');
      });

      test('the earliest whole day of the whole batch begins the count, in its first slice, with an event of that day', async () => {
        const tapped = await newBaseline();
        nowMs = noonMs + 2 * dayLengthMs;
        const batch = [...events(0, 300), event('earliest', { timestampMs: noonMs + dayLengthMs }), event('of before it', { timestampMs: noonMs })];
        const slices = store.tapEvents.keepInSlices({ keyHash: hashOf(tapped.key), events: batch, isPriced: () => true, priceSteps: [] });
        await slices.next();
        assert.equal(await state(tapped), dayOf(noonMs + dayLengthMs));
        const { cells } = await store.tapEvents.sums(tapped.baseline.id, tapped.baseline.organization);
        assert.ok(cells.some(({ dayMs }) => dayMs === dayOf(noonMs + dayLengthMs)));
        for (let last = await slices.next(); last.done !== true;) last = await slices.next();
        assert.deepEqual([await state(tapped), await callsOf(tapped)], [dayOf(noonMs + dayLengthMs), 302]);
      });

      test('an event known already begins nothing', async () => {
        const tapped = await newBaseline();
        nowMs = noonMs + dayLengthMs;
        await keep(tapped.key, [event('a')], { isPriced: () => false });
        await keep(tapped.key, [event('a')]);
        assert.equal(await state(tapped), null);
      });

      test('retired it accepts nothing more, on every plan, and its key cannot be revived by a rotation', async () => {
        const tapped = await newBaseline();
        await granted(store.organizations.set(tapped.organization, { plan: 'scale' }));
        const { retiredAtMs } = await granted(store.baselines.retire(tapped.baseline.id));
        nowMs += 1;
        assert.equal((await granted(store.baselines.retire(tapped.baseline.id))).retiredAtMs, retiredAtMs);
        assert.equal(await keep(tapped.key, [event('a')]), 'tap_retired');
        assert.equal(await refusalCode(store.baselines.rotateKey(tapped.baseline.id, stored(newKey()))), 'tap_retired');
        assert.equal(await eventRows(tapped), 0);
      });
    });

    test('erased: the key seems never to have existed, Baseline and events are gone (in slices), others keep everything', async () => {
      const [erased, neighbour] = [await newBaseline(), await newBaseline()];
      for (const { key } of [erased, neighbour]) await keep(key, events(0, 30));
      await granted(store.baselines.declare(erased.baseline.id, { name: 'canary-figure', amount: nanoDollars(1n) }));
      const engine = await openEngine(url, { create: false });
      await engine.write((transaction) => eraseTap(transaction, erased.organization, nowMs));
      assert.equal(await keep(erased.key, [event('z')]), 'unknown_key');
      assert.equal(await store.baselines.find(erased.baseline.id), null);
      assert.deepEqual([await store.baselines.list(erased.organization), await store.baselines.declared(erased.baseline.id)], [[], []]);
      assert.deepEqual((await store.tapEvents.sums(erased.baseline.id, erased.baseline.organization)).cells, []);
      assert.equal(await refusalCode(store.baselines.readKey(erased.baseline.id)), 'unknown_baseline');
      const dropped: number[] = [];
      for (let last = 1; last > 0;) dropped.push(last = await engine.write((transaction) => dropErasedEvents(transaction, 20)));
      assert.deepEqual(dropped, [20, 10, 0]);
      await engine.close();
      assert.deepEqual([await eventRows(erased), await eventRows(neighbour), await callsOf(neighbour)], [0, 30, 30]);
    });
  });
}
