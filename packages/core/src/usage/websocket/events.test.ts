/** What messages of the Responses connection begin, and of which response they are, in every spelling. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { CallerEvents } from './caller-event.ts';
import { socketKindOf } from '../socket-kind.ts';
import type { Wire } from '../../wire/wire.ts';
import { ServerEvents, untoldEvent } from './server-event.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

suite('what a caller\'s message may begin', () => {
  const events = new CallerEvents();
  const begins = (text: string): string => events.read(bytes(text)).begins;
  const cases: readonly (readonly [name: string, text: string, begins: string])[] = [
    ['a create', '{"type":"response.create","model":"m"}', 'response'],
    ['a create whose type stands last', '{"model":"m","input":[{"type":"message"}],"type":"response.create"}', 'response'],
    ['a create written with escapes', '{"t\\u0079pe":"response\\u002ecreate"}', 'response'],
    ['a type that comes twice, the create first', '{"type":"response.create","type":"ping"}', 'response'],
    ['a type that comes twice, the create last', '{"type":"ping","type":"response.create"}', 'response'],
    ['a type that comes twice, the steer last', '{"type":"response.create","type":"response.steer"}', 'response'],
    ['another case of the name', '{"Type":"response.create"}', 'response'],
    ['another case of the name beside the plain one', '{"type":"response.steer","TYPE":"response.create"}', 'response'],
    ['no type', '{"model":"m"}', 'response'],
    ['a type that is no text', '{"type":["response.create"]}', 'response'],
    ['a type that is a number after one that is text', '{"type":"ping","type":7}', 'response'],
    ['a type that is an object after one that is text', '{"type":"ping","type":{}}', 'response'],
    ['a type that comes twice, harmless each time', '{"type":"ping","type":"ping"}', 'response'],
    ['another case of the value', '{"type":"Response.Create"}', 'response'],
    ['white space around the value', '{"type":" response.create\\n"}', 'response'],
    ['a NUL behind the value', '{"type":"response.create\\u0000"}', 'response'],
    ['another case of a steer', '{"type":"RESPONSE.STEER"}', 'successor'],
    ['a type too long to keep', `{"type":"${'x'.repeat(5_000)}"}`, 'response'],
    ['no object', '["response.create"]', 'response'],
    ['no JSON', '{"type":"ping",}', 'response'],
    ['a byte order mark', '\uFEFF{"type":"ping"}', 'response'],
    ['nothing', '', 'response'],
    ['a steer', '{"type":"response.steer","previous_response_id":"resp_1","input":"say response.create"}', 'successor'],
    ['another event', '{"type":"response.cancel"}', 'nothing'],
    ['a type inside, of something else', '{"type":"ping","inner":{"type":"response.create","Type":1}}', 'nothing'],
  ];
  for (const [name, text, expected] of cases) test(name, () => assert.equal(begins(text), expected));

  test('the lane and the parent are read, and forgotten with the next message', () => {
    assert.deepEqual(events.read(bytes('{"type":"response.create","stream_id":"a","previous_response_id":"r"}')),
      { begins: 'response', streamId: 'a', previousResponseId: 'r', model: null, eventId: null, asksLater: 'no' });
    assert.deepEqual(events.read(bytes('{"type":"ping"}')),
      { begins: 'nothing', streamId: null, previousResponseId: null, model: null, eventId: null, asksLater: 'no' });
  });
});

suite('what a provider\'s message is of', () => {
  const events = new ServerEvents();
  const read = (value: unknown) => events.read(bytes(JSON.stringify(value)));

  test('an end is one of its response, whatever stands before it', () => {
    const event = read({ response: { output: [{ id: 'x' }], id: 'r1', previous_response_id: 'r0' }, stream_id: 'a', type: 'response.completed' });
    assert.deepEqual(event, { ...untoldEvent, kind: 'ends', streamId: 'a', responseId: 'r1', previousResponseId: 'r0', mayBegin: true, tells: true });
  });

  test('an error has its status, and says whether it is of a stream', () => {
    assert.deepEqual([read({ type: 'error', status: 429 }).status, read({ type: 'error', status: 42 }).status, read({ type: 'error' }).status],
      [429, null, null]);
    assert.deepEqual([read({ type: 'error', status: 429 }).isOfStream, read({ type: 'error', sequence_number: 4 }).isOfStream], [false, true]);
  });

  test('a message that is not JSON belongs to no response', () => {
    assert.equal(events.read(bytes('{"type":"response.completed"')).kind, 'other');
  });
});

test('a path says which API is spoken, in any spelling and behind any prefix; all others are not read', () => {
  const kinds = (wire: Wire, ...paths: readonly string[]) => paths.map((path) => socketKindOf({ wire, path }));
  assert.deepEqual(kinds('openai', '/v1/responses', '/v1/realtime', '/v1/re%61ltime', '/v1/live/sessions', '/v1/live/sessions/sess_1/fork'),
    ['responses', 'realtime', 'realtime', 'live', 'live']);
  assert.deepEqual(kinds('upstream', '/upstream/v1/responses', '/upstream/v1/openai/realtime'), ['responses', 'realtime']);
  assert.deepEqual(kinds('openai', '/v1/realtime/translations', '/v1/realtimes', '/v1/chat/completions'), ['unread', 'unread', 'unread']);
  assert.deepEqual(kinds('anthropic', '/alt/v1/realtime', '/alt/v1/responses'), ['unread', 'unread']);
});
