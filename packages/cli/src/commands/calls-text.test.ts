/** Calls fit 120 columns with usual values, and what is not known is shown as such and counted with its reason. Rules: Record; rules: Interfaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { callsText } from './calls-text.ts';

const reported = {
  id: `req_${'0123456789abcdef'.repeat(2)}`, key: 'key_Q7aaaaaaaaaaaaaaaaaa', run: null, labels: [], project: null,
  endpoint: 'chat.completions', startedAt: '2026-11-21T15:23:47.123Z',
  status: 200, outcome: 'completed', model: 'gpt-4o-mini-2024-07-18', inputTokens: 12_000, outputTokens: 1_800, cachedTokens: 1_024,
  usage: 'reported', usageReason: null, cost: '0.012345600', costGaps: [], costSource: 'priced', kind: 'call', settledBy: null,
} as unknown as CallRecordJson;
const text = (...changes: Partial<CallRecordJson>[]): string => callsText(changes.map((change) => ({ ...reported, ...change })));
const none = { inputTokens: null, outputTokens: null, cachedTokens: null, cost: null };
const unknown = { ...none, usage: 'unknown', usageReason: 'absent', costSource: 'none' } as const;

test('usual calls fit 120 columns and end with the whole id', () => {
  const calls = [{}, { endpoint: 'messages', model: 'claude-sonnet-4-5-20250929' }, { ...unknown, endpoint: 'responses' }] as const;
  const lines = callsText(calls.map((change) => ({ ...reported, ...change })), { width: 120 }).split('\n');
  assert.ok(lines.every((line) => line.length <= 120), lines.join('\n'));
  assert.ok(lines.slice(1, 4).every((line) => line.endsWith(reported.id)));
  assert.match(lines[1]!, /^2026-11-21 15:23:47Z chat /);
});

test('at any width figures and ids are whole; dispensable columns are left out, and words are shortened', () => {
  const calls = Array.from({ length: 3 }, () => ({ ...reported, project: 'a-project-with-a-long-name', run: 'run-1', labels: ['one', 'two'] }));
  const at = (width: number | null): string[] => callsText(calls, { width, names: new Map([[reported.key, 'search-bot']]) }).split('\n');
  assert.ok(['KEY', 'PROJECT', 'RUN', 'LABELS'].every((head) => at(null)[0]!.includes(head)));
  assert.match(at(null)[1]!, / search-bot +a-project-with-a-long-name +run-1 +one,two +req_/);
  for (const width of [200, 160, 120, 100, 80]) {
    const lines = at(width);
    assert.ok(lines.every((line) => line.length <= width), `${width}\n${lines.join('\n')}`);
    assert.ok(lines.slice(1).every((line) => line.includes('0.0123456') && line.endsWith(reported.id)), lines.join('\n'));
  }
});

test('columns for projects and cached tokens are shown if a call has one', () => {
  assert.doesNotMatch(text({ cachedTokens: 0 }), /PROJECT|CACHED/);
  assert.match(text({ cachedTokens: 0 }, { project: 'search' }), /OUT +COST USD +KEY +PROJECT +ID/);
  assert.match(text({}), /IN +CACHED +OUT/);
});

test('a cost has at least six places and none is lost', () => {
  const costs = ['0.012345600', '0.000105000', '2.000000000', '0.000000001', '10.123456780'];
  const shown = costs.map((cost) => /1800 +([\d.]+) /.exec(text({ cost }))?.[1]);
  assert.deepEqual(shown, ['0.0123456', '0.000105', '2.000000', '0.000000001', '10.12345678']);
});

test('a cost with a gap is marked as a minimum, and the gap is named', () => {
  const shown = text({ cost: '0.100000000', costGaps: ['web_search'] }, { cost: '0.200000000', costGaps: ['audio', 'web_search'] }, {});
  assert.match(shown, / 0\.100000\+ +key_\S+ +req_/);
  assert.match(shown, /\nCost incomplete \(\+\): 2 calls\. Reported and not in it: audio tokens, web searches\.$/);
});

test('unknown usage shows ? for tokens and cost, and is counted with its reasons', () => {
  const shown = text(unknown, { ...unknown, usageReason: 'cut', outcome: 'cut' }, unknown, {});
  assert.match(shown, / 200 +gpt\S+ +\? +- +\? +\? +key_\S+ +req_/);
  assert.match(shown, / 200 cut +gpt/);
  assert.match(shown, /\nUsage unknown \(\?\): 3 calls\. Why: not reported by the provider \(2\), response cut short \(1\)\.$/);
});

test('partial usage is marked as the least it can be, an unpriced call is named with its model', () => {
  const partial = text({ usage: 'partial', usageReason: 'caller_gone', outcome: 'caller_gone', outputTokens: 3 });
  assert.match(partial, / 200 caller_gone .* 3\+ /);
  assert.match(partial, /\nUsage partial \(\+\): 1 call, at least the tokens shown\. Why: caller gone\.$/);
  const unpriced = text({ cost: null, costSource: 'unpriced', model: 'mystery' }, {});
  assert.match(unpriced, / unpriced +key_\S+ +req_/);
  assert.match(unpriced, /\nUnpriced: 1 call\. No price is known for mystery\.$/);
});

test('a call that reports no usage is not counted as unknown', () => {
  assert.match(text({ ...none, usage: 'none', costSource: 'none' }), / - +- +- +key_\S+ +req_\w+$/);
});

test('a settled call no longer counts as unknown, and its settlement is named as one', () => {
  const lines = text({ ...unknown, settledBy: 'req_0' as CallRecordJson['settledBy'] }, { kind: 'settlement', endpoint: 'other' });
  assert.match(lines, / settled /);
  assert.match(lines, / settlement /);
  assert.doesNotMatch(lines, /Usage unknown/);
});
