/** A month is the sum of its lines: a file whose lines do not come to its total is not valid, whoever signed it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageFigureNames } from '../../report/usage-sum.ts';
import { LineSums } from './line-sums.ts';
import type { MonthLine, TotalFileLine } from './month-file.ts';
import { formatMonthLine, monthFileFormat } from './month-file.ts';
import { MonthVerifier } from './verify-month.ts';

const figures = (calls: number, cost: string) =>
  Object.fromEntries(usageFigureNames.map((name) => [name, name === 'calls' ? String(calls) : name === 'cost' ? cost : '0']));
const call = (calls: number, cost: string): MonthLine =>
  ({ type: 'calls', month: '2026-10', key: 'key_1', project: 0, labels: [], model: 0, wire: 'openai', figures: figures(calls, cost) });
const day = (calls: number, cost: string): MonthLine => ({ type: 'day', day: '2026-10-01', model: 0, wire: 'openai', figures: figures(calls, cost) });
const team = (calls: number, cost: string, adjustedCost: string): MonthLine => ({
  type: 'team', team: null, figures: figures(calls, cost), correction: '0.000000000', late: '0.000000000', lateCorrection: '0.000000000',
  adjustedCost,
  markup: '0.000000000', converted: null,
});
const allocation = (calls: number, cost: string): MonthLine =>
  ({ type: 'allocation', team: null, share: 'own', project: 0, model: 0, figures: figures(calls, cost) });
const total = (calls: number, cost: string, adjustedCost = cost): TotalFileLine => ({
  type: 'total', figures: figures(calls, cost), correction: '0.000000000', late: '0.000000000', lateCorrection: '0.000000000', adjustedCost,
});
const one = '0.000000001';
const two = '0.000000002';

function addUp(lines: readonly MonthLine[], to: TotalFileLine): boolean {
  const sums = new LineSums();
  for (const line of lines) sums.add(line);
  return sums.comeTo(to);
}

test('calls, days, allocation and teams each come to the total; a month without rules has neither of the last two', () => {
  assert.equal(addUp([], total(0, '0.000000000')), true);
  assert.equal(addUp([call(1, one), call(1, one), day(2, two)], total(2, two)), true);
  assert.equal(addUp([call(2, two), day(2, two), allocation(2, two), team(1, one, two), team(1, one, two)], total(2, two, '0.000000004')), true);
  const wrong: readonly (readonly MonthLine[])[] = [
    [call(2, two)], [call(1, two), day(2, two)], [call(2, one), day(2, two)], [call(2, two), day(2, one)],
    [call(2, two), day(2, two), allocation(2, one)], [call(2, two), day(2, two), team(2, two, one)], [call(2, two), day(2, two), team(2, one, two)],
    [call(2, 'x'), day(2, two)], [{ ...call(2, two), figures: null } as never, day(2, two)],
  ];
  for (const [index, lines] of wrong.entries()) assert.equal(addUp(lines, total(2, two)), false, String(index));
});

test('a file that is signed but does not add up is not valid', () => {
  const digest = { update() {}, hex: () => 'd' };
  const verdictOf = (lines: readonly MonthLine[]) => {
    const verifier = new MonthVerifier(null, digest);
    const head = {
      type: 'month', format: monthFileFormat, organization: 'org', month: '2026-10', version: 1, closedAt: '', sequence: 1, hash: '',
      keys: [{ id: 'rky', publicKey: `${'A'.repeat(43)}=`, follows: null }],
    } as const;
    for (const line of [head, ...lines, { type: 'end', digest: 'd', key: 'rky', signature: 's' } as const]) {
      const checking = verifier.take(formatMonthLine(line).trimEnd());
      for (let step = checking.next(); step.done !== true;) step = checking.next(true as never);
    }
    return verifier.verdict().fault;
  };
  assert.equal(verdictOf([call(1, one), day(1, one), total(1, one)]), null);
  assert.equal(verdictOf([call(1, one), day(1, one), total(2, one)]), 'sums_differ');
  assert.equal(verdictOf([call(1, one), day(1, one)]), 'sums_differ', 'it has no total');
});
