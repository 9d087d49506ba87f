/** A run's story: everything that happened, once, in order, with sums that equal what was given. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstBudget, refusedNow, storyEntries, storyPoints, storySpan, timeOfStep, type Story } from '../src/shown/run-story.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 20, 12) + seconds * 1_000).toISOString();
const refusal = (seconds: number, code = 'budget_exceeded'): Story['refusals'][number] => ({
  id: `req_${seconds}`, answerId: `req_${seconds}`, key: 'key_1', run: 'r', code, scope: 'run', window: 'run', refusedAt: at(seconds),
});
const story: Story = {
  run: {
    id: 'r', state: 'over_budget', budget: '1.000000000', effective: '1.000000000', clampReason: null, spent: '1.100000000', unknownCalls: 0,
    unpricedCalls: 0, gapCalls: 0, startedAt: at(0), expiresAt: null, endedAt: at(41),
  },
  key: 'key_1', stepSeconds: 1, moreRefusals: false, recordsGoneBefore: null,
  steps: [[0, 2, '0.200000000', 0], [1, 1, '0.300000000', 1], [30, 1, '0.600000000', 0]]
    .map(([seconds, calls, cost, failedCalls]) => (
      { at: at(Number(seconds)), calls: Number(calls), cost: String(cost), failedCalls: Number(failedCalls) })),
  lastCallAt: at(30),
  lowerings: [{ at: at(10), from: '5.000000000', to: '1.000000000' }],
  refusals: [refusal(43), refusal(42), refusal(41), refusal(5, 'rate_limit_exceeded')],
};

test('what happened stands in order; calls between, and refusals for one reason, are one entry', () => {
  assert.deepEqual(storyEntries(story).map((entry) => entry.is), ['began', 'called', 'refused', 'lowered', 'called', 'ended', 'refused']
    .toSpliced(5, 2, 'refused', 'ended', 'refused'));
  const entries = storyEntries(story);
  assert.deepEqual(entries[0], { is: 'began', atMs: Date.parse(at(0)), budget: '5.000000000' });
  assert.equal(entries.reduce((sum, entry) => sum + (entry.is === 'called' ? entry.calls : 0), 0), 4);
  assert.equal(entries.reduce((sum, entry) => sum + (entry.is === 'refused' ? entry.times : 0), 0), 4);
  const first = entries[1]!;
  assert.ok(first.is === 'called' && first.calls === 3 && first.failedCalls === 1 && Math.abs(first.cost - 0.5) < 1e-9);
});

test('spend only grows, the budget only falls, and the last point is the sum of all steps', () => {
  const points = storyPoints(story);
  for (let each = 1; each < points.length; each += 1) {
    assert.ok(points[each]!.spent >= points[each - 1]!.spent && points[each]!.atMs >= points[each - 1]!.atMs);
    assert.ok(points[each]!.budget! <= points[each - 1]!.budget!);
  }
  assert.ok(Math.abs(points.at(-1)!.spent - 1.1) < 1e-9);
  assert.deepEqual([points[0]!.budget, points.at(-1)!.budget], [5, 1]);
});

test('a run without a budget has none until one is named', () => {
  const named = { ...story, lowerings: [{ at: at(10), from: null, to: '1.000000000' }] };
  assert.equal(firstBudget(named), null);
  assert.deepEqual(storyPoints(named).map(({ budget }) => budget), [null, null, null, 1, 1]);
});

test('an end that came a day after the last call does not squeeze the story to the edge', () => {
  const idle = { ...story, run: { ...story.run, state: 'closed' as const, endedAt: at(90_000) } };
  assert.equal(storySpan(idle, 0).toMs, Date.parse(at(43)));
  assert.equal(storySpan(story, 0).toMs, Date.parse(at(43)));
});

test('an ended run is refused for its end; a live one for its newest refusal, unless calls went through since', () => {
  assert.deepEqual(refusedNow(story), { code: 'budget_exceeded', scope: 'run', window: 'run' });
  const live = { ...story, run: { ...story.run, state: 'live' as const, endedAt: null } };
  assert.equal(refusedNow(live), story.refusals[0]);
  assert.equal(refusedNow({ ...live, refusals: story.refusals.slice(3) }), null, 'a limit a minute held it up, and it went on');
  assert.equal(refusedNow({ ...live, refusals: [] }), null);
  assert.equal(refusedNow({ ...story, run: { ...story.run, state: 'closed' }, refusals: [] })?.code, 'run_closed');
});

test('a run of less than a second ends after its calls, in the list and in the picture', () => {
  const short: Story = {
    ...story, run: { ...story.run, state: 'closed', startedAt: at(0.3), endedAt: at(0.9) },
    steps: [{ at: at(0), calls: 2, cost: '0.2', failedCalls: 0 }],
    lowerings: [], refusals: [], lastCallAt: at(0.5),
  };
  assert.deepEqual(storyEntries(short).map(({ is }) => is), ['began', 'called', 'ended']);
  const end = Date.parse(at(0.9));
  assert.ok(storyPoints(short).every(({ atMs }) => atMs <= end));
  const { fromMs, toMs } = timeOfStep(short.steps[0]!, short);
  assert.deepEqual([fromMs, toMs], [Date.parse(at(0.3)), end]);
  assert.ok((fromMs + toMs) / 2 < end, 'its bar is left of the end');
});
