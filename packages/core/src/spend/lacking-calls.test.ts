/** Which calls count as unknown, unpriced or with a gap, and that each is counted once in each of its counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costSources } from '../record/call-record.ts';
import { lackingCountNames, lackingCounts, noLackingCalls, withLackingCall, type LackingRecord } from './lacking-calls.ts';

const whole: LackingRecord = { usage: 'reported', costSource: 'priced', costGaps: [] };

describe('calls whose cost is not known', () => {
  it('usage that did not come, or came in part, is unknown', () => {
    const unknown = (['reported', 'partial', 'unknown', 'none'] as const).map((usage) => lackingCounts.unknownCalls({ ...whole, usage }));
    assert.deepEqual(unknown, [false, true, true, false]);
  });

  it('of the sources of a cost, only unpriced has no price', () => {
    assert.deepEqual(costSources.filter((costSource) => lackingCounts.unpricedCalls({ ...whole, costSource })), ['unpriced']);
  });

  it('a call adds one to each count that it is in, and a whole cost adds nothing', () => {
    assert.deepEqual(withLackingCall(noLackingCalls, whole), noLackingCalls);
    const partly = withLackingCall(noLackingCalls, { usage: 'partial', costSource: 'unpriced', costGaps: [] });
    assert.deepEqual(partly, { unknownCalls: 1, unpricedCalls: 1, gapCalls: 0 });
    assert.deepEqual(withLackingCall(partly, { ...whole, costGaps: ['audio', 'region'] }), { unknownCalls: 1, unpricedCalls: 1, gapCalls: 1 });
  });

  it('every count is in the empty sum', () => {
    assert.deepEqual(Object.keys(noLackingCalls), lackingCountNames);
  });
});
