/** A node reports what it cannot do, once when that begins and once when it ends: a full disk, and a store that is away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalCondition } from '@metergate/store/journal/journal.ts';
import { createConditionWatch } from './condition.ts';

function watching() {
  const state = { nowMs: 0, answeredMs: 0, refused: 0, fault: null as Error | null, probes: 0 };
  const journal: JournalCondition = {
    get fault() { return state.fault; },
    probe() { state.probes += 1; },
  };
  const look = createConditionWatch({
    journal, monotonicMs: () => state.nowMs, leasesAnsweredMs: () => state.answeredMs, unverified: () => state.refused,
  });
  return { state, look };
}

test('a journal that cannot be written is reported with its reason, and tried again at every check', () => {
  const { state, look } = watching();
  assert.equal(look(), null);
  state.fault = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  assert.deepEqual(look(), { journal: 'the disk is full', unconfirmed: false });
  assert.equal(look(), null);
  state.fault = null;
  assert.deepEqual(look(), { journal: null, unconfirmed: false });
  assert.equal(state.probes, 4);
});

test('a store that is away is reported once a call was refused for it, until the store answers again, whoever calls meanwhile', () => {
  const { state, look } = watching();
  state.refused = 3;
  assert.equal(look(), null, 'refusals while the store is heard say nothing of the node');
  state.nowMs = 5_000;
  assert.equal(look(), null, 'without a refusal it serves what it holds');
  state.refused = 4;
  assert.deepEqual(look(), { journal: null, unconfirmed: true });
  state.nowMs = 600_000;
  assert.equal(look(), null);
  state.answeredMs = 599_900;
  assert.deepEqual(look(), { journal: null, unconfirmed: false });
  state.answeredMs = state.nowMs = 700_000;
  assert.equal(look(), null);
});
