/**
 * Seen call → event: each of the fifteen fields at, inside and outside its bounds (spec, Tap event; rules 27 and 30b).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenCall } from './seen-call.ts';
import { eventJson, keeps, tagRule } from './tap-event.ts';
import { cases, nowMs, seenCall, someUuid } from './test-support/seen-calls.ts';

const json = (seen: Partial<Record<keyof SeenCall, unknown>>): string | null =>
  eventJson({ ...seenCall, ...seen } as SeenCall, { tag: 'unit-7', nowMs, uuid: () => someUuid });

test('the event has exactly the fifteen fields, named, typed and ordered as published', () => {
  assert.deepEqual(Object.entries(JSON.parse(json({}) ?? '') as object), [
    ['schema', 'svc-tap-v1'], ['provider', 'openai'], ['model', 'gpt-5.1'], ['request_id', 'resp_1'], ['input_tokens', 12],
    ['output_tokens', 34], ['cached_tokens', 5], ['stop_reason', 'stop'], ['tool_calls', 2], ['status', 200], ['retries', 0],
    ['latency_ms', 1_235],
    ['rate_limit', { requests_limit: 100, requests_remaining: 99, tokens_limit: 1_000, tokens_remaining: null }],
    ['timestamp', '2026-11-21T10:20:30.456Z'], ['tag', 'unit-7'],
  ]);
});

for (const { field, accepted, refused } of cases) {
  test(`${field}: what the rule allows becomes an event, and nothing else does`, () => {
    for (const value of accepted) assert.notEqual(json({ [field]: value }), null, JSON.stringify(value));
    for (const value of refused) assert.equal(json({ [field]: value }), null, String(JSON.stringify(value)));
  });
}

test('an id that cannot be sent is replaced by a UUID', () => {
  for (const requestId of [null, undefined, '', 'a b', 'ä', 'a/b', 'x'.repeat(129), 'a\n', 7]) {
    assert.equal((JSON.parse(json({ request_id: requestId })!) as { request_id: string }).request_id, someUuid, String(requestId));
  }
  for (const requestId of ['a', 'x'.repeat(128), 'req_0.A:-']) {
    assert.equal((JSON.parse(json({ request_id: requestId })!) as { request_id: string }).request_id, requestId);
  }
});

test('a tag is 1 to 64 allowed characters', () => {
  for (const tag of ['a', 'x'.repeat(64), 'A-z_0.9:']) assert.equal(keeps(tag, tagRule), true, tag);
  for (const tag of ['', 'x'.repeat(65), 'a b', 'a/b', 'ä', 'a\n', '\u{1f600}', null, undefined, 7, ['a'], {}]) {
    assert.equal(keeps(tag, tagRule), false, String(tag));
  }
});

test('nothing else that a seen call holds gets into the event', () => {
  const text = json({ prompt: 'canary', headers: { authorization: 'canary' } } as Partial<Record<keyof SeenCall, unknown>>);
  assert.equal(text?.includes('canary'), false);
});
