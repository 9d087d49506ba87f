/** How refusals are shown to people. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalsText } from './refusals.ts';

test('one refusal is one refusal, and its last hour has the form of every other table', () => {
  const row = {
    key: 'key_1', code: 'rate_limit_exceeded', scope: null, window: null, refusals: 1, lastHour: '2026-11-22T10:00:00.000Z',
  } as Parameters<typeof refusalsText>[0][number];
  const text = refusalsText([row], 1, { names: new Map([['key_1', 'nightly']]), width: null });
  assert.match(text, / 1 {2}2026-11-22 10:00:00Z\nTogether 1 refusal\. /);
});
