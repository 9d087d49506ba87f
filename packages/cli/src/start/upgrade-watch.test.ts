/** What an operator hears while an older store is upgraded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpgradeWatch } from './upgrade-watch.ts';

function context() {
  const told: string[] = [];
  const state = { nowMs: 0, waits: '', look: null as (() => void) | null };
  const watch = createUpgradeWatch({
    tell: (sentence) => told.push(sentence), waitsFor: (sentence) => { state.waits = sentence; }, monotonicMs: () => state.nowMs,
    every(_pauseMs, task) {
      state.look = task;
      return () => { state.look = null; };
    },
  });
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      state.nowMs += 1_000;
      state.look?.();
    }
  };
  return { told, state, watch, pass };
}

test('an upgrade is logged at its beginning, every ten seconds and at its end; /readyz has the step and its time', () => {
  const { told, state, watch, pass } = context();
  watch.progressed({ from: 30, to: 56, at: 31 });
  assert.match(told.splice(0).join(), /^The store is upgraded from schema 30 to 56 before anything is served\./);
  watch.progressed({ from: 30, to: 56, at: 32 });
  pass(4);
  assert.equal(state.waits,
    'The store is being upgraded from schema 30 to 56: step 2 of 26 (sums of usage by hour from the records), 4 s so far.');
  assert.deepEqual(told, []);
  pass(17);
  assert.deepEqual(told.splice(0).map((sentence) => / (\d+) s so far/.exec(sentence)?.[1]), ['10', '20']);
  watch.progressed({ from: 30, to: 56, at: null });
  watch.ended();
  assert.deepEqual([told, state.look], [['The store was upgraded from schema 30 to 56 in 21 s.'], null]);
});

test('a start that upgrades nothing, and one that fails, do not say that it did', () => {
  const { told, watch } = context();
  watch.ended();
  assert.deepEqual(told, []);
  watch.progressed({ from: 30, to: 56, at: 40 });
  watch.ended();
  assert.equal(told.length, 1);
});

test('what is waited for before anything is begun, and a cell of the store, are named', () => {
  const { told, state, watch, pass } = context();
  watch.progressed({ from: 30, to: 56, at: 31, waitsFor: ['pg_dump (process 4711)'] });
  pass(10);
  const waiting = 'The store will be upgraded from schema 30 to 56 once transactions of others that use its tables are over: '
    + 'pg_dump (process 4711), 10 s so far.';
  assert.deepEqual([state.waits, told.splice(1)], [waiting, [waiting]]);
  watch.progressed({ from: 30, to: 56, at: 31 });
  watch.progressed({ from: 30, to: 56, at: null });
  watch.progressed({ from: 30, to: 56, at: 40, cell: 'cell_1' });
  assert.equal(state.waits,
    'The cell cell_1 is being upgraded from schema 30 to 56: step 10 of 26 (tables and columns; no record is read), 10 s so far.');
  watch.progressed({ from: 30, to: 56, at: null, cell: 'cell_1' });
  watch.progressed({ from: 30, to: 56, at: null, cell: 'cell_2' });
  watch.ended();
  assert.equal(told.at(-1), 'The store was upgraded from schema 30 to 56 in 10 s, and 2 more cells.');
});
