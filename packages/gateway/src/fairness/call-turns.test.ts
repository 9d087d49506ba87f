/** Rule 8a: steps of calls of one organization and of several, by turns that the test ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { CallTurns } from './call-turns.ts';

const [a, b, c] = ['org_a', 'org_b', 'org_c'] as OrganizationId[] as [OrganizationId, OrganizationId, OrganizationId];

function context() {
  let ends: (() => void)[] = [];
  let timers: (() => void)[] = [];
  const turns = new CallTurns({ atTurnsEnd: (task) => ends.push(task), after: (_delayMs, task) => timers.push(task) });
  const taken: string[] = [];
  const step = (organization: OrganizationId, name: string): void => {
    if (turns.mayGo(organization)) taken.push(name);
    else turns.later(organization, () => taken.push(name));
  };
  const burst = (organization: OrganizationId, count: number): void => {
    for (let at = 1; at <= count; at += 1) step(organization, `${organization} ${at}`);
  };
  const tasks = (of: (() => void)[]): void => of.forEach((task) => task());
  return {
    turns, taken, step, burst,
    /** Ends the turn; true: nothing is left to do. */
    end(): boolean {
      const due = ends;
      ends = [];
      tasks(due);
      return due.length === 0;
    },
    /** Lets a quarter of a second pass. */
    pass() {
      const due = timers;
      timers = [];
      tasks(due);
    },
    timers: () => timers.length,
  };
}

test('a single calling organization waits for nothing, and nothing is scheduled', () => {
  const { taken, burst, end, timers } = context();
  burst(a, 500);
  assert.deepEqual([taken.length, end(), timers()], [500, true, 0]);
});

test('each of several takes four steps in a turn, and the rest in order in the next turns', () => {
  const { taken, burst, end } = context();
  burst(b, 1);
  burst(a, 10);
  burst(c, 1);
  assert.deepEqual(taken, ['org_b 1', 'org_a 1', 'org_a 2', 'org_a 3', 'org_a 4', 'org_c 1']);
  end();
  burst(b, 1);
  assert.deepEqual(taken.slice(6), ['org_a 5', 'org_a 6', 'org_a 7', 'org_a 8', 'org_b 1']);
  end();
  assert.deepEqual(taken.slice(11), ['org_a 9', 'org_a 10']);
  end();
  assert.equal(end(), true, 'it rests');
});

test('a step that comes while others of its organization wait goes behind them, even if one of them adds it', () => {
  const { turns, taken, burst, step, end } = context();
  burst(b, 1);
  burst(a, 4);
  assert.equal(turns.mayGo(a), false);
  turns.later(a, () => step(a, 'second step of the first'));
  for (let at = 0; at < 4; at += 1) step(a, `waited ${at}`);
  for (let turn = 0; turn < 4; turn += 1) end();
  assert.deepEqual(taken.slice(5), ['waited 0', 'waited 1', 'waited 2', 'waited 3', 'second step of the first']);
});

test('a quarter to half of a second after the last alternation an organization counts as the only one again', () => {
  const { taken, burst, end, pass, timers } = context();
  burst(b, 1);
  burst(a, 8);
  while (!end());
  pass();
  burst(a, 8);
  assert.equal(taken.length, 9 + 4);
  while (!end());
  pass();
  assert.equal(timers(), 0);
  burst(a, 100);
  assert.equal(taken.length, 17 + 100);
});

test('while others keep calling, an organization that has stopped is forgotten, unless something of it waits', () => {
  const { turns, taken, burst, step, end, pass } = context();
  for (let at = 0; at < 1_000; at += 1) step(`org_${at}` as OrganizationId, 'once');
  burst(a, 9);
  end();
  burst(b, 1);
  pass();
  assert.equal(turns.remembered, 2);
  while (!end());
  assert.deepEqual(taken.slice(-5), ['org_a 6', 'org_a 7', 'org_a 8', 'org_b 1', 'org_a 9']);
});

test('the number of waiting steps is bounded: beyond it a step runs at once', () => {
  const { taken, burst } = context();
  burst(b, 1);
  burst(a, 4 + 4_096);
  assert.equal(taken.length, 5);
  burst(a, 1);
  assert.equal(taken.length, 6);
});

test('when the node ends, all waiting steps run at once, and later ones wait for nothing', () => {
  const { turns, taken, burst, end } = context();
  burst(b, 1);
  burst(a, 100);
  turns.end();
  assert.equal(taken.length, 101);
  burst(a, 100);
  burst(b, 100);
  assert.equal(taken.length, 301);
  end();
  assert.equal(taken.length, 301);
});
