/** When a request of which nothing comes is given up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterSilence, type Silence } from '../src/api/patience.ts';

const read: Silence = { isRead: true, silentMs: 0, away: false, overtaken: false };
const change: Silence = { ...read, isRead: false };

test('a platform that computes for long is asked whether it is there, and waited for', () => {
  assert.equal(afterSilence({ ...read, silentMs: 9_999 }), 'wait');
  assert.equal(afterSilence({ ...read, silentMs: 10_000 }), 'ask');
  assert.equal(afterSilence({ ...change, silentMs: 10_000 }), 'ask');
  assert.equal(afterSilence({ ...read, silentMs: 119_999 }), 'ask');
});

test('nothing waits for ever', () => {
  for (const each of [read, change]) assert.equal(afterSilence({ ...each, silentMs: 120_000 }), 'give up');
});

test('while the platform is away a reading is given up, so that the page says so, and a change is waited for', () => {
  assert.equal(afterSilence({ ...read, silentMs: 10_000, away: true }), 'give up');
  assert.equal(afterSilence({ ...change, silentMs: 10_000, away: true }), 'ask');
  assert.equal(afterSilence({ ...read, silentMs: 9_999, away: true }), 'wait');
});

test('once the platform is back a reading is given up at once, and a change when it could have been answered', () => {
  assert.equal(afterSilence({ ...read, overtaken: true }), 'give up');
  assert.equal(afterSilence({ ...change, overtaken: true }), 'wait');
  assert.equal(afterSilence({ ...change, silentMs: 10_000, overtaken: true }), 'give up');
});
