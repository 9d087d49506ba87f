/** What an idle node asks of its embedded store: whether anything was committed, and nothing else. Decision 308. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { settlementsIn } from '../calls/settling/settlements.ts';
import { watchCommits } from '../engine/commit-watch.ts';
import { openEngine, type Engine } from '../engine/engine.ts';
import { feedNumbersIn } from '../engine/feed-numbers.ts';
import { granted, testMasterKey } from '../test-support/contract-fixture.ts';
import { testDirectory } from '../journal/test-support/journal-fixture.ts';
import { runsIn } from '../runs/runs.ts';
import { createVault } from '../sealing/vault.ts';
import { settingsIn } from '../settings/node-settings.ts';
import { correctedSpendIn } from '../spend/corrected-spend.ts';
import { openStore } from '../store.ts';
import type { FromStore } from './protocol.ts';
import { createRunDesk } from './run-desk.ts';
import { createSettingsDesk } from './settings-desk.ts';
import { createSpentNews } from './spent-news.ts';

const nowMs = 1_790_000_000_000;

/** Counts what is read, by how it is read. */
function counting(engine: Engine): { readonly engine: Engine; readonly taken: () => { reads: number; states: number } } {
  let counts = { reads: 0, states: 0 };
  return {
    engine: {
      ...engine,
      read(query) {
        counts.reads += 1;
        return engine.read(query);
      },
      look(text, given) {
        counts.reads += 1;
        return engine.look(text, given);
      },
      stateNumber() {
        counts.states += 1;
        return engine.stateNumber();
      },
    },
    taken() {
      const counted = counts;
      counts = { reads: 0, states: 0 };
      return counted;
    },
  };
}

async function context(t: TestContext) {
  const file = join(testDirectory(t), 'store.db');
  const url = `sqlite:${file}`;
  /** Another process on the same file. */
  const other = await openStore({ url, masterKey: testMasterKey, clock: () => nowMs, randomBytes, create: true });
  const bare = await openEngine(url, { create: false });
  t.after(() => Promise.all([other.close(), bare.close()]));
  const { engine, taken } = counting(bare);
  const watching = new DatabaseSync(file).prepare('pragma data_version');
  const own = {
    engine, background: engine, feeds: feedNumbersIn(engine), vault: createVault(testMasterKey, randomBytes), clock: () => nowMs, randomBytes,
  };
  const said: FromStore[] = [];
  const post = (message: FromStore): void => void said.push(message);
  const runs = runsIn(own);
  const settled = await createSpentNews([settlementsIn(own), correctedSpendIn(own)], post);
  const desk = createSettingsDesk({ settings: settingsIn(own), prices: other.prices, spend: other.spend, clock: () => nowMs, post, settled });
  const runDesk = createRunDesk({ runs, post, keepEnded: async () => {}, clock: () => 0, pause: async () => {}, embedded: true, settled });
  await runDesk.sendKnownRuns();
  const polls = async (): Promise<void> => {
    await runDesk.poll();
    await desk.poll();
    await settled.look();
  };
  let tick = (): void => {};
  let told = 0;
  watchCommits(() => Object.values(watching.get()!)[0], () => { told += 1; }, (pauseMs, task) => {
    assert.equal(pauseMs, 50);
    tick = task;
    return () => {};
  });
  /** What the store thread does in a second: it looks for commits every 50 ms, and polls twice a second and behind each look that found some. */
  const second = async (): Promise<void> => {
    for (let at = 0; at < 20; at += 1) {
      const before = told;
      tick();
      if (at % 10 === 0 || told > before) await polls();
    }
  };
  return { other, taken, second, sweep: () => runDesk.sweep(nowMs), said: () => said.splice(0).map(({ kind }) => kind) };
}

test('an idle second asks for the state of the store alone; what another process commits is read once, at the next poll', async (t) => {
  const { other, taken, second, said } = await context(t);
  await second();
  taken();
  said();
  await second();
  assert.deepEqual(taken(), { reads: 0, states: 2 * 4 });
  assert.deepEqual(said(), Array.from({ length: 2 }, () => 'heartbeat'));

  const { id } = await granted(other.organizations.create({ name: 'one', plan: 'free' }));
  await second();
  const { reads } = taken();
  assert.ok(reads > 0 && reads < 12, `${reads} reads`);
  said();
  await second();
  assert.equal(taken().reads, 0);

  await other.runs.open([{
    organization: id, id: 'r', declared: null, effective: null, clampReason: null, startedAtMs: nowMs, expiresAtMs: null, exposureLimit: null,
    mayCreate: true,
  }]);
  await granted(other.runs.close({ organization: id, id: 'r' }));
  said();
  await second();
  assert.ok(said().includes('runs_changed'));
});

test('runs that are over are looked for by one statement, of all three kinds', async (t) => {
  const { taken, sweep } = await context(t);
  taken();
  await sweep();
  assert.equal(taken().reads, 1);
});
