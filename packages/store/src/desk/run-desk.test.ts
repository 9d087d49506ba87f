/**
 * Questions about runs between gateway and store: answered in time, asked once, never older than what was reported (rules: The path of a call;
 * rule 13).
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { EndedRun } from '@metergate/core/run/run.ts';
import type { NewRun, RunAnswer } from '../runs/make-runs.ts';
import type { StoredRuns } from '../runs/runs.ts';
import { openStore } from '../store.ts';
import type { FromStore, ToStore } from './protocol.ts';
import { createRunDesk } from './run-desk.ts';
import { createStoreClient, type Port } from './store-client.ts';

const organization = 'org_0000000000000000test' as OrganizationId;
const wanted = (id: string, changes: Partial<NewRun> = {}): NewRun => ({
  organization, id, declared: nanoDollars(5n), effective: nanoDollars(5n), clampReason: null, startedAtMs: 1000, expiresAtMs: null,
  exposureLimit: null, mayCreate: true, ...changes,
});

/** Gateway side and store side on one thread; `runs` can be changed to fail or to take long. */
async function context(
  t: TestContext, over: (runs: StoredRuns) => StoredRuns = (runs) => runs, keepEnded: () => Promise<void> = async () => {}, embedded = false,
) {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-desk-'));
  const store = await openStore({ url: `sqlite:${directory}/s.db`, masterKey: new Uint8Array(32), clock: () => 2000, randomBytes, create: true });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const said: FromStore[] = [];
  const timers: (() => void)[] = [];
  let hear: (message: FromStore) => void = () => {};
  const clock = { nowMs: 0, pauses: [] as number[] };
  const desk = createRunDesk({
    runs: over(store.runs), keepEnded, post: (message) => { said.push(message); hear(message); },
    embedded, clock: () => clock.nowMs, pause: async (durationMs) => { clock.pauses.push(durationMs); },
  });
  const port = {
    postMessage(message: ToStore) {
      if (message.kind === 'open_run') desk.open(message.number, message.run);
      if (message.kind === 'confirm_run') desk.confirm(message);
    },
    on(_event: string, listener: typeof hear) { hear = listener; },
  } as unknown as Port;
  const client = createStoreClient({ port, clock: () => 0, after: (_delayMs, task) => { timers.push(task); return () => {}; } });
  return { store, desk, client, said, timers, clock, hear: (message: FromStore) => hear(message) };
}

const runIn = (answer: RunAnswer) => {
  assert.ok(answer.kind === 'run', answer.kind);
  return answer.run;
};

test('questions in quick succession wait a moment to be batched; a single one does not wait', async (t) => {
  let opens = 0;
  const { client, clock } = await context(t, (runs) => ({ ...runs, open: (list) => { opens += 1; return runs.open(list); } }));
  await client.askRun(wanted('alone'));
  assert.deepEqual([opens, clock.pauses], [1, []]);
  clock.nowMs += 4;
  await Promise.all([client.askRun(wanted('soon')), client.askRun(wanted('with it'))]);
  assert.deepEqual([opens, clock.pauses], [2, [2]]);
  clock.nowMs += 5;
  await client.askRun(wanted('later'));
  assert.deepEqual([opens, clock.pauses], [3, [2]]);
});

test('each question gets its own answer, and many at once share a transaction', async (t) => {
  let opens = 0;
  const { client } = await context(t, (runs) => ({ ...runs, open: (list) => { opens += 1; return runs.open(list); } }));
  const answers = await Promise.all([
    client.askRun(wanted('a')), client.askRun(wanted('b', { exposureLimit: nanoDollars(1n) })), client.askRun(wanted('c', { mayCreate: false })),
    ...Array.from({ length: 100 }, (_, index) => client.askRun(wanted(`r${index}`))),
  ]);
  const said = answers.slice(0, 4).map((answer) => answer.kind === 'run' ? answer.run.id : answer.kind);
  assert.deepEqual(said, ['a', 'run_exposure_exhausted', 'absent', 'r0']);
  assert.ok(opens <= 3, `${opens} transactions`);
});

test('one organization’s many questions do not keep another’s out of the next transaction', async (t) => {
  const opened: (readonly NewRun[])[] = [];
  const { client } = await context(t, (runs) => ({ ...runs, open: async (list) => {
    opened.push(list);
    return list.map(() => ({ kind: 'absent' }) as const);
  } }));
  const asked = Array.from({ length: 500 }, (_, index) => client.askRun(wanted(`r${index}`)));
  await client.askRun(wanted('one', { organization: 'org_another' as OrganizationId }));
  await Promise.all(asked);
  assert.deepEqual(opened.map((runs) => runs.length), [1, 200, 200, 100]);
  assert.ok(opened[1]!.some(({ id }) => id === 'one'));
});

test('a store that fails says so; one that is late is not waited for beyond the deadline', async (t) => {
  let linger: (() => void) | null = null;
  let mode: 'fail' | 'linger' | null = 'fail';
  const { client, timers } = await context(t, (runs) => ({
    ...runs,
    async open(list) {
      if (mode === 'fail') throw new Error('away');
      if (mode === 'linger') await new Promise<void>((resume) => { linger = resume; });
      return runs.open(list);
    },
  }));
  await assert.rejects(client.askRun(wanted('a')), { name: 'StoreAway' });
  mode = 'linger';
  const late = client.askRun(wanted('a'));
  timers[1]!();
  await assert.rejects(late, { name: 'StoreAway', message: 'The store did not answer within 250 ms.' });
  mode = null;
  linger!();
  assert.equal(runIn(await client.askRun(wanted('a'))).id, 'a');
});

test('a run that was closed elsewhere is reported within one poll, once, and to all listeners', async (t) => {
  const { client, desk, store } = await context(t);
  const heard: EndedRun[] = [];
  client.onRunsEnded((ended) => heard.push(...ended));
  await client.askRun(wanted('a'));
  await desk.poll();
  await store.runs.close({ organization, id: 'a' });
  assert.deepEqual(heard, []);
  await desk.poll();
  await desk.poll();
  assert.deepEqual(heard.map(({ id, state, endedAtMs }) => [id, state, endedAtMs]), [['a', 'closed', 2000]]);
});

test('a run that is closed before the first poll is reported too', async (t) => {
  const { client, desk, store } = await context(t);
  const heard: EndedRun[] = [];
  client.onRunsEnded((ended) => heard.push(...ended));
  await client.askRun(wanted('a'));
  await store.runs.close({ organization, id: 'a' });
  await desk.poll();
  assert.deepEqual(heard.map(({ id }) => id), ['a']);
});

test('an answer is read again if its run ended meanwhile', async (t) => {
  let overtake: (() => Promise<void>) | null = null;
  const { client, desk, store, said } = await context(t, (runs) => ({
    ...runs,
    async open(list) {
      const answers = await runs.open(list);
      await overtake?.();
      return answers;
    },
  }));
  await client.askRun(wanted('a'));
  overtake = async () => {
    overtake = null;
    await store.runs.close({ organization, id: 'a' });
    await desk.poll();
  };
  assert.equal(runIn(await client.askRun(wanted('a'))).state, 'closed');
  assert.deepEqual(said.map(({ kind }) => kind), ['run', 'runs_changed', 'run']);
});

test('a run whose call was opened outlives the 10 s, another vanishes; a confirmation waits for a store that fails', async (t) => {
  let away = true;
  const { client, desk, store } = await context(t, (runs) => ({
    ...runs,
    async confirm(list) {
      if (away) throw new Error('away');
      await runs.confirm(list);
    },
  }));
  await Promise.all([client.askRun(wanted('opened')), client.askRun(wanted('refused'))]);
  client.confirmRun({ organization, id: 'opened' });
  await assert.rejects(desk.sweep(60_000), /away/);
  assert.ok(await store.runs.get({ organization, id: 'refused' }), 'no sweep goes before the confirmations');
  away = false;
  await desk.sweep(60_000);
  assert.equal((await store.runs.get({ organization, id: 'opened' }))?.state, 'live');
  assert.equal(await store.runs.get({ organization, id: 'refused' }), null);
});

test('a run tightened elsewhere is not reported as ended', async (t) => {
  const { client, desk, store, said } = await context(t);
  let heard = 0;
  client.onRunsEnded(() => { heard += 1; });
  await client.askRun(wanted('a'));
  await desk.poll();
  const tightening = { organization, run: 'a', declared: nanoDollars(2n), effective: nanoDollars(2n), clampReason: null, atMs: 1 };
  await store.calls.ship({ segment: 's', through: 1, records: [], runEvents: [{ seq: 1, event: tightening }] });
  await desk.poll();
  assert.equal(heard, 0);
  assert.deepEqual(said.flatMap((message) => message.kind === 'runs_changed' ? message.runs.map(({ effective }) => effective) : []), [2n]);
});

test('before a run of a bounded exposure is made, calls that ended here are stored; no other run waits for that', async (t) => {
  const order: string[] = [];
  const { client } = await context(t, (runs) => ({ ...runs, open: (list) => { order.push(list[0]!.id); return runs.open(list); } }),
    async () => { order.push('kept'); });
  for (const run of [wanted('free'), wanted('found', { exposureLimit: nanoDollars(9n), mayCreate: false })]) await client.askRun(run);
  await client.askRun(wanted('bound', { exposureLimit: nanoDollars(9n) }));
  assert.deepEqual(order, ['free', 'found', 'kept', 'bound']);
});

test('the node of an embedded store gets all runs once, also those asked for meanwhile; the node of a shared one gets none', async (t) => {
  let shipped = 0;
  let asking: Promise<unknown> = Promise.resolve();
  const names = (runs: StoredRuns): StoredRuns => ({
    ...runs,
    names(after, limit) {
      asking = client.askRun(wanted('meanwhile'));
      return runs.names(after, limit);
    },
  });
  const { desk, client, said, store, hear } = await context(t, names, async () => { shipped += 1; }, true);
  await store.runs.open([wanted('old'), wanted('older')]);
  assert.equal(client.claimRun(wanted('new')), false);
  await desk.sendKnownRuns();
  await asking;
  await desk.sendKnownRuns();
  assert.equal(said.filter(({ kind }) => kind === 'known_runs').length, 1);
  hear({ kind: 'kept' });
  assert.deepEqual(['old', 'older', 'meanwhile', 'new'].map((id) => client.claimRun(wanted(id))), [false, false, false, true]);
  assert.equal(shipped, 1, 'before an answer, what the node has begun is shipped');
  const shared = await context(t);
  await shared.desk.sendKnownRuns();
  assert.deepEqual(shared.said, []);
});
