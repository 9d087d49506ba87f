/** Labels that callers choose bound neither a month's memory nor its steps; what is asked for stays, and the sums are exact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUsage, figureIn, noUsage } from '../../report/usage-sum.ts';
import { labelsAskedBy } from '../allocation/asked-labels.ts';
import type { AllocationRules } from '../allocation/rules.ts';
import type { Slicewise } from '../slices.ts';
import { labelsLeftOut } from './kept-labels.ts';
import { MonthSums, sumOfLines, type CallsLine, type MonthRecord } from './month-sums.ts';

const call = (index: number, labels: readonly string[]): MonthRecord => ({
  organization: 'org_a', key: `key_${index % 2}`, project: null, labels, model: 'gpt-5', requestedModel: null, wire: 'openai',
  endpoint: 'chat.completions', startedAtMs: Date.UTC(2026, 9, 1 + index % 31), inputTokens: 100, cachedTokens: 0, cacheWriteTokens: 0,
  outputTokens: 10, reasoningTokens: 0, usage: 'reported', cost: BigInt(1_000 + index), costGaps: [], costSource: 'priced', cacheSavings: null,
} as unknown as MonthRecord);

const made = <Result>(work: Slicewise<Result>): readonly [result: Result, slices: number] => {
  for (let slices = 1; ; slices += 1) {
    const { done, value } = work.next();
    if (done === true) return [value, slices];
  }
};

function sumsOf(calls: readonly MonthRecord[], isAsked: (label: string) => boolean, linesMax: number): readonly CallsLine[] {
  const sums = new MonthSums(isAsked, linesMax);
  for (const [index, each] of calls.entries()) {
    sums.add(each);
    if (index % 50 === 49) made(sums.fit());
  }
  made(sums.fit());
  const [lines] = made(sums.calls());
  const days = sumOfLines(made(sums.days())[0]);
  assert.deepEqual(sumOfLines(lines), days, 'lines and days come to the same');
  assert.equal(figureIn(days, 'cost'), calls.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n));
  return lines;
}

const rules = (changes: Partial<AllocationRules['rules'][number]>): AllocationRules => ({
  rules: [{ keys: null, projects: null, people: null, models: null, labels: null, target: { kind: 'team', team: 'a' }, ...changes }],
  rest: null, accounts: [], markup: 0n, currency: null,
});

test('with a label of its own on each call, a month has few lines, with all that rules and budgets ask for', () => {
  const calls = Array.from({ length: 3_000 }, (_, index) => call(index, [
    `trace-${index}`, `team:${index % 3}`, ...(index % 2 === 0 ? ['env:prod'] : []), ...(index % 500 === 0 ? ['rare'] : []),
    ...(index === 2_999 ? ['late'] : []),
  ]));
  const isAsked = labelsAskedBy([rules({ labels: ['rare', 'nothing*'] })], ['late']);
  const lines = sumsOf(calls, isAsked, 200);
  assert.ok(lines.length <= 200, `${lines.length} lines`);
  const labels = new Set(lines.flatMap((each) => each.labels));
  assert.deepEqual([...labels].toSorted(), [labelsLeftOut, 'env:prod', 'late', 'rare', 'team:0', 'team:1', 'team:2']);
  const costOf = (label: string): bigint =>
    lines.filter((each) => each.labels.includes(label)).reduce((sum, { figures }) => sum + figureIn(figures, 'cost'), 0n);
  for (const label of ['rare', 'late']) {
    assert.equal(costOf(label), calls.filter((each) => each.labels.includes(label)).reduce((sum, { cost }) => sum + (cost ?? 0n), 0n), label);
  }
  assert.ok(lines.every((each) => each.labels.every((label, index) => index === 0 || each.labels[index - 1]! < label)), 'each once, in order');
});

test('where sets of common labels are too many, fewer are kept, at last none but what is asked for', () => {
  const labelsOf = (index: number): string[] => Array.from({ length: 12 }, (_, bit) => `l${bit}:${(index >>> bit) & 1}`);
  const calls = Array.from({ length: 4_000 }, (_, index) => call(index, labelsOf(index)));
  const lines = sumsOf(calls, labelsAskedBy([rules({ target: { kind: 'label', prefix: 'l3:' } })], []), 50);
  assert.ok(lines.length <= 50, `${lines.length} lines`);
  assert.deepEqual(new Set(lines.flatMap((each) => each.labels.filter((label) => label.startsWith('l3:')))), new Set(['l3:0', 'l3:1']));
});

test('what every rule asks for stays, however many lines that makes, and a month within the bound is as it was', () => {
  const calls = Array.from({ length: 500 }, (_, index) => call(index, [`team:${index}`]));
  assert.deepEqual(sumsOf(calls, labelsAskedBy([rules({ target: { kind: 'label', prefix: '' } })], []), 50).length, 500);
  const lines = sumsOf(calls, () => false, 500);
  assert.deepEqual(lines.map(({ labels }) => labels[0]).toSorted(), calls.map(({ labels }) => labels[0]).toSorted());
});

test('leaving out and sorting take slices, by the number of lines', () => {
  const sums = new MonthSums(() => false, 10_000);
  for (let index = 0; index < 12_000; index += 1) sums.add(call(index, [`${(index * 7_919) % 12_000}`]));
  const [lines, sorting] = made(sums.calls());
  assert.ok(sorting >= 6, `${sorting} slices`);
  const names = lines.map(({ key, project, labels, model, wire }) => JSON.stringify([key, project, labels, model, wire]));
  assert.deepEqual(names, names.toSorted());
  const [, fitting] = made(sums.fit());
  assert.ok(fitting >= 6, `${fitting} slices`);
  const sum = noUsage();
  for (const { figures } of made(sums.calls())[0]) addUsage(sum, figures);
  assert.equal(figureIn(sum, 'calls'), 12_000n);
});
