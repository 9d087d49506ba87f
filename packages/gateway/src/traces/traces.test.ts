/** Whose trace a call belongs to, which calls are traced, and that only figures and ids are sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIdFrom } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { CallTraces, type SpanFacts } from './call-traces.ts';
import { connectionSpanOf } from './connection-span.ts';
import { isSampled } from './sampler.ts';
import { traceParentOf } from './trace-parent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const parent = (flags: string) => traceParentOf(['TraceParent', `00-${traceId}-${spanId}-${flags}`]);

test('a traceparent is read only in its exact form: also a later version with additions, never two, never zeros', () => {
  assert.deepEqual(parent('01'), { traceId, spanId, sampled: true });
  assert.equal(parent('00')?.sampled, false);
  assert.ok(traceParentOf(['traceparent', `01-${traceId}-${spanId}-01-more`]));
  const bad = [
    `00-${traceId}-${spanId}-01-more`, `ff-${traceId}-${spanId}-01`, `00-${traceId.toUpperCase()}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`, `00-${traceId}-${spanId}`, '', 'x'.repeat(10_000),
  ];
  for (const value of bad) assert.equal(traceParentOf(['traceparent', value]), null, value.slice(0, 80));
  const two = [1, 2].flatMap(() => ['traceparent', `00-${traceId}-${spanId}-01`]);
  assert.deepEqual([traceParentOf(two), traceParentOf([])], [null, null]);
});

test('a caller decides for its own trace by default; a share applies to calls without a trace, alike for all calls of a trace', () => {
  const half = { byParent: true, ratio: 0.5 };
  assert.deepEqual([isSampled(half, parent('01'), () => 0.9), isSampled(half, parent('00'), () => 0.1)], [true, false]);
  assert.deepEqual([isSampled(half, null, () => 0.49), isSampled(half, null, () => 0.5)], [true, false]);
  const own = { byParent: false, ratio: 0.5 };
  const ids = Array.from({ length: 1_000 }, (_, at) => ({ traceId: traceId.slice(0, 19) + (at * 4_503_599_627_370).toString(16).padStart(13, '0') }));
  const taken = ids.filter(({ traceId: id }) => isSampled(own, { traceId: id, spanId, sampled: false }, () => assert.fail('no chance is asked')));
  assert.ok(Math.abs(taken.length - 500) <= 1, String(taken.length));
});

test('spans leave together, and carry nothing that a caller wrote but its trace', () => {
  const posted: (readonly SpanFacts[])[] = [];
  const later: (() => void)[] = [];
  const traces = new CallTraces({
    sampling: { byParent: true, ratio: 1 }, post: (spans) => posted.push(spans), later: (flush) => later.push(flush),
  });
  const record = { id: 'req_1', path: '/v1/secret', labels: ['secret'], project: 'secret', run: 'secret', status: 200 } as unknown as CallRecord;
  traces.ended(record, null);
  traces.ended(record, parent('00'));
  traces.ended(record, parent('01'));
  assert.deepEqual([posted.length, later.length], [0, 1]);
  later[0]!();
  assert.deepEqual(posted[0]?.map(({ parent: under }) => under?.spanId), [undefined, spanId]);
  assert.doesNotMatch(JSON.stringify(posted), /secret/);
});

test('a connection and its responses have one trace, are sampled alike, and each response hangs under the connection', () => {
  const posted: SpanFacts[] = [];
  const traces = new CallTraces({
    sampling: { byParent: true, ratio: 0.5 }, post: (spans) => posted.push(...spans), chance: () => assert.fail('no chance is asked'),
  });
  const calls = Array.from({ length: 400 }, (_, at) => {
    const id = requestIdFrom(`${(at * 11_258_999_068_426).toString(16).padStart(24, '7')}0000abcd`);
    const response = { id: requestIdFrom('f'.repeat(32)), transport: 'websocket', connection: id };
    return [{ id, transport: 'websocket', connection: null }, response, response] as unknown as CallRecord[];
  });
  for (const each of calls) for (const record of each) traces.ended(record, null);
  traces.flush();
  const ids = posted.map((facts) => connectionSpanOf(facts)!);
  assert.ok(ids.length > 300 && ids.length < 900 && ids.length % 3 === 0, String(ids.length));
  for (let at = 0; at < ids.length; at += 3) {
    assert.deepEqual(ids.slice(at, at + 3).map(({ isOwn }) => isOwn), [true, false, false]);
    assert.equal(new Set(ids.slice(at, at + 3).map((one) => one.traceId + one.spanId)).size, 1);
    assert.match(ids[at]!.traceId, /^0000abcd[0-9a-f]{24}$/);
  }
});
