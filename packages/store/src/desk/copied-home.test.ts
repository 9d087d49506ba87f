/** A start on a data directory that another process may run on (rules: Processes). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRunsNowhereElse } from './copied-home.ts';

/** The answers in their order, and how long the start waited. */
async function started(...heard: readonly ({ heardAtMs: number; nowMs: number } | null)[]): Promise<number> {
  let waitedMs = 0;
  const answers = [...heard];
  await assertRunsNowhereElse({ lastHeartbeat: async () => answers.shift() ?? null }, 'home_a', async (ms) => { waitedMs += ms; });
  assert.equal(answers.length, 0, 'it was asked no oftener');
  return waitedMs;
}

test('there is no wait if no process reported, or none recently', async () => {
  assert.deepEqual([await started(null), await started({ heardAtMs: 1_000, nowMs: 3_000 })], [0, 0]);
});

test('a recent process that stays silent is dead; so is one that has stopped cleanly meanwhile', async () => {
  assert.equal(await started({ heardAtMs: 1_000, nowMs: 1_400 }, { heardAtMs: 1_000, nowMs: 3_000 }), 1_600);
  assert.equal(await started({ heardAtMs: 1_000, nowMs: 2_900 }, null), 100);
});

test('a heartbeat in the future, after a step of the store’s clock, makes the wait no longer', async () => {
  assert.equal(await started({ heardAtMs: 3_600_000, nowMs: 0 }, { heardAtMs: 3_600_000, nowMs: 2_000 }), 2_000);
});

test('a process with a new heartbeat runs elsewhere: the start ends, and the message says what to do', async () => {
  await assert.rejects(started({ heardAtMs: 1_000, nowMs: 1_400 }, { heardAtMs: 2_100, nowMs: 3_000 }),
    { code: 'data_directory_elsewhere', message: /a data directory of its own/ });
});
