/**
 * Events recognised by their likeness to the one before, compared with a reader that reads every one of them: a reader that gets its bytes one
 * by one never sees a whole event, so it has nothing to compare and reads all.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { EventPattern } from './event-pattern.ts';
import type { Reading, ReadingContext } from './reading.ts';
import { createUsageReader } from './reader.ts';

interface Seen {
  readonly reading: Reading;
  readonly dialogueEnded: boolean;
}

/** `cuts`: where the chunks end, ascending. */
function seen(context: ReadingContext, body: Uint8Array, cuts: readonly number[], ending: 'whole' | 'cut'): Seen {
  const reader = createUsageReader(context);
  let from = 0;
  for (const cut of [...cuts, body.length]) {
    reader.push(body.slice(from, cut));
    from = cut;
  }
  const { dialogueEnded } = reader;
  return { reading: reader.finish(ending), dialogueEnded };
}

const contexts: readonly ReadingContext[] = [
  { wire: 'openai', endpoint: 'chat.completions', streamed: true },
  { wire: 'openai', endpoint: 'responses', streamed: true },
  { wire: 'anthropic', endpoint: 'messages', streamed: true },
  { wire: 'upstream', endpoint: 'chat.completions', streamed: true },
  { wire: 'upstream', endpoint: 'other', streamed: true },
];

/** Names that readers watch, some of them, and names that look like them; with escapes, doubled or nested they must mean the same. */
const names = [
  'usage', '\\u0075sage', 'model', 'choices', 'finish_reason', 'index', 'delta', 'content', 'type', 'message', 'response', 'status', 'output',
  'service_tier', 'prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens', 'stop_reason', 'x_groq', 'iterations', 'id', 'usag',
  'mod\\u0065l', 'é', 'server_tool_use', 'web_search_requests',
];
const texts = [
  'word', ' a', '', 'x}', '\\"usage\\":{', '\\u0041', '\\n', 'é🙂', '\\\\', 'stop', 'message_start', 'message_delta', 'message_stop',
  'in_progress', 'response.completed', 'web_search_call', 'data: ', '[DONE]', '\u2028',
];
const words = ['0', '1', '-1', '12', '1.5', '1e3', '3.0', 'null', 'true', 'false', '9007199254740993'];

const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...words),
    fc.constantFrom(...texts).map((text) => `"${text}"`),
    fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(':', ': ', ' :'), tie('json')), { maxLength: 5 })
      .map((members) => `{${members.map(([name, colon, value]) => `"${name}"${colon}${value}`).join(',')}}`),
    fc.array(tie('json'), { maxLength: 3 }).map((elements) => `[${elements.join(', ')}]`),
  ),
}));

/** One event's data, and the values in it. */
const event = fc.record({
  data: fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: fc.constantFrom('[DONE]', '{', '{"a":', 'nul', '', '{}}', '01') }),
  before: fc.constantFrom('', '', '', 'event: a\n', ': comment\n', 'id: 1\r\n', 'data\n'),
  after: fc.constantFrom('', '', '', '\ndata: ', '\nretry: 1', '\r\ndata:  '),
  end: fc.constantFrom('\n\n', '\n\n', '\r\n\r\n', '\r\r', '\n\r\n', '\r\n\n'),
});

/** A change to the data as another event of the same stream has it: another text, number or padding, which may break it. */
const change = fc.oneof(
  fc.tuple(fc.constantFrom(...texts, '\\x', '\u0001', '"'), fc.nat()).map(([text, at]) => (data: string) =>
    replaced(data, /"[^"]*"/g, `"${text}"`, at)),
  fc.tuple(fc.constantFrom(...words, '01', '1.', 'nul', 'truex', '{}'), fc.nat()).map(([word, at]) => (data: string) =>
    replaced(data, /-?\d[\d.e]*|null|true|false/g, word, at)),
  fc.nat({ max: 9 }).map((count) => (data: string) => data.replace(/ *\}$/, `${' '.repeat(count)}}`)),
  fc.constant((data: string) => data),
);

function replaced(text: string, pattern: RegExp, by: string, which: number): string {
  const found = [...text.matchAll(pattern)];
  const match = found[which % Math.max(1, found.length)];
  return match === undefined ? text : text.slice(0, match.index) + by + text.slice(match.index + match[0].length);
}

const run = fc.tuple(event, fc.array(change, { maxLength: 6 })).map(([{ data, before, after, end }, changes]) => {
  let now = data;
  return [now, ...changes.map((each) => (now = each(now)))].map((each) => `${before}data: ${each}${after}${end}`).join('');
});
const body = fc.tuple(fc.constantFrom('', '', '\uFEFF', '\n'), fc.array(run, { maxLength: 4 }), fc.constantFrom('', 'data: {"usage":{}}', 'da'))
  .map(([mark, runs, rest]) => new TextEncoder().encode(mark + runs.join('') + rest));

describe('events that are alike', () => {
  test('are read as every one of them is, whatever they hold and however they are cut', () => {
    fc.assert(fc.property(
      fc.constantFrom(...contexts), body, fc.array(fc.nat({ max: 600 }), { maxLength: 4 }), fc.constantFrom('whole' as const, 'cut' as const),
      (context, bytes, cutting, ending) => {
        const cuts = cutting.filter((cut) => cut < bytes.length).sort((left, right) => left - right);
        const byBytes = seen(context, bytes, Array.from(bytes.keys()), ending);
        assert.deepEqual(seen(context, bytes, cuts, ending), byBytes);
      },
    ), { numRuns: draws(3_000) });
  });

  test('are read as every one of them is where one byte is another', () => {
    const choice = '{"index":0,"delta":{"content":" word"},"finish_reason":null}';
    const start = `data: {"id":"c","created":17,"model":"m","choices":[${choice}],"usage":null }\n\n`;
    const bytes = new TextEncoder().encode(start.repeat(3));
    for (let at = start.length; at < start.length * 2; at += 1) {
      for (const byte of [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x31, 0x3a, 0x5c, 0x5d, 0x61, 0x7b, 0x7d, 0x80, 0xff]) {
        const other = bytes.slice();
        other[at] = byte;
        for (const context of contexts) {
          assert.deepEqual(seen(context, other, [], 'whole'), seen(context, other, Array.from(other.keys()), 'whole'), `byte ${byte} at ${at}`);
        }
      }
    }
  });
});

describe('a pattern', () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const learnt = 'data: {"content":"a","n":1}\n\n';
  /** Of the text above, with its string and its number free. */
  const pattern = (): EventPattern => {
    const made = new EventPattern();
    made.passed('string', 18, 19);
    made.passed('word', 25, 26);
    made.learn(bytesOf(learnt), { from: 0, dataTo: learnt.length - 2, to: learnt.length });
    return made;
  };
  const alike: readonly [string, boolean][] = [
    [learnt, true], ['data: {"content":"","n":-1.5e9}\n\n', true], ['data: {"content":"\\u0022é","n":null     }\n\nmore', true],
    ['data: {"content":"a","n":1}\n', false], ['data: {"content":"a', false], ['data: {"content":"a","n":', false],
    ['data: {"content":"a","n":1', false],
    ['data: {"content":"\\x","n":1}\n\n', false], ['data: {"content":"\t","n":1}\n\n', false], ['data: {"content":"a","n":01}\n\n', false],
    ['data: {"content":"a","n":"1"}\n\n', false], ['data: {"Content":"a","n":1}\n\n', false], ['data: {"content":"a","n":1}\r\n', false],
    ['data: {"content":"a" ,"n":1}\n\n', false], ['data: {"content":"a","n":1\t}\n\n', false],
  ];
  for (const [text, is] of alike) {
    test(`${JSON.stringify(text)} is ${is ? '' : 'not '}like ${JSON.stringify(learnt)}`, () => {
      const end = text.indexOf('\n\n') + 2;
      const expected = is ? bytesOf(text.slice(0, end)).length : -1;
      assert.equal(pattern().endOfAlike(bytesOf(text), 0), expected);
      assert.equal(pattern().endOfAlikeByBytes(bytesOf(text), 0), expected);
    });
  }

  test('finds the same in WebAssembly and in JavaScript, whoever asked before', () => {
    const [one, other] = [pattern(), new EventPattern()];
    const further = 'data: {"n":1,"content":"a"}\n\n';
    other.passed('word', 11, 12);
    other.passed('string', 24, 25);
    other.learn(bytesOf(further), { from: 0, dataTo: further.length - 2, to: further.length });
    const texts = ['a', '', 'x'.repeat(40), 'Grüße 你🙂', '\\n\\"\\u00e9', '\\u00g9', '\\', 'é'.repeat(3_000), 'x'.repeat(9_000)];
    const numbers = ['1', '-0.5e+10', '01', 'null', 'nul', '', '1.'];
    const bytes = [0x00, 0x0a, 0x20, 0x22, 0x5c, 0x75, 0x7d, 0x80, 0xbf, 0xc0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4, 0xff];
    fc.assert(fc.property(
      fc.constantFrom(...texts), fc.constantFrom(...numbers), fc.nat({ max: 20 }), fc.constantFrom('', ' ', 'more', further),
      fc.option(fc.tuple(fc.nat(), fc.constantFrom(...bytes))), fc.nat({ max: 3 }), fc.boolean(),
      (...[text, number, spaces, behind, change, from, isOther]) => {
        const members = [`"content":"${text}"`, `"n":${number}`];
        const event = `{${(isOther ? members.reverse() : members).join(',')}${' '.repeat(spaces)}}`;
        const chunk = bytesOf(`${'y'.repeat(from)}data: ${event}\n\n${behind}`);
        if (change !== null) chunk[from + change[0] % (chunk.length - from)] = change[1];
        for (const each of [one, other]) assert.equal(each.endOfAlike(chunk, from), each.endOfAlikeByBytes(chunk, from));
      },
    ), { numRuns: draws(4_000) });
  });

  test('is not kept of an event above 2 KiB', () => {
    const made = new EventPattern();
    const long = `data: {"content":"${'x'.repeat(2048)}"}\n\n`;
    made.learn(bytesOf(long), { from: 0, dataTo: long.length - 2, to: long.length });
    assert.equal(made.known, false);
  });

  test('is forgotten until another event is learnt', () => {
    const made = pattern();
    assert.equal(made.known, true);
    made.forget();
    assert.equal(made.known, false);
  });
});
