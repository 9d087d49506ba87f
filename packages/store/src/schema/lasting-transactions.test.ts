/** Which transactions of others an upgrade waits for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefMs, waitForLasting } from './migrations/lasting-transactions.ts';

/** `rounds`: who holds a lock at each look; the last one stays. */
async function looks(...rounds: readonly (readonly string[])[]) {
  const told: string[] = [];
  let [nowMs, at] = [0, -1];
  await waitForLasting({
    holders: async () => rounds[Math.min(at += 1, rounds.length - 1)]!.map((id) => ({ id, words: id })),
    waitsFor: (names) => void told.push(names.join(' ')),
    pause: async (ms) => { nowMs += ms; },
    nowMs: () => nowMs,
  });
  return { told, looked: at + 1, nowMs };
}

test('where nobody holds a lock, an upgrade begins at the first look', async () => {
  assert.deepEqual(await looks([]), { told: [], looked: 1, nowMs: 0 });
});

test('those of the first look are waited for, and named once they last; one that is brief costs a tenth of a second', async () => {
  assert.deepEqual(await looks(['batch'], ['next batch']), { told: [], looked: 2, nowMs: 100 });
  const { told } = await looks(['dump', 'batch'], ['dump'], ['dump', 'next batch'], ['next batch']);
  assert.deepEqual(told, ['dump', 'dump']);
});

test('a server that is never idle holds nothing up, but what began meanwhile and lasts longer than any statement of the product does', async () => {
  const busy = Array.from({ length: 40 }, (_, at) => ['dump', `batch ${at}`, `report ${Math.floor(at / 10)}`]);
  assert.equal((await looks(...busy, ['batch', 'report'])).looked, 41);
  const { told, nowMs } = await looks(...Array.from({ length: 18 }, (_, at) => (at === 0 ? ['dump'] : ['dump', 'forgotten'])),
    ['forgotten'], ['forgotten'], []);
  assert.equal(told.at(-1), 'forgotten');
  assert.ok(nowMs > briefMs);
});
