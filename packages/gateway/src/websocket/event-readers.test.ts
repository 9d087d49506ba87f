/** Messages that are like one before them, beside a reader that reads every one: both find the same in it. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { AlikeMessages, type MessageLearner, type RepeatableReader } from '@metergate/core/usage/websocket/alike-messages.ts';
import type { CallerEvent } from '@metergate/core/usage/websocket/caller-event.ts';
import { realtimeCallerLearner, RealtimeCallerEvents } from '@metergate/core/usage/websocket/realtime-caller-event.ts';
import { realtimeServerLearner, RealtimeServerEvents } from '@metergate/core/usage/websocket/realtime-server-event.ts';
import type { SessionModels } from '@metergate/core/usage/websocket/session-models.ts';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { AlikeReader, type EventReader } from './event-readers.ts';

const none: SessionModels = { response: null, transcription: null };
const sound = 'UklGRiQA'.repeat(40);
const own = '"event_id":"event_1"';
const callerTexts = [
  `{"type":"input_audio_buffer.append","audio":"${sound}"}`, `{${own},"type":"input_audio_buffer.append","audio":"${sound}"}`,
  `{"audio":"${sound}","type":"input_audio_buffer.append", ${own}}`, `{"type":"response.create","response":{"instructions":"${sound}"}}`,
  `{"type":"session.update","session":{"model":"gpt-realtime","instructions":"${sound}"}}`, '{"type":"input_audio_buffer.commit"}',
  `{"type":"conversation.item.create","item":{"type":"message","content":[{"type":"input_audio","audio":"${sound}"}]}}`,
  `{"type":"response.cancel","note":"${sound}"}`, `["input_audio_buffer.append","${sound}"]`, `{"audio":"${sound}"`, `"${sound}"`,
];
const ofResponse = '"response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0';
const serverTexts = [
  `{"type":"response.output_audio.delta",${own},${ofResponse},"delta":"${sound}"}`,
  `{${own},"type":"response.done","response":{"id":"resp_1","note":"${sound}"}}`,
  `{"type":"response.output_audio_transcript.delta",${own},${ofResponse},"delta":"${sound}"}`,
  `{"type":"conversation.item.input_audio_transcription.completed","item_id":"item_1","content_index":0,"transcript":"${sound}"}`,
  `{"type":"session.updated","session":{"model":"gpt-realtime","instructions":"${sound}"}}`, `{"type":"error","error":{${own},"message":"${sound}"}}`,
  `{"type":"response.event","event":{"type":"response.done","response":{"id":"resp_1"}},"note":"${sound}"}`,
  '{"type":"response.created","response":{"id":"resp_2"}}',
  `{"type":"session.usage","usage":{"seconds":1},"note":"${sound}"}`, `{"type":"conversation.item.added","item":{"id":"item_1"},"note":"${sound}"}`,
  `{"type":"output_audio_buffer.started","response_id":"resp_1","note":"${sound}"}`, `{"delta":"${sound}"`,
];
const words = [
  'input_audio_buffer.append', 'response.create', ' response.Create', 'response.cancel', 'response.output_audio.delta', 'response.done',
  'session.update', 'resp_1', 'resp_2', 'event_2', 'evt', 'message', 'function_call', 'x\\u0000', '\\u0074ype', 'é', '', '\\x', 'gpt-realtime-2',
];

/** Another text at one of the places of texts and of names, a further member, one byte, another number, or nothing changed. */
const change = fc.oneof(
  { weight: 4, arbitrary: fc.constant((text: string) => text) },
  { weight: 4, arbitrary: fc.tuple(fc.nat(), fc.constantFrom(...words)).map(
    ([at, word]) => (text: string) => changed(text, /"[^"]*"/g, at, () => `"${word}"`)) },
  fc.tuple(fc.nat(), fc.constantFrom('"type":"response.create",', '"Type":"x",', '"session":{"model":"m"},', '"item":{"type":"mcp"},', ' ')).map(
    ([at, member]) => (text: string) => changed(text, /[{]/g, at, (brace) => `${brace}${member}`)),
  fc.tuple(fc.nat(), fc.constantFrom('0', '1', '17', 'null', '01', '{}')).map(
    ([at, word]) => (text: string) => changed(text, /\b\d+\b(?=[,}])/g, at, () => word)),
  fc.tuple(fc.nat(), fc.constantFrom('"', '\\', '}', '\n', '\u0001', 'é', 'x')).map(([at, letter]) => (text: string) => {
    const place = at % text.length;
    return `${text.slice(0, place)}${letter}${text.slice(place + 1)}`;
  }),
);

function changed(text: string, pattern: RegExp, at: number, by: (found: string) => string): string {
  const all = [...text.matchAll(pattern)];
  const one = all[at % Math.max(1, all.length)];
  return one === undefined ? text : `${text.slice(0, one.index)}${by(one[0])}${text.slice(one.index + one[0].length)}`;
}

type Reader<Event> = EventReader<Event> & RepeatableReader<Event> & { readonly models: SessionModels };

/** What is read of each text, and the models that it names. */
function check<Event>(
  texts: readonly string[], { learner, make, shown }: {
    readonly learner: () => MessageLearner; readonly make: () => Reader<Event>; readonly shown: (event: Event) => unknown;
  },
): void {
  // One alike message behind the other, mostly: else nothing is learnt.
  const said = fc.tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([text, changes]) => [text, ...changes.map((each) => each(text))]);
  let alike = 0;
  fc.assert(fc.property(fc.array(said, { minLength: 1, maxLength: 4 }), (groups) => {
    let models: SessionModels = none;
    const reader = new AlikeReader<Event, Reader<Event>>(new AlikeMessages<Event>(learner()), make(), make, (read) => {
      if (read === null) alike += 1;
      models = read?.models ?? none;
    });
    for (const text of groups.flat()) {
      // Behind it stands what a buffer held before.
      const bytes = Buffer.from(`${text}"}`);
      const to = bytes.length - 2;
      const every = make();
      assert.deepEqual(shown(reader.read(bytes, 0, to)), shown(every.read(bytes, 0, to)), text);
      assert.deepEqual(models, every.models, text);
    }
  }), { numRuns: draws(1_500) });
  assert.ok(alike > 0);
}

suite('a message that is like one before it', () => {
  test('of a caller begins what it begins when it is read', () => check<CallerEvent>(callerTexts, {
    learner: realtimeCallerLearner, make: () => new RealtimeCallerEvents(),
    // The caller's own name of a message is asked for in requests alone.
    shown: (event) => (event.begins === 'response' ? event : { ...event, eventId: null }),
  }));

  test('of a provider is of the response that it is of when it is read', () => check(serverTexts, {
    learner: realtimeServerLearner, make: () => new RealtimeServerEvents(),
    // What nothing names is numbered.
    shown: ({ responseId, ...event }) => ({ ...event, responseId: responseId?.replace(/^transcription \d+$/, 'transcription') }),
  }));

  test('is learnt after two, and again where the kind changes', () => {
    const found: string[] = [];
    const reader = new AlikeReader<CallerEvent, RealtimeCallerEvents>(
      new AlikeMessages<CallerEvent>(realtimeCallerLearner()), new RealtimeCallerEvents(), () => new RealtimeCallerEvents(),
      (read) => void found.push(read === null ? 'alike' : 'read'),
    );
    const says = (text: string): void => {
      const bytes = Buffer.from(text);
      reader.read(bytes, 0, bytes.length);
    };
    const other = callerTexts[1]!;
    for (let at = 0; at < 4; at += 1) says(callerTexts[0]!.replace('Ukl', `${at}k`));
    for (let at = 0; at < 3; at += 1) says(other.replace('event_1', `event_${at * 1_000}`));
    assert.deepEqual(found, ['read', 'read', 'alike', 'alike', 'read', 'read', 'alike']);
  });
});
