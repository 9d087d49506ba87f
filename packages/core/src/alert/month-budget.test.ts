/** What is expected of a month, and which events of its budget are sent: plain rules, checked by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { expectedBy } from '../spend/forecast.ts';
import { budgetEvents, type SentBudgetEvents } from './month-budget.ts';

const dayMs = 86_400_000;
const monthMs = Date.UTC(2026, 10, 1);
const nano = (amount: number) => nanoDollars(BigInt(amount));

test('expected is what was spent and the pace of the last seven days for the rest of the month', () => {
  const days = (...amounts: number[]) => amounts.map((spent, index) => ({ dayMs: monthMs + index * dayMs, spent: nano(spent) }));
  const at = (nowMs: number, spent: number, counted: ReturnType<typeof days>) =>
    Number(expectedBy(counted, { spent: nano(spent), endMs: monthMs + 30 * dayMs, nowMs }));
  assert.equal(at(monthMs + 3 * dayMs, 300, days(100, 100, 100)), 300 + 27 * 100);
  assert.equal(at(monthMs + 10 * dayMs, 1_700, days(1_000, 0, 0, 0, 100, 100, 100, 100, 100, 200)), 1_700 + Math.floor((700 * 20) / 6),
    'days before the last seven do not count');
  assert.equal(at(monthMs + 10 * dayMs, 5, days(5)), 5, 'whoever did nothing for a week is expected to do nothing');
  assert.equal(at(monthMs + 30 * dayMs, 9, days(9)), 9);
  assert.equal(at(monthMs + 40 * dayMs, 9, days(9)), 9, 'a month that is over');
});

const moment = { monthMs, nowMs: monthMs + 2 * dayMs, amount: nano(100), thresholds: [80, 50] };
const types = ({ events }: ReturnType<typeof budgetEvents>): unknown[] =>
  events.map((event) => (event.type === 'budget.threshold' ? event.threshold : event.type));

test('each threshold, the whole budget and an expectation above it are reported once a month', () => {
  const half = budgetEvents(null, { ...moment, spent: nano(50), expected: nano(101) });
  assert.deepEqual(types(half), [50, 'budget.expected']);
  assert.deepEqual(types(budgetEvents(half.told, { ...moment, spent: nano(60), expected: nano(500) })), []);
  const spent = budgetEvents(half.told, { ...moment, spent: nano(100), expected: nano(500) });
  assert.deepEqual(types(spent), [80, 'budget.reached']);
  const next = { ...moment, monthMs: monthMs + 30 * dayMs, nowMs: monthMs + 32 * dayMs };
  assert.deepEqual(types(budgetEvents(spent.told, { ...next, spent: nano(10), expected: nano(20) })), [], 'a new month tells nothing by itself');
  assert.deepEqual(types(budgetEvents(spent.told, { ...next, spent: nano(50), expected: nano(200) })), [50, 'budget.expected']);
});

test('nothing is expected on the first day of a month, of a budget that is spent, or where nothing is known', () => {
  const none: SentBudgetEvents | null = null;
  assert.deepEqual(types(budgetEvents(none, { ...moment, nowMs: monthMs + dayMs - 1, spent: nano(1), expected: nano(999) })), []);
  assert.deepEqual(types(budgetEvents(none, { ...moment, spent: nano(1), expected: null })), []);
  assert.deepEqual(types(budgetEvents(none, { ...moment, thresholds: [], spent: nano(100), expected: nano(999) })), ['budget.reached']);
  assert.deepEqual(types(budgetEvents(none, { ...moment, spent: nano(1), expected: nano(100) })), [], 'just the budget is not more than it');
});
