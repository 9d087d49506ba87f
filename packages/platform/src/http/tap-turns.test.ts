/** Batches of a flood take turns with those of others, and leave the store to other writers between them. Design 3, row 8a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTapTurns } from './tap-turns.ts';

function context() {
  const pauses: (() => void)[] = [];
  const turns = createTapTurns((_delayMs, task) => pauses.push(task));
  const stored: string[] = [];
  /** A batch of so many slices. */
  async function* store(name: string, slices = 1): AsyncGenerator<void, string> {
    for (let slice = 1; slice <= slices; slice += 1) {
      stored.push(slices === 1 ? name : `${name}.${slice}`);
      if (slice < slices) yield;
    }
    return name;
  }
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  /** Lets so many pauses pass. */
  const pass = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await settled();
      pauses.shift()?.();
    }
    await settled();
  };
  return { turns, stored, store, pass, pauses };
}

test('one batch is stored at a time, two keys have a turn between two pauses, and the keys come in turn', async () => {
  const { turns, stored, store, pass } = context();
  for (const name of ['flood 1', 'flood 2', 'flood 3']) void turns.take('flood', store(name));
  void turns.take('calm', store('calm 1'));
  await pass(0);
  assert.deepEqual(stored, ['flood 1', 'calm 1']);
  void turns.take('calm', store('calm 2'));
  await pass(1);
  assert.deepEqual(stored, ['flood 1', 'calm 1', 'flood 2', 'calm 2']);
  await pass(1);
  assert.deepEqual(stored, ['flood 1', 'calm 1', 'flood 2', 'calm 2', 'flood 3']);
});

test('a batch that nobody precedes is stored at once; one that fails tells its sender and holds up nobody', async () => {
  const { turns, stored, store, pass } = context();
  await assert.rejects(turns.take('a', failing())!, /full/);
  const next = turns.take('a', store('next'));
  assert.deepEqual(stored, []);
  await pass(1);
  assert.equal(await next, 'next');
  await pass(1);
  assert.equal(await turns.take('b', store('alone')), 'alone');
});

async function* failing(): AsyncGenerator<void, void> {
  yield await Promise.reject(new Error('full'));
}

test('between two slices of a batch another key has its turn, and the batch is whole before the next of its key', async () => {
  const { turns, stored, store, pass } = context();
  const [large] = [turns.take('flood', store('large', 3)), turns.take('flood', store('next'))];
  void turns.take('calm', store('calm'));
  await pass(4);
  assert.deepEqual(stored, ['large.1', 'calm', 'large.2', 'large.3', 'next']);
  assert.equal(await large, 'large');
});

test('a key has half of the 256 places that are left, so that another finds some', async () => {
  const { turns, store } = context();
  const taken = (key: string): number => {
    let count = 0;
    while (turns.take(key, store(key)) !== null) count += 1;
    return count;
  };
  assert.deepEqual(['flood', 'second', 'third'].map(taken), [128, 64, 32]);
  assert.ok(turns.take('calm', store('calm')) !== null);
  assert.equal(turns.take('flood', store('flood')), null);
});
