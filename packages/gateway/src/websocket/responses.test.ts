/** A response that the provider begins by itself answers no request that it has not received yet: that one still leaves and has its own answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untoldEvent, type ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import { RealtimeResponses } from './realtime-responses.ts';
import type { ResponseCall } from './response-call.ts';
import { doubtedMs, Responses, type ResponsesUnderWay } from './responses.ts';

/** What is asked for, without the call that it is. */
const request = (): ResponseCall => ({
  streamId: null, previousResponseId: null, eventId: null, responseId: null, hasLeft: false, isSettling: false,
} as Partial<ResponseCall> as ResponseCall);
const created = (responseId: string): ServerEvent => ({ ...untoldEvent, responseId, mayBegin: true });
const failed: ServerEvent = { ...untoldEvent, kind: 'error' };

const both: readonly (readonly [string, () => ResponsesUnderWay])[] = [
  ['Responses', () => new Responses()], ['Realtime', () => new RealtimeResponses()],
];
for (const [api, make] of both) {
  test(`a request that is still being journalled is answered by nothing (${api})`, () => {
    const responses = make();
    const asked = request();
    responses.asked(asked);
    assert.equal(responses.of(created('resp_own')), 'begun');
    assert.equal(responses.of(failed), null);
    assert.deepEqual([responses.size, asked.responseId], [1, null]);
    asked.hasLeft = true;
    assert.equal(responses.of(created('resp_asked')), asked);
    assert.deepEqual([responses.size, asked.responseId], [1, 'resp_asked']);
  });

  test(`the oldest request that has left is answered first (${api})`, () => {
    const responses = make();
    const [waits, older, newer] = [request(), request(), request()];
    for (const each of [waits, older, newer]) responses.asked(each);
    older.hasLeft = newer.hasLeft = true;
    assert.equal(responses.of(created('resp_1')), older);
    assert.equal(responses.of(failed), newer);
  });
}

test('an error is of a message that asked for no response, as long as there is one; a further one is of the response', () => {
  const responses = new Responses();
  const asked = request();
  responses.said();
  responses.asked(asked);
  asked.hasLeft = true;
  responses.of(created('resp_1'));
  responses.said();
  responses.said();
  const silentAfter = (nowMs: number): boolean => {
    responses.doubtedAt(nowMs);
    return responses.doubtedAt(nowMs + doubtedMs).includes(asked);
  };
  for (const [error, isDoubted] of [[1, false], [2, false], [3, true]] as const) {
    responses.of(failed);
    assert.equal(silentAfter(error * 100_000), isDoubted, `error ${error}`);
  }
  responses.of({ ...untoldEvent, responseId: 'resp_1' });
  assert.equal(silentAfter(900_000), false);
});

test('a doubted response that the next one cut is begun once more by an event of it, also while its record is being written', () => {
  const responses = new Responses();
  const [first, second, later] = [request(), request(), request()];
  const cut: ResponseCall[] = [];
  for (const each of [first, second]) {
    Object.assign(each, { hasLeft: true, settle: () => { cut.push(each); } });
  }
  responses.asked(first);
  responses.of(created('resp_1'));
  responses.of(failed);
  responses.asked(second);
  responses.of(created('resp_2'));
  assert.deepEqual(cut, [first]);
  assert.equal(responses.of({ ...untoldEvent, responseId: 'resp_1' }), 'begun');
  responses.begun(later, 'resp_1');
  assert.deepEqual(cut, [first], 'once');
  responses.ended(first);
  assert.equal(responses.of({ ...untoldEvent, responseId: 'resp_1' }), later);
  responses.ended(later);
  assert.equal(responses.of({ ...untoldEvent, responseId: 'resp_1' }), null);
  assert.equal(responses.of({ ...untoldEvent, responseId: 'resp_2' }), second);
});
