/** Batches of a flood take turns with those of others, and leave the store to other writers between them. Design 3, row 8a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTapTurns } from './tap-turns.ts';

function context() {
  const pauses: (() => void)[] = [];
  const turns = createTapTurns((_delayMs, task) => pauses.push(task));
  const stored: string[] = [];
  const store = (name: string) => async (): Promise<string> => {
    stored.push(name);
    return name;
  };
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

test('one batch is stored at a time, a pause after each, and the keys come in turn', async () => {
  const { turns, stored, store, pass } = context();
  for (const name of ['flood 1', 'flood 2', 'flood 3']) void turns.take('flood', store(name));
  void turns.take('calm', store('calm 1'));
  await pass(0);
  assert.deepEqual(stored, ['flood 1']);
  await pass(3);
  assert.deepEqual(stored, ['flood 1', 'flood 2', 'calm 1', 'flood 3']);
});

test('a batch that nobody precedes is stored at once; one that fails tells its sender and holds up nobody', async () => {
  const { turns, stored, store, pass } = context();
  await assert.rejects(turns.take('a', () => Promise.reject(new Error('full')))!, /full/);
  const next = turns.take('a', store('next'));
  assert.deepEqual(stored, []);
  await pass(1);
  assert.equal(await next, 'next');
  await pass(1);
  assert.equal(await turns.take('b', store('alone')), 'alone');
});

test('beyond 256 that wait a further one is not taken', async () => {
  const { turns, store, pass, stored } = context();
  for (let at = 0; at < 257; at += 1) assert.ok(turns.take('flood', store(String(at))) !== null);
  assert.equal(turns.take('calm', store('calm')), null);
  await pass(1);
  assert.ok(turns.take('calm', store('calm')) !== null);
  await pass(1);
  assert.deepEqual(stored, ['0', '1', '2']);
});
