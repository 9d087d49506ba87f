/** Whose requests the platform begins next, counted in turns of its event loop. Decision 119. */
import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { test } from 'node:test';
import { OperationPlaces, placeMsMax } from './operation-places.ts';

/** Places whose turns and time are passed by hand, and requests that end on demand. */
function byHand(placesMax: number) {
  const [ends, timers]: [(() => void)[], (() => void)[]] = [[], []];
  const places = new OperationPlaces(placesMax, {
    atTurnsEnd: (task) => ends.push(task),
    after: (delayMs, task) => {
      assert.equal(delayMs, placeMsMax);
      timers.push(task);
    },
  });
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const ask = (organization: string, name: string): Promise<string> => places.take(organization, async () => {
    begun.push(name);
    await new Promise<void>((end) => { open.set(name, end); });
    return name;
  });
  return {
    places, begun, ask,
    async end(name: string): Promise<void> {
      open.get(name)!();
      await settled();
    },
    async turn(): Promise<void> {
      for (const task of ends.splice(0)) task();
      await settled();
    },
    async timeIsUp(): Promise<void> {
      for (const task of timers.splice(0)) task();
      await settled();
    },
  };
}

test('with five hundred requests of one organization, another one is begun at once, and those go on in their order', async () => {
  const { places, begun, ask, end, turn } = byHand(2);
  const all = Array.from({ length: 500 }, (_, at) => ask('many', `m${at}`));
  const few = ask('few', 'f');
  await settled();
  assert.deepEqual(begun, ['m0', 'm1', 'f']);
  await end('m1');
  assert.equal(begun.length, 3, 'what waits begins in a later turn');
  const newcomer = ask('many', 'last');
  await turn();
  assert.deepEqual(begun.slice(3), ['m2'], 'who comes later does not go before');
  await end('f');
  assert.equal(await few, 'f');
  for (let at = 0; at < 500; at += 1) {
    if (at !== 1) await end(`m${at}`);
    await turn();
  }
  await end('last');
  assert.deepEqual([begun.slice(0, 4), begun.length, begun.at(-1)], [['m0', 'm1', 'f', 'm2'], 502, 'last']);
  assert.deepEqual([(await Promise.all(all)).length, await newcomer, places.busy], [500, 'last', 0]);
});

test('a request that waits for something else gives its place up, and only once', async () => {
  const { places, begun, ask, end, turn, timeIsUp } = byHand(1);
  const asked = ['slow', 'second', 'third'].map((name) => ask('one', name));
  await timeIsUp();
  await turn();
  assert.deepEqual(begun, ['slow', 'second']);
  await end('slow');
  await turn();
  assert.deepEqual(begun, ['slow', 'second'], 'its place is taken by another');
  await end('second');
  await turn();
  await end('third');
  assert.deepEqual([await Promise.all(asked), places.busy], [['slow', 'second', 'third'], 0]);
});

test('a request that fails gives its place back and fails for who asked', async () => {
  const { places, ask, end } = byHand(1);
  await assert.rejects(places.take('one', () => { throw new Error('broken'); }), /broken/);
  await assert.rejects(places.take('one', () => Promise.reject(new Error('failed'))), /failed/);
  const next = ask('one', 'next');
  await settled();
  await end('next');
  assert.deepEqual([await next, places.busy], ['next', 0]);
});
