/** How long the steps of a run's story are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storyStepMs, storyStepsMax } from './run-story.ts';

test('a story has few steps, whatever the length of its run', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 8_640_000_000_000_000 }), (lengthMs) => {
    const stepMs = storyStepMs(lengthMs);
    assert.ok(Math.floor(lengthMs / stepMs) <= storyStepsMax, `${lengthMs} / ${stepMs}`);
    assert.equal(stepMs % 1_000, 0);
  }));
});

test('a step is a length that people know', () => {
  assert.deepEqual([0, 60_000, 900_000, 86_400_000].map(storyStepMs), [1_000, 1_000, 5_000, 600_000]);
});
