/**
 * The tap and the server agree on the field rules: what the tap would send is accepted, and what the server would refuse is not sent.
 * Each case goes through the tap's own event and, as plain JSON, through the server's rules. Spec: Tap event; rule 27.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { anyCharacter } from '@metergate/core/json/test-support/any-character.ts';
import { readTapBatch } from '@metergate/core/tap/batch.ts';
import { eventJson } from '@metergate/tap/src/tap-event.ts';
import { readHead } from '@metergate/tap/src/observe/response-head.ts';
import type { SeenFigures, SeenCall } from '@metergate/tap/src/seen-call.ts';
import { cases, nowMs, seenCall, someUuid } from '@metergate/tap/src/test-support/seen-calls.ts';

const context = { tag: 'unit-7', nowMs, uuid: () => someUuid };
const taken = (events: string): boolean => 'events' in readTapBatch(new TextEncoder().encode(`{"events":[${events}]}`), nowMs);
const valid = JSON.parse(eventJson(seenCall, context)!) as Record<string, unknown>;

for (const { field, accepted, refused } of cases) {
  test(`${field}: the same verdict on both sides`, () => {
    for (const value of accepted) {
      const event = eventJson({ ...seenCall, [field]: value } as SeenCall, context);
      assert.equal(event !== null && taken(event), true, `accepted: ${JSON.stringify(value)}`);
    }
    // The server allows `cached_tokens` to be left out; the tap always sends it.
    for (const value of refused.filter((each) => each !== undefined || field !== 'cached_tokens')) {
      const event = JSON.stringify({ ...valid, [field]: value });
      assert.equal(taken(event), false, `the server takes ${JSON.stringify(value)}`);
      assert.equal(eventJson({ ...seenCall, [field]: value } as SeenCall, context), null, `the tap sends ${JSON.stringify(value)}`);
    }
  });
}

test('whatever an observer saw, the server accepts the event that the tap makes from it', () => {
  const figure = fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double(), fc.constantFrom(599, 10_000, 3_600_000, 1_000_000_000, 1_000_000_001));
  const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 140 }), fc.stringMatching(/^[\w.:/-]{0,130}$/), fc.constant(null));
  /** Mostly right, because one field that is not makes no event. */
  const mostly = <Value>(right: fc.Arbitrary<Value>, any: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
    fc.oneof({ arbitrary: right, weight: 12 }, { arbitrary: any, weight: 1 });
  const count = mostly(fc.constantFrom(0, 3, 10_000), figure);
  const name = mostly(fc.stringMatching(/^[\w.:/-]{1,128}$/), text);
  const seen = fc.record({
    provider: fc.constantFrom('openai', 'other'), model: name, request_id: name, input_tokens: count, output_tokens: count, cached_tokens: count,
    stop_reason: fc.constantFrom('stop', 'error'), tool_calls: count, status: mostly(fc.constantFrom(100, 200, 429), figure), latency_ms: count,
  });
  const headers = fc.dictionary(fc.constantFrom('x-ratelimit-limit-requests', 'x-ratelimit-remaining-tokens', 'x-request-id'), fc.oneof(
    figure.map(String), text.map(String), fc.constantFrom(' 7 ', '1e3', '1000000001', '-0')));
  let sent = 0;
  fc.assert(fc.property(seen, headers, (call, told) => {
    const figures = { ...call, rate_limit: null } as SeenFigures;
    readHead({ headers: told }, figures);
    const event = eventJson(figures, context);
    if (event === null) return true;
    sent += 1;
    return taken(event);
  }), { numRuns: draws(4_000) });
  assert.ok(sent > 400 && sent < draws(3_600), `${sent} events were made`);
});

test('a batch of the 100 largest possible events is far below the largest body', () => {
  const limits = { requests_limit: 1e9, requests_remaining: 1e9, tokens_limit: 1e9, tokens_remaining: 1e9 };
  const event = eventJson({
    provider: 'anthropic', model: 'm'.repeat(128), request_id: 'r'.repeat(128), input_tokens: 1e9, output_tokens: 1e9, cached_tokens: 1e9,
    stop_reason: 'content_filter', tool_calls: 10_000, status: 599, latency_ms: 3_600_000, rate_limit: limits,
  }, { ...context, tag: 't'.repeat(64) })!;
  assert.ok(taken(Array.from({ length: 100 }, () => event).join(',')));
});
