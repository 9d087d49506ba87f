/** What one tick of the clock of connections costs a turn of the event loop, however many of them are due. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CoarseClock, type Watched } from './coarse-clock.ts';

/** A clock of which each look takes so long, with the turns after a tick in the test's hand. */
function clockOf(lookMs: number) {
  const turns: (() => void)[] = [];
  let nowMs = 0;
  const clock = new CoarseClock(5, () => nowMs, (task) => turns.push(task));
  const looked: number[] = [];
  const watched = (name: number, also: () => void = () => {}): Watched => ({
    look() {
      looked.push(name);
      nowMs += lookMs;
      also();
    },
  });
  const turn = (): number => {
    const before = looked.length;
    turns.shift()!();
    return looked.length - before;
  };
  return { clock, looked, watched, turns, turn };
}

test('thousands that are due at once are looked at in many turns, each once for a tick, and no tick comes before the last of them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, looked, watched, turns, turn } = clockOf(0.1);
  const names = Array.from({ length: 3_000 }, (_, name) => name);
  for (const name of names) clock.watch(watched(name));
  t.mock.timers.tick(5);
  assert.ok(looked.length < 20, `${looked.length} looks in the turn of the tick`);
  while (turns.length > 0) {
    t.mock.timers.tick(50);
    assert.ok(turn() < 20);
  }
  assert.deepEqual(looked, names);
  t.mock.timers.tick(5);
  assert.ok(looked.length > 3_000, 'the next tick');
});

test('one that is forgotten between two turns is not looked at; one that comes then waits for the next tick', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, looked, watched, turns, turn } = clockOf(1);
  const all = Array.from({ length: 24 }, (_, name) => watched(name));
  for (const each of all) clock.watch(each);
  t.mock.timers.tick(5);
  clock.forget(all[20]!);
  clock.watch(watched(99));
  while (turns.length > 0) turn();
  assert.deepEqual(looked.filter((name) => name === 20), []);
  assert.equal(looked.length, 24, 'as many as there were at the tick');
});

test('looks that take no time are all of one turn', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, looked, watched, turns } = clockOf(0);
  for (let name = 0; name < 5_000; name += 1) clock.watch(watched(name));
  t.mock.timers.tick(5);
  assert.deepEqual([looked.length, turns.length], [5_000, 0]);
});

test('the rest of a tick keeps the event loop from sleeping', async () => {
  let nowMs = 0;
  const clock = new CoarseClock(5, () => nowMs += 1);
  const watched = Array.from({ length: 17 }, (): Watched => ({ look() {} }));
  for (const each of watched) clock.watch(each);
  const immediates = await new Promise<number>((resolve) => {
    // Behind the tick, in the same turn.
    setTimeout(() => resolve(process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length), 5);
  });
  for (const each of watched) clock.forget(each);
  assert.ok(immediates > 0);
});
