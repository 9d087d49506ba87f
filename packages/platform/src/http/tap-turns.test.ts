/** Batches of a flood take turns with those of others, and leave the store to other writers between them. Rule 8a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTapTurns, turnWeightMax, type TapJob } from './tap-turns.ts';

/** A clock that advances only during a turn: 2 ms for a large one and 0.5 for a small one. */
function context() {
  let nowMs = 1_000;
  let timers: { readonly atMs: number; readonly task: () => void }[] = [];
  const turns = createTapTurns({ monotonicMs: () => nowMs, after: (delayMs, task) => timers.push({ atMs: nowMs + delayMs, task }) });
  const stored: string[] = [];
  /** When each turn began and ended. */
  const times: { readonly beganMs: number; readonly endedMs: number }[] = [];
  /** A batch that takes so many turns. */
  async function* store(name: string, { slices, tookMs }: { readonly slices: number; readonly tookMs: number }): TapJob<string> {
    for (let slice = 1; slice <= slices; slice += 1) {
      stored.push(slices === 1 ? name : `${name}.${slice}`);
      times.push({ beganMs: nowMs, endedMs: nowMs += tookMs });
      if (slice < slices) yield { until: null };
    }
    return name;
  }
  const large = (key: string, name: string, slices = 1) => turns.take(key, turnWeightMax, store(name, { slices, tookMs: 2 }));
  const small = (key: string, name: string) => turns.take(key, 0.1, store(name, { slices: 1, tookMs: 0.5 }));
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  /** Lets that much time pass. */
  const pass = async (forMs: number): Promise<void> => {
    const untilMs = nowMs + forMs;
    for (;;) {
      await settled();
      const due = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined || due.atMs > untilMs) break;
      timers = timers.filter((timer) => timer !== due);
      nowMs = Math.max(nowMs, due.atMs);
      due.task();
    }
    nowMs = Math.max(nowMs, untilMs);
  };
  return { turns, stored, times, large, small, pass };
}

test('a flooding key pauses after each turn, and five milliseconds of each pause are left to all others', async () => {
  const { stored, times, large, pass } = context();
  void large('flood', 'a', 3);
  void large('flood', 'b');
  await pass(30);
  assert.deepEqual(stored, ['a.1', 'a.2', 'a.3', 'b']);
  for (const [at, { beganMs }] of times.slice(1).entries()) assert.ok(beganMs - times[at]!.endedMs >= 5);
});

test('a small batch of another key waits for the turn that is under way and for nothing else', async () => {
  const { stored, times, large, small, pass } = context();
  void large('flood', 'flood', 5);
  await pass(0);
  const posted = small('calm', 'calm');
  await pass(0);
  assert.equal(await posted, 'calm');
  assert.deepEqual([stored, times[1]!.beganMs - times[0]!.endedMs], [['flood.1', 'calm'], 0]);
});

test('a key that posts one small batch after the other is not made to wait for the rests of the one that floods', async () => {
  const { stored, large, small, pass } = context();
  void large('flood', 'flood', 20);
  await pass(0);
  for (const name of ['one', 'two', 'three']) {
    void small('calm', name);
    await pass(1);
  }
  assert.deepEqual(stored, ['flood.1', 'one', 'two', 'three']);
  await pass(5);
  assert.equal(stored[4], 'flood.2', 'whose rest goes on meanwhile, and ends');
});

test('of the waiting keys, the one whose turns weighed the least goes next, and nobody waits for ever', async () => {
  const { stored, large, small, pass } = context();
  for (const name of ['a', 'b', 'c']) void large('flood', name);
  for (let at = 0; at < 14; at += 1) void small('calm', 'calm');
  void large('other', 'other');
  await pass(200);
  assert.deepEqual(stored.slice(0, 9), ['a', 'calm', 'other', ...Array(5).fill('calm'), 'b'], 'each weighed six');
  assert.equal(stored.length, 18);
});

test('a key that was away gets no extra turns for the time it did not send', async () => {
  const { stored, large, small, pass } = context();
  void small('calm', 'calm 1');
  void large('flood', 'flood', 100);
  await pass(200);
  for (let at = 0; at < 9; at += 1) void small('calm', 'late');
  await pass(30);
  const from = stored.indexOf('late');
  assert.deepEqual(stored.slice(from, from + 9).filter((name) => name === 'late').length, 8, 'the flood has its turn among them');
});

test('a batch with none before it is stored at once; one that fails reports to its sender and delays nobody', async () => {
  const { turns, stored, small, pass } = context();
  const failed = turns.take('a', 1, failing())!;
  const next = small('a', 'next');
  assert.deepEqual(stored, []);
  await assert.rejects(failed, /full/);
  await pass(10);
  assert.equal(await next, 'next');
  const alone = small('b', 'alone');
  assert.equal(stored.at(-1), 'alone');
  await pass(1);
  assert.equal(await alone, 'alone');
});

async function* failing(): TapJob<string> {
  await Promise.reject(new Error('full'));
  yield { until: null };
  return 'never';
}

test('a batch whose next turn waits for something else delays no other key, and the next batch of its key comes after it', async () => {
  const { turns, stored, small, pass } = context();
  const disk = Promise.withResolvers<void>();
  async function* waiting(): TapJob<string> {
    stored.push('waiting.1');
    yield { until: disk.promise };
    stored.push('waiting.2');
    return 'waiting';
  }
  void turns.take('a', 1, waiting());
  void small('a', 'behind');
  void small('b', 'other');
  await pass(20);
  assert.deepEqual(stored, ['waiting.1', 'other']);
  disk.resolve();
  await pass(20);
  assert.deepEqual(stored.slice(2), ['waiting.2', 'behind']);
});

test('between two slices of a batch another key has its turn, and the batch is whole before the next of its key', async () => {
  const { stored, large, small, pass } = context();
  const flood = [large('flood', 'large', 3), large('flood', 'next')];
  void small('calm', 'calm');
  await pass(100);
  assert.deepEqual(stored, ['large.1', 'calm', 'large.2', 'large.3', 'next']);
  assert.equal(await flood[0], 'large');
});

test('a key gets at most half of the places that are left of 256, so that others find some', async () => {
  const { small } = context();
  const taken = (key: string): number => {
    let count = 0;
    while (small(key, key) !== null) count += 1;
    return count;
  };
  assert.deepEqual(['flood', 'second', 'third'].map(taken), [128, 64, 32]);
  assert.ok(small('calm', 'calm') !== null);
  assert.equal(small('flood', 'flood'), null);
});
