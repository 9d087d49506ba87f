/**
 * Heads of responses in the forms that SDKs show them. Rule 30b: a rate-limit header that is not a number is null.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from './response-head.ts';
import type { SeenFigures } from '../seen-call.ts';

function read(...holders: unknown[]): SeenFigures {
  const figures: SeenFigures = {
    provider: 'other', model: null, request_id: null, input_tokens: 0, output_tokens: 0, cached_tokens: 0,
    stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
  };
  for (const holder of holders) readHead(holder, figures);
  return figures;
}

const limits = (header: unknown): unknown =>
  read({ headers: { 'x-ratelimit-limit-requests': '7', 'x-ratelimit-remaining-tokens': header } }).rate_limit;

test('headers are read alike as Headers and as a plain object', () => {
  const headers = { 'x-request-id': 'req_1', 'anthropic-ratelimit-tokens-limit': '40000', 'x-ratelimit-remaining-requests': '0' };
  const expected = { requests_limit: null, requests_remaining: 0, tokens_limit: 40_000, tokens_remaining: null };
  for (const shown of [headers, new Headers(headers)]) {
    const { request_id, rate_limit } = read({ headers: shown });
    assert.deepEqual({ request_id, rate_limit }, { request_id: 'req_1', rate_limit: expected });
  }
  assert.deepEqual(read({ responseHeaders: headers }).rate_limit, expected);
});

test('a rate-limit figure that an event cannot hold is null, and the others are kept', () => {
  for (const value of ['-1', '0.5', '1000000001', '1e3', 'plenty', '', ' ', 'NaN', null, undefined, {}]) {
    assert.deepEqual(limits(value), { requests_limit: 7, requests_remaining: null, tokens_limit: null, tokens_remaining: null }, String(value));
  }
  for (const [value, figure] of [['0', 0], [' 12 ', 12], ['1000000000', 1_000_000_000]] as const) {
    assert.deepEqual(limits(value), { requests_limit: 7, requests_remaining: null, tokens_limit: null, tokens_remaining: figure });
  }
});

test('without a rate-limit header there are no limits', () => {
  for (const holder of [{ headers: { 'content-type': 'x' } }, { headers: new Headers() }, {}, null, undefined, 7, 'x']) {
    assert.equal(read(holder).rate_limit, null);
  }
});

test('only a valid status is taken; the first request id is kept', () => {
  for (const status of [100, 404, 599]) assert.equal(read({ status }).status, status);
  for (const status of [99, 600, 0, -1, 404.5, 'completed', null, Number.NaN]) assert.equal(read({ status }).status, 200, String(status));
  assert.equal(read({ status: 'failed', statusCode: 429 }).status, 429);
  assert.equal(read({ headers: { 'request-id': 'first' } }, { headers: { 'request-id': 'second' } }).request_id, 'first');
});

test('headers that throw do not reach the host', () => {
  const hostile = { status: 500, headers: { get 'x-request-id'(): string { throw new Error('mine'); } } };
  assert.equal(read(hostile).request_id, null);
  assert.equal(read(hostile).status, 500);
});
