/**
 * Runs and their exposure, the same on SQLite and on a real PostgreSQL server, with several stores open on one database as
 * several nodes have them. Spec: Run; rules 12 and 13.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import { exposureOf } from '@metergate/core/run/clamp.ts';
import type { EndedState, Run } from '@metergate/core/run/run.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { CallBatch } from '../journal/call-sink.ts';
import type { RunBeginning, RunEnd, RunEvent } from '../journal/run-event.ts';
import type { RunName } from './run-rows.ts';
import type { NewRun, RunAnswer } from './make-runs.ts';
import type { Store } from '../store.ts';
import { granted, refusalCode, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const usd = (dollars: number): NanoDollars => nanoDollars(BigInt(Math.round(dollars * 1e6)) * 1000n);
const hourMs = 3_600_000;

for (const on of bothEngines) {
  describe(`runs on ${on.title}`, async () => {
    const { context, url, store, another, newOrganization } = await contractStore(on);
    /** As three nodes have it. */
    const nodes = [store, await another(), await another()] as const;
    let segments = 0;
    const wanted = (organization: OrganizationId, id: string, changes: Partial<NewRun> = {}): NewRun => ({
      organization, id, declared: usd(5), effective: usd(5), clampReason: null, startedAtMs: startMs, expiresAtMs: null, exposureLimit: null,
      mayCreate: true, ...changes,
    });
    const open = async (run: NewRun, node: Store = store): Promise<RunAnswer> => (await node.runs.open([run]))[0]!;
    const made = async (run: NewRun): Promise<Run> => {
      const answer = await open(run);
      assert.ok(answer.kind === 'run' && answer.created, answer.kind);
      return answer.run;
    };
    const segment = (): string => `seg_${++segments}`;
    const shipped = (organization: OrganizationId, run: string, cost: NanoDollars | null, from: string = segment()): CallBatch => {
      const record = sampleRecord(organization, {
        run, cost, usage: cost === null ? 'unknown' : 'reported', costSource: cost !== null && cost % 3n === 0n ? 'unpriced' : 'priced',
      });
      return { segment: from, through: 1, records: [{ seq: 1, record }] };
    };
    const ended = (organization: OrganizationId, run: string, state: EndedState, atMs = startMs + 5): CallBatch =>
      ({ segment: segment(), through: 1, records: [], runEvents: [{ seq: 1, event: { organization, run, state, atMs } }] });
    const tightened = (organization: OrganizationId, run: string, to: number, atMs = startMs): CallBatch => ({
      segment: segment(), through: 1, records: [],
      runEvents: [{ seq: 1, event: { organization, run, declared: usd(to), effective: usd(to), clampReason: null, atMs } }],
    });
    const begun = (organization: OrganizationId, run: string, changes: Partial<RunBeginning> = {}): RunBeginning => ({
      organization, run, declared: usd(5), effective: usd(5), clampReason: null, startedAtMs: startMs, expiresAtMs: null, ...changes,
    });
    const events = (...all: RunEvent[]): CallBatch =>
      ({ segment: segment(), through: all.length, records: [], runEvents: all.map((event, at) => ({ seq: at + 1, event })) });
    /** The exposure that the store says is taken, compared with the runs themselves. */
    const taken = async (organization: OrganizationId): Promise<bigint> => {
      const rows = await context.query(url, 'select taken_nano from run_exposure where organization = $1', [organization]);
      const counted = BigInt(String(rows[0]?.['taken_nano'] ?? 0));
      const live = (await store.runs.list({ organization, limit: 10_000 })).filter(({ state }) => state === 'live');
      assert.equal(counted, live.reduce((sum, run) => sum + exposureOf(run), 0n), 'exposure is the sum over live runs');
      return counted;
    };

    describe('a run that its node began', () => {
      const stateOf = async (organization: OrganizationId, id: string) => {
        const run = await store.runs.get({ organization, id });
        return run === null ? null : [run.state, run.effective, run.spent, run.startedAtMs, run.expiresAtMs];
      };

      test('is made with its first row, holds its exposure, and does not vanish; another beginning of it changes nothing', async () => {
        const organization = await newOrganization();
        const batch: CallBatch = {
          segment: segment(), through: 3, runEvents: [{ seq: 2, event: begun(organization, 'r', { expiresAtMs: startMs + hourMs }) }],
          records: [{ seq: 3, record: sampleRecord(organization, { run: 'r', cost: usd(2) }) }],
        };
        await store.calls.ship(batch);
        await store.calls.ship(batch);
        await store.calls.ship(events(begun(organization, 'r', { effective: usd(100), expiresAtMs: null })));
        assert.deepEqual(await stateOf(organization, 'r'), ['live', usd(5), usd(2), startMs, startMs + hourMs]);
        assert.equal(await taken(organization), usd(3));
        await store.runs.sweep(startMs + 60_000);
        assert.equal((await stateOf(organization, 'r'))?.[0], 'live');
        const answer = await open(wanted(organization, 'r', { declared: usd(50), effective: usd(50) }));
        assert.ok(answer.kind === 'run' && !answer.created && answer.confirmed);
      });

      test('the key of its first call is known before any record of it, and afterwards whatever other keys call', async () => {
        const organization = await newOrganization();
        const key = 'key_first' as ServiceKeyId;
        await store.calls.ship(events(begun(organization, 'own', { key }), begun(organization, 'unsaid')));
        await open(wanted(organization, 'asked', { key }));
        await open(wanted(organization, 'asked', { key: 'key_second' as ServiceKeyId }));
        await store.calls.ship(shipped(organization, 'own', usd(1)));
        const known = await Promise.all(['own', 'asked', 'unsaid'].map((id) => store.callPages.beganBy(organization, id)));
        assert.deepEqual(known, [key, key, null]);
        await store.runs.close({ organization, id: 'own' });
        assert.equal(await store.callPages.beganBy(organization, 'own'), key);
      });

      test('counts records shipped before its beginning, and keeps an end or tightening shipped before', async () => {
        const organization = await newOrganization();
        await store.calls.ship(shipped(organization, 'late', usd(2)));
        assert.equal(await stateOf(organization, 'late'), null);
        await store.calls.ship(events(begun(organization, 'late')));
        assert.deepEqual((await stateOf(organization, 'late'))?.slice(0, 3), ['live', usd(5), usd(2)]);
        const end: RunEnd = { organization, run: 'over', state: 'over_budget', atMs: startMs + 5, begun: begun(organization, 'over') };
        await store.calls.ship(events(end));
        await store.calls.ship(events(begun(organization, 'over')));
        assert.deepEqual((await stateOf(organization, 'over'))?.slice(0, 2), ['over_budget', usd(5)]);
        const tighter = { organization, run: 'tight', declared: usd(1), effective: usd(1), clampReason: null, atMs: startMs };
        await store.calls.ship(events({ ...tighter, begun: begun(organization, 'tight') }));
        await store.calls.ship(events(begun(organization, 'tight')));
        assert.deepEqual((await stateOf(organization, 'tight'))?.slice(0, 2), ['live', usd(1)]);
        assert.equal(await taken(organization), usd(4));
      });

      test('is reported when it ends elsewhere, like any other; all names are read, a few at a time', async () => {
        const organization = await newOrganization();
        const ids = ['a', 'b', 'c'];
        await store.calls.ship(events(...ids.map((id) => begun(organization, id))));
        const since = await store.runs.feed();
        await granted(store.runs.close({ organization, id: 'b' }));
        assert.deepEqual((await store.runs.changes(since)).runs.map(({ id, state }) => [id, state]), [['b', 'closed']]);
        const found: string[] = [];
        for (let last: RunName | null = null; ;) {
          const names: RunName[] = await store.runs.names(last, 2);
          found.push(...names.filter((name) => name.organization === organization).map(({ id }) => id));
          if (names.length < 2) break;
          last = names.at(-1)!;
        }
        assert.deepEqual(found.sort(), ids);
      });
    });

    describe('making a run', () => {
      test('the first question makes it, every later one finds it as it was made (rule 13)', async () => {
        const organization = await newOrganization();
        const asked = { declared: usd(9), effective: usd(5), clampReason: 'grant_max', expiresAtMs: startMs + 7 } as const;
        const run = await made(wanted(organization, 'r', asked));
        assert.deepEqual(run, {
          organization, id: 'r', state: 'live', declared: usd(9), effective: usd(5), clampReason: 'grant_max',
          spent: 0n, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
          startedAtMs: startMs, expiresAtMs: startMs + 7, endedAtMs: null,
        });
        const again = await open(wanted(organization, 'r', { declared: usd(2), effective: usd(2), expiresAtMs: null }), nodes[1]);
        assert.deepEqual(again, { kind: 'run', run, created: false, confirmed: false });
        assert.deepEqual(await store.runs.get({ organization, id: 'r' }), run);
        assert.equal(await store.runs.get({ organization: await newOrganization(), id: 'r' }), null);
        assert.equal(await store.runs.get({ organization, id: 'a\0b' }), null);
      });

      test('one id is another run in another organization, whatever its characters', async () => {
        const [one, other] = [await newOrganization(), await newOrganization()];
        for (const id of ['r', '"\\\'{}[]', '__proto__', '~'.repeat(128), '%s', '$1', '?']) {
          assert.equal((await made(wanted(one, id))).id, id);
          assert.equal((await made(wanted(other, id))).id, id);
        }
      });

      test('a run that may not be made is absent, and one that exists is found all the same', async () => {
        const organization = await newOrganization();
        assert.deepEqual(await open(wanted(organization, 'r', { mayCreate: false })), { kind: 'absent' });
        await made(wanted(organization, 'r'));
        assert.equal((await open(wanted(organization, 'r', { mayCreate: false }))).kind, 'run');
      });

      test('without a budget it takes no exposure; undeclared under exposure it gets what is left, without a reason (rule 12)', async () => {
        const organization = await newOrganization();
        assert.equal((await made(wanted(organization, 'free', { declared: null, effective: null }))).effective, null);
        assert.equal(await taken(organization), 0n);
        const rest = await made(wanted(organization, 'rest', { declared: null, effective: null, exposureLimit: usd(3) }));
        assert.deepEqual([rest.effective, rest.clampReason, rest.declared], [usd(3), null, null]);
        assert.deepEqual(await open(wanted(organization, 'more', { exposureLimit: usd(3) })), { kind: 'run_exposure_exhausted' });
        assert.equal(await store.runs.get({ organization, id: 'more' }), null);
      });

      test('twenty at once against headroom for seven and a half: seven whole, one clamped, twelve refused (N5)', async () => {
        const organization = await newOrganization();
        const answers = await Promise.all(Array.from({ length: 20 }, (_, index) =>
          open(wanted(organization, `r${index}`, { exposureLimit: usd(37.5) }), nodes[index % 3])));
        const runs = answers.flatMap((answer) => answer.kind === 'run' ? [answer.run] : []);
        assert.equal(runs.filter(({ effective, clampReason }) => effective === usd(5) && clampReason === null).length, 7);
        assert.deepEqual(runs.filter(({ clampReason }) => clampReason !== null).map(({ effective, clampReason }) => [effective, clampReason]),
          [[usd(2.5), 'exposure_headroom']]);
        assert.equal(answers.filter(({ kind }) => kind === 'run_exposure_exhausted').length, 12);
        assert.equal(await taken(organization), usd(37.5));
      });

      test('one id asked for by many nodes at once is made once, and all get the same answer (N2)', async () => {
        const organization = await newOrganization();
        const answers = await Promise.all(Array.from({ length: 24 }, (_, index) =>
          open(wanted(organization, 'r', { declared: usd(1 + index), effective: usd(1 + index), expiresAtMs: startMs + index }), nodes[index % 3])));
        const runs = answers.map((answer) => { assert.ok(answer.kind === 'run'); return answer; });
        assert.equal(runs.filter(({ created }) => created).length, 1);
        for (const { run } of runs) assert.deepEqual(run, runs[0]!.run);
        assert.equal(await taken(organization), runs[0]!.run.effective);
      });

      test('many questions at once: in order, across organizations, a doubled id made once', async () => {
        const [one, other] = [await newOrganization(), await newOrganization()];
        const limit = { exposureLimit: usd(5) };
        const answers = await store.runs.open([
          wanted(other, 'b', limit), wanted(one, 'a', limit), wanted(other, 'b', limit), wanted(one, 'c', limit),
          wanted(one, 'd', { mayCreate: false }),
        ]);
        assert.deepEqual(answers.map((answer) => answer.kind === 'run' ? `${answer.run.id} ${answer.created}` : answer.kind),
          ['b true', 'a true', 'b false', 'run_exposure_exhausted', 'absent']);
      });

      test('budgets as large as 64 bits hold add up', async () => {
        const organization = await newOrganization();
        for (const id of ['a', 'b', 'c']) await made(wanted(organization, id, { declared: nanoDollarsMax, effective: nanoDollarsMax }));
        assert.equal(await taken(organization), 3n * nanoDollarsMax);
      });
    });

    describe('the exposure that a run takes', () => {
      test('falls with what its calls spend, to the nano-dollar, and not below nothing', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r'));
        await store.calls.ship(shipped(organization, 'r', nanoDollars(1_234_567_891n)));
        assert.equal(await taken(organization), 3_765_432_109n);
        await store.calls.ship(shipped(organization, 'r', usd(9)));
        assert.equal(await taken(organization), 0n);
        const run = await store.runs.get({ organization, id: 'r' });
        assert.deepEqual([run?.spent, run?.state, run?.unknownCalls], [10_234_567_891n, 'live', 0]);
      });

      test('a batch sent twice counts once; a call of unknown usage is counted and costs nothing', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r'));
        const batch = shipped(organization, 'r', usd(1));
        await Promise.all([nodes[0]!.calls.ship(batch), nodes[1]!.calls.ship(batch), nodes[2]!.calls.ship(batch)]);
        await store.calls.ship(shipped(organization, 'r', null));
        const run = await store.runs.get({ organization, id: 'r' });
        assert.deepEqual([run?.spent, run?.unknownCalls, await taken(organization)], [usd(1), 1, usd(4)]);
      });

      test('falls with a tightening; a larger one, and one after the end, change nothing', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r', { declared: usd(9), effective: usd(5), clampReason: 'policy_max' }));
        await store.calls.ship(tightened(organization, 'r', 7));
        assert.equal((await store.runs.get({ organization, id: 'r' }))?.clampReason, 'policy_max');
        await store.calls.ship(tightened(organization, 'r', 2));
        const run = await store.runs.get({ organization, id: 'r' });
        assert.deepEqual([run?.declared, run?.effective, run?.clampReason, await taken(organization)], [usd(2), usd(2), null, usd(2)]);
        await store.calls.ship(ended(organization, 'r', 'closed'));
        await store.calls.ship(tightened(organization, 'r', 1, startMs + 6));
        assert.equal((await store.runs.get({ organization, id: 'r' }))?.effective, usd(2));
      });

      test('tells its story: each lowering once, whatever is shipped again, and its calls step by step', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'told', { declared: null, effective: null, key: 'key_first' as ServiceKeyId }));
        const first = tightened(organization, 'told', 4, startMs + 1_500);
        const calls: CallBatch = {
          segment: segment(), through: 3, records: [[0, 1], [900, null], [61_000, 2]].map(([afterMs, dollars], at) => ({
            seq: at + 1, record: sampleRecord(organization, {
              run: 'told', startedAtMs: startMs + afterMs!, cost: dollars === null ? null : usd(dollars!),
              usage: dollars === null ? 'unknown' : 'reported', status: at === 2 ? 500 : 200,
            }),
          })),
        };
        for (const batch of [first, first, calls, calls, tightened(organization, 'told', 9), tightened(organization, 'told', 3, startMs + 62_000)]) {
          await store.calls.ship(batch);
        }
        const story = (await store.runs.story({ organization, id: 'told' }))!;
        assert.deepEqual(story.lowerings, [
          { atMs: startMs + 1_500, from: null, to: usd(4) }, { atMs: startMs + 62_000, from: usd(4), to: usd(3) },
        ]);
        assert.deepEqual(story.steps.map(({ atMs, ...step }) => [atMs - story.fromMs, step]), [
          [0, { calls: 2, cost: usd(1), failedCalls: 0 }], [61_000, { calls: 1, cost: usd(2), failedCalls: 1 }],
        ]);
        assert.deepEqual([story.stepMs, story.beganBy, story.run.spent, story.recordsGoneBeforeMs], [1_000, 'key_first', usd(3), null]);
        assert.equal(story.lastCallMs, startMs + 61_000);
        await store.calls.ship(ended(organization, 'told', 'closed', startMs + 70_000));
        await store.calls.ship(tightened(organization, 'told', 2, startMs + 65_000));
        const { lowerings } = (await store.runs.story({ organization, id: 'told' }))!;
        assert.deepEqual(lowerings.at(-1), { atMs: startMs + 65_000, from: usd(3), to: usd(2) });
        assert.equal(await store.runs.story({ organization: await newOrganization(), id: 'told' }), null);
        assert.equal(await store.runs.story({ organization, id: 'to\0ld' }), null);
      });

      test('is free with its end, and late records still count as spend', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r', { exposureLimit: usd(5) }));
        await store.calls.ship(ended(organization, 'r', 'expired'));
        assert.equal(await taken(organization), 0n);
        await store.calls.ship(shipped(organization, 'r', usd(1)));
        assert.deepEqual([(await store.runs.get({ organization, id: 'r' }))?.spent, await taken(organization)], [usd(1), 0n]);
        assert.equal((await made(wanted(organization, 'next', { exposureLimit: usd(5) }))).effective, usd(5));
      });

      test('stays the sum over live runs under random creations, spends, tightenings and ends from three nodes at once', async () => {
        const organization = await newOrganization();
        const limit = usd(20);
        let state = 77;
        const draw = (below: number): number => {
          state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
          return (state >>> 0) % below;
        };
        for (let round = 0; round < 12; round += 1) {
          const work = Array.from({ length: 12 }, (_, index) => {
            const [node, run] = [nodes[index % 3]!, `r${draw(14)}`];
            const cost = nanoDollars(BigInt(draw(900_000_000)));
            const acts: (() => Promise<unknown>)[] = [
              () => open(wanted(organization, run, { exposureLimit: limit, declared: usd(3), effective: usd(3) }), node),
              () => node.calls.ship(shipped(organization, run, cost)), () => node.calls.ship(shipped(organization, run, null)),
              () => node.calls.ship(tightened(organization, run, 1 + draw(2))), () => node.calls.ship(ended(organization, run, 'over_budget')),
              () => node.runs.close({ organization, id: run }),
            ];
            return acts[draw(10) % acts.length]!();
          });
          await Promise.all(work);
          assert.ok(await taken(organization) <= limit);
        }
        for (const run of await store.runs.list({ organization, limit: 100 })) {
          const records = await (await keptCalls(store, organization)).filter((call) => call.run === run.id);
          assert.equal(run.spent, records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n), 'a run spent what its records cost');
          assert.equal(run.unknownCalls, records.filter(({ usage }) => usage === 'unknown').length);
          assert.equal(run.unpricedCalls, records.filter(({ costSource }) => costSource === 'unpriced').length);
          assert.equal(run.gapCalls, records.filter(({ costGaps }) => costGaps.length > 0).length);
        }
      });
    });

    describe('the end of a run', () => {
      test('the first end counts: closed, shipped or swept, a later one replaces none (rule 13)', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r', { expiresAtMs: startMs + 1 }));
        await store.calls.ship(ended(organization, 'r', 'over_budget', startMs + 3));
        await store.calls.ship(ended(organization, 'r', 'expired', startMs + 4));
        await store.calls.ship(ended(organization, 'r', 'closed', startMs + 3));
        await store.runs.sweep(startMs + hourMs);
        const run = await granted(store.runs.close({ organization, id: 'r' }));
        assert.deepEqual([run.state, run.endedAtMs], ['over_budget', startMs + 3]);
        const answer = await open(wanted(organization, 'r'));
        assert.ok(answer.kind === 'run' && !answer.created && answer.run.state === 'over_budget', 'an ended id stays ended');
      });

      test('an end from before a close that is shipped after it counts; every node learns of it, and no exposure is freed twice', async () => {
        const organization = await newOrganization();
        for (const id of ['r', 'other']) await made(wanted(organization, id, { exposureLimit: usd(50) }));
        const closed = await granted(store.runs.close({ organization, id: 'r' }));
        const feed = await store.runs.feed();
        const beforeMs = closed.endedAtMs! - 1;
        const tightening: RunEvent = { organization, run: 'r', declared: usd(1), effective: usd(1), clampReason: null, atMs: beforeMs };
        const end: RunEnd = { organization, run: 'r', state: 'over_budget', atMs: beforeMs };
        for (const batch of [shipped(organization, 'r', usd(2)), events(tightening, end), events(tightening, end)]) await store.calls.ship(batch);
        const run = (await store.runs.get({ organization, id: 'r' }))!;
        assert.deepEqual([run.state, run.endedAtMs, run.effective, run.spent], ['over_budget', beforeMs, usd(1), usd(2)]);
        assert.deepEqual((await nodes[1].runs.changes(feed)).runs, [run]);
        assert.deepEqual(await granted(store.runs.close({ organization, id: 'r' })), run);
        assert.equal(await taken(organization), usd(5), 'the other run holds its own');
      });

      test('whatever order three ends and a tightening are shipped in, the run is the same', async () => {
        const organization = await newOrganization();
        const [early, late] = [startMs + 10, startMs + 20];
        const rows = (run: string): RunEvent[] => [
          { organization, run, state: 'over_budget', atMs: early }, { organization, run, state: 'closed', atMs: late },
          { organization, run, state: 'expired', atMs: late + 1 },
          { organization, run, declared: usd(2), effective: usd(2), clampReason: null, atMs: early },
        ];
        const orders = [[0, 1, 2, 3], [0, 3, 2, 1], [1, 0, 3, 2], [1, 3, 0, 2], [2, 1, 3, 0], [3, 2, 1, 0]];
        for (const [at, order] of orders.entries()) {
          await made(wanted(organization, `r${at}`));
          for (const index of order) await store.calls.ship(events(rows(`r${at}`)[index]!));
          const run = await store.runs.get({ organization, id: `r${at}` });
          assert.deepEqual([run?.state, run?.endedAtMs, run?.effective], ['over_budget', early, usd(2)], order.join());
        }
      });

      test('closing answers with the run, frees its exposure, and refuses an unknown one', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'r'));
        const run = await granted(store.runs.close({ organization, id: 'r' }));
        assert.deepEqual([run.state, typeof run.endedAtMs, await taken(organization)], ['closed', 'number', 0n]);
        assert.deepEqual(await granted(store.runs.close({ organization, id: 'r' })), run);
        assert.equal(await refusalCode(store.runs.close({ organization: await newOrganization(), id: 'r' })), 'unknown_run');
        assert.equal(await refusalCode(store.runs.close({ organization, id: 'a\0' })), 'unknown_run');
      });

      test('a run that no opened call confirms vanishes after 10 s; a confirmation or a record keeps it (rule 13)', async () => {
        const organization = await newOrganization();
        for (const id of ['gone', 'called']) await made(wanted(organization, id));
        await store.runs.confirm([await made(wanted(organization, 'confirmed'))]);
        await store.calls.ship(shipped(organization, 'called', usd(1)));
        await store.runs.sweep(startMs + 9_999);
        assert.ok(await store.runs.get({ organization, id: 'gone' }));
        await store.runs.sweep(startMs + 10_000);
        assert.equal(await store.runs.get({ organization, id: 'gone' }), null);
        const left = (await store.runs.list({ organization, limit: 9 })).map(({ id, state }) => `${id} ${state}`);
        assert.deepEqual(left, ['confirmed live', 'called live']);
        assert.equal(await taken(organization), usd(9));
      });

      test('a run that is confirmed after it vanished comes back as it was, with what was spent meanwhile', async () => {
        const organization = await newOrganization();
        const run = await made(wanted(organization, 'r', { expiresAtMs: startMs + hourMs }));
        await store.runs.sweep(startMs + 10_000);
        await store.calls.ship(shipped(organization, 'r', usd(2)));
        await store.runs.confirm([run]);
        assert.deepEqual(await store.runs.get({ organization, id: 'r' }), { ...run, spent: usd(2) });
        assert.equal(await taken(organization), usd(3));
        await store.runs.confirm([run]);
        await store.runs.sweep(startMs + 20_000);
        assert.equal((await store.runs.get({ organization, id: 'r' }))?.state, 'live');
      });

      test('for an erased organization none is made or restored by a node\'s late messages, and other questions are answered', async () => {
        const [organization, other] = [await newOrganization(), await newOrganization()];
        const run = await made(wanted(organization, 'erased'));
        await granted(store.erasure.begin(organization));
        await store.runs.confirm([run]);
        const answers = await store.runs.open([wanted(organization, 'late'), wanted(other, 'late')]);
        assert.deepEqual(answers.map(({ kind }) => kind), ['run_exposure_exhausted', 'run']);
        assert.deepEqual(await context.query(url, 'select 1 as kept from run where organization = $1', [organization]), []);
        assert.deepEqual(await context.query(url, 'select 1 as kept from run_exposure where organization = $1', [organization]), []);
      });

      test('a time limit expires a run, called or not; without one it is closed after 24 h without a call', async () => {
        const organization = await newOrganization();
        const runs = [await made(wanted(organization, 'limited', { expiresAtMs: startMs + hourMs })), await made(wanted(organization, 'idle'))];
        const long = await made(wanted(organization, 'long', { expiresAtMs: startMs + 48 * hourMs }));
        await store.runs.confirm([...runs, long, await made(wanted(organization, 'busy'))]);
        await store.calls.ship({ ...shipped(organization, 'busy', usd(1)), records: [
          { seq: 1, record: sampleRecord(organization, { run: 'busy', startedAtMs: startMs + hourMs }) }] });
        const states = async () => Object.fromEntries((await store.runs.list({ organization, limit: 9 })).map(({ id, state }) => [id, state]));
        await store.runs.sweep(startMs + hourMs - 1);
        assert.equal((await states())['limited'], 'live');
        await store.runs.sweep(startMs + hourMs);
        assert.deepEqual(await states(), { limited: 'expired', idle: 'live', busy: 'live', long: 'live' });
        await store.runs.sweep(startMs + 24 * hourMs);
      await store.runs.sweep(startMs + 24 * hourMs + 60_000);
        assert.deepEqual(await states(), { limited: 'expired', idle: 'closed', busy: 'live', long: 'live' });
        await store.runs.sweep(startMs);
        assert.deepEqual((await states())['idle'], 'closed', 'a clock that goes back undoes nothing');
      });

      test('is in the feed in the same transaction that ends it, whoever ended it; a creation is not', async () => {
        const organization = await newOrganization();
        const since = await store.runs.feed();
        for (const id of ['a', 'b', 'c', 'd']) await made(wanted(organization, id, { expiresAtMs: id === 'c' ? startMs + 1 : null }));
        assert.deepEqual(await store.runs.changes(since), { through: since, more: false, runs: [] });
        await granted(nodes[1]!.runs.close({ organization, id: 'a' }));
        await store.calls.ship(ended(organization, 'b', 'over_budget'));
        await store.runs.confirm([(await store.runs.get({ organization, id: 'c' }))!, (await store.runs.get({ organization, id: 'd' }))!]);
        await store.runs.sweep(startMs + 20_000);
        await store.calls.ship(tightened(organization, 'd', 1));
        const changes = await nodes[2]!.runs.changes(since);
        assert.deepEqual(changes.runs.map(({ id, state }) => `${id} ${state}`), ['a closed', 'b over_budget', 'c expired', 'd live']);
        assert.deepEqual(await store.runs.changes(changes.through), { through: changes.through, more: false, runs: [] });
      });

      test('continues from the store\'s current state, even if that is earlier than what was reported', async () => {
        const organization = await newOrganization();
        await made(wanted(organization, 'after'));
        const { through } = await store.runs.changes(await store.runs.feed() + 5);
        await granted(store.runs.close({ organization, id: 'after' }));
        assert.deepEqual((await store.runs.changes(through)).runs.map(({ id, state }) => [id, state]), [['after', 'closed']]);
      });

      test('a feed long behind is read in parts, none left out', async () => {
        const organization = await newOrganization();
        let since = await store.runs.feed();
        const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
        await store.runs.open(ids.map((id) => wanted(organization, id)));
        for (const id of ids) await granted(store.runs.close({ organization, id }));
        const heard: string[] = [];
        for (let more = true; more;) {
          const changes = await store.runs.changes(since);
          heard.push(...changes.runs.map(({ id }) => id));
          ({ through: since, more } = changes);
        }
        assert.deepEqual(heard, ids);
      });
    });

    test('the list is newest first and continues where it was left', async () => {
      const organization = await newOrganization();
      for (const [id, at] of [['a', 1], ['b', 2], ['c', 2], ['d', 0]] as const) await made(wanted(organization, id, { startedAtMs: startMs + at }));
      const first = await store.runs.list({ organization, limit: 2 });
      assert.deepEqual(first.map(({ id }) => id), ['c', 'b']);
      const { id, startedAtMs } = first[1]!;
      assert.deepEqual((await store.runs.list({ organization, limit: 9, after: { id, startedAtMs } })).map((run) => run.id), ['a', 'd']);
    });
  });
}
