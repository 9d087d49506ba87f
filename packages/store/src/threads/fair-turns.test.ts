/** Whose turn is next, as a rule without a clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns } from './fair-turns.ts';

interface Beside {
  /** Who comes while a turn lasts. */
  readonly more: (whose: string) => void;
  readonly isOver: (whose: string) => boolean;
}

/** Gives turns of one length until `isOver`, and tells whose they were. */
function given(turns: FairTurns<string>, us: number, { more, isOver }: Beside): string[] {
  const whose: string[] = [];
  while (whose.length < 10_000) {
    const turn = turns.next();
    whose.push(turn.job);
    more(turn.job);
    turn.over(us);
    if (isOver(turn.job)) break;
  }
  return whose;
}

/** One asker had a turn of 5 ms and waits for the next, beside another. */
function withOneServed(): FairTurns<string> {
  const turns = new FairTurns<string>();
  turns.add('known', 'first');
  const first = turns.next();
  turns.add('known', 'second');
  first.over(5_000);
  return turns;
}

test('new names without end: as many go ahead of an asker that waits as its turn before was long', () => {
  const turns = withOneServed();
  let names = 0;
  const more = (): void => turns.add(`new ${names += 1}`, 'new');
  for (let at = 0; at < 3; at += 1) more();
  const whose = given(turns, 200, { more, isOver: (who) => who === 'second' });
  assert.equal(whose.length, 40);
});

test('names that come again and again do not hold up an asker either', () => {
  const turns = withOneServed();
  let turn = 0;
  const more = (): void => turns.add(`again ${turn += 1, turn % 50}`, 'again');
  for (let at = 0; at < 3; at += 1) more();
  assert.equal(given(turns, 200, { more, isOver: (who) => who === 'second' }).length, 40);
});

test('newcomers beside an asker that always waits: no more of them are remembered than matter', () => {
  const turns = withOneServed();
  let names = 0;
  let most = 0;
  const more = (who: string): void => {
    if (who === 'new') turns.add(`new ${names += 1}`, 'new');
    else turns.add('known', 'known');
    most = Math.max(most, turns.remembered);
  };
  more('new');
  const whose = given(turns, 2_000, { more, isOver: () => false });
  assert.equal(whose.length, 10_000);
  assert.ok(most <= 100, `${most} are remembered`);
});

test('two askers that always wait have equal shares, and nobody is a newcomer by that', () => {
  const turns = new FairTurns<string>();
  const more = (): void => {
    turns.add('loud', 'loud');
    turns.add('quiet', 'quiet');
  };
  more();
  const whose = given(turns, 1_000, { more, isOver: () => false });
  assert.equal(whose.filter((who) => who === 'quiet').length, 5_000);
});

test('once nobody waits, nothing is remembered', () => {
  const turns = new FairTurns<string>();
  turns.add('one', '');
  turns.next().over(50_000);
  assert.equal(turns.isEmpty, true);
  assert.equal(turns.remembered, 0);
});
