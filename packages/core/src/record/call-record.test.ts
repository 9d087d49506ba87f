/** The record of a call that a dead process left open: what could have been due of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interruptedRecord, type CallOpening } from './call-record.ts';

const opening = {
  wire: 'openai', endpoint: 'other', method: 'GET', path: '/v1/responses', transport: 'websocket', connection: null,
} as CallOpening;

test('usage is unknown only where an answer could have reported it', () => {
  const cases: [Partial<CallOpening>, 'none' | 'unknown'][] = [
    [{}, 'none'], [{ path: '/v1/realtime' }, 'none'], [{ wire: 'upstream', path: '/upstream/v1/responses' }, 'none'],
    [{ path: '/v1/live/sessions' }, 'unknown'], [{ path: '/v1/other' }, 'unknown'], [{ wire: 'anthropic', path: '/alt/v1/x' }, 'unknown'],
    [{ method: 'POST', connection: 'req_1' as CallOpening['id'] }, 'unknown'],
    [{ transport: 'http', method: 'POST', path: '/v1/files' }, 'unknown'], [{ transport: 'http', path: '/v1/models' }, 'none'],
  ];
  for (const [more, usage] of cases) {
    const record = interruptedRecord({ ...opening, ...more });
    assert.deepEqual([record.outcome, record.usage, record.usageReason, record.cost],
      ['interrupted', usage, usage === 'none' ? null : 'interrupted', null], JSON.stringify(more));
  }
});
