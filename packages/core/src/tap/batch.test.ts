/**
 * Each of the fifteen field rules at, inside and outside its bounds; every unknown and repeated key at each level; numbers in
 * every spelling; and that a refusal is a path and a reason from the fixed list, never a sent value. Spec: Tap event, Tap ingestion
 * errors; rules 30 and 30a.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { jsonInputs } from '@metergate/testkit/written-inputs.ts';
import { readTapBatch, tapBodyBytesMax, tapRefusalSentence } from './batch.ts';
import { tapFields, tapReason } from './event.ts';
import { batchBody, sampleNowMs, sentEvent, understoodEvent } from './test-support/sample-event.ts';

const iso = (offsetMs: number): string => new Date(sampleNowMs + offsetMs).toISOString();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `ok`, or the refusal's sentence without its full stop. */
function verdict(body: Uint8Array | string): string {
  const read = readTapBatch(typeof body === 'string' ? bytes(body) : body, sampleNowMs);
  return 'events' in read ? 'ok' : tapRefusalSentence(read.refusal).slice(0, -1);
}
const ofField = (changes: Readonly<Record<string, unknown>>): string => verdict(batchBody([sentEvent(changes)]));
/** The verdict on an event whose field is written as this JSON text. */
const ofText = (field: string, json: string): string =>
  verdict(`{"events":[${JSON.stringify(sentEvent({ [field]: '\u0001' })).replace('"\\u0001"', json)}]}`);

const outside = 'is outside its published range';
const set = 'has a character outside its published set';
const values = 'is not one of its published values';
const notText = 'is not a string';
const notInteger = 'is not an integer';

const integerRows = (max: number, min = 0): [unknown, string | null][] => [
  [min, null], [min + 1, null], [max - 1, null], [max, null], [min - 1, outside], [max + 1, outside], [-1, outside], [min + 0.5, notInteger],
  ['5', notInteger], [true, notInteger], [null, notInteger], [[], notInteger], [{}, notInteger],
];
const textRows = (max: number): [unknown, string | null][] => [
  ['a', null], ['x'.repeat(max), null], ['Az09._:-', null], ['', outside], ['x'.repeat(max + 1), outside],
  [' a', set], ['a b', set], ['a\n', set], ['é', set], ['\u0000', set], ['\ud800', set], ['😀', set], ['a,b', set],
  [null, notText], [5, notText], [['a'], notText],
];

const rows: Readonly<Record<string, readonly (readonly [value: unknown, reason: string | null])[]>> = {
  schema: [['svc-tap-v1', null], ['svc-tap-v2', values], ['SVC-TAP-V1', values], ['', values], [1, notText], [null, notText]],
  provider: [
    ...['openai', 'anthropic', 'google', 'xai', 'mistral', 'other'].map((name): [string, null] => [name, null]),
    ['OpenAI', values], ['azure', values], ['toString', values], [null, notText],
  ],
  model: [...textRows(128), ['models/gemini-2.5:tuned', null]],
  request_id: [...textRows(128), ['a/b', set]],
  input_tokens: integerRows(1_000_000_000),
  output_tokens: integerRows(1_000_000_000),
  cached_tokens: integerRows(1_000_000_000),
  stop_reason: [
    ...['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'].map((name): [string, null] => [name, null]),
    ['end_turn', values], ['', values], [0, notText],
  ],
  tool_calls: integerRows(10_000),
  status: integerRows(599, 100),
  retries: integerRows(100),
  latency_ms: integerRows(3_600_000),
  rate_limit: [[null, null], [[], 'is neither an object nor null'], ['', 'is neither an object nor null'], [0, 'is neither an object nor null']],
  timestamp: [
    [iso(0), null], [iso(300_000), null], [iso(300_001), outside], [iso(-30 * 86_400_000), null], [iso(-30 * 86_400_000 - 1), outside],
    ['2026-03-04T13:00:00+01:00', null], ['2026-03-04t12:00:00z', null], ['2026-02-30T00:00:00Z', 'is not an RFC 3339 timestamp with an offset'],
    ['2026-03-04', 'is not an RFC 3339 timestamp with an offset'], ['2026-03-04T12:00:00', 'is not an RFC 3339 timestamp with an offset'],
    ['2026-03-04 12:00:00Z', 'is not an RFC 3339 timestamp with an offset'], [sampleNowMs, notText], [null, notText],
  ],
  tag: [...textRows(64), ['a/b', set]],
};

describe('the fifteen fields', () => {
  test('the table speaks of every field', () => assert.deepEqual(Object.keys(rows).toSorted(), [...tapFields].toSorted()));

  for (const [field, cases] of Object.entries(rows)) {
    test(`${field}: at, inside and outside its bounds`, () => {
      for (const [value, reason] of cases) {
        const expected = reason === null ? 'ok' : `events[0].${field} ${reason}`;
        assert.equal(ofField({ [field]: value }), expected, `${field} = ${JSON.stringify(value)}`);
      }
    });
  }

  test('each is required except cached_tokens, which is 0 if left out', () => {
    for (const field of tapFields) {
      const { [field]: _left, ...rest } = sentEvent();
      const expected = field === 'cached_tokens' ? 'ok' : `events[0].${field} is missing`;
      assert.equal(verdict(batchBody([rest])), expected);
    }
    const { cached_tokens: _left, ...rest } = sentEvent();
    assert.deepEqual(readTapBatch(batchBody([rest]), sampleNowMs), { events: [understoodEvent()] });
  });

  test('an event is understood as it was sent', () => {
    const rateLimit = { requests_limit: 10, requests_remaining: 9, tokens_limit: null, tokens_remaining: 1_000_000_000 };
    const read = readTapBatch(batchBody([sentEvent({ rate_limit: rateLimit, cached_tokens: 7, timestamp: iso(-1) })]), sampleNowMs);
    assert.deepEqual(read, { events: [understoodEvent({
      cachedTokens: 7, timestampMs: sampleNowMs - 1,
      rateLimit: { requestsLimit: 10, requestsRemaining: 9, tokensLimit: null, tokensRemaining: 1_000_000_000 },
    })] });
  });

  test('rate_limit has exactly its four keys, each an integer in range or null', () => {
    const whole = { requests_limit: 1, requests_remaining: 1, tokens_limit: 1, tokens_remaining: 1 };
    assert.equal(ofField({ rate_limit: whole }), 'ok');
    for (const name of Object.keys(whole) as (keyof typeof whole)[]) {
      const { [name]: _left, ...rest } = whole;
      assert.equal(ofField({ rate_limit: rest }), `events[0].rate_limit.${name} is missing`);
      for (const [value, reason] of [
        [0, null], [1_000_000_000, null], [null, null], [1_000_000_001, outside], [-1, outside], [0.5, notInteger],
        ['1', 'is neither an integer nor null'], [false, 'is neither an integer nor null'],
      ] as const) {
        const expected = reason === null ? 'ok' : `events[0].rate_limit.${name} ${reason}`;
        assert.equal(ofField({ rate_limit: { ...whole, [name]: value } }), expected, `${name} = ${JSON.stringify(value)}`);
      }
    }
    assert.equal(ofField({ rate_limit: { ...whole, reset: 1 } }), 'events[0].rate_limit has a field that is not of the published form');
  });

  test('integers count by value: 1.0, 1e3 and -0 are whole, what only rounds to a whole number is none', () => {
    for (const [json, expected] of [
      ['1.0', 'ok'], ['1e3', 'ok'], ['1E+3', 'ok'], ['-0', 'ok'], ['-0.0e5', 'ok'], ['10e-1', 'ok'], ['0e400', 'ok'], ['100000e-5', 'ok'],
      ['1e9', 'ok'], ['1000000000.000', 'ok'], ['1e400', outside], ['-1e400', outside], ['9007199254740993', outside],
      ['1.5', notInteger], ['1e-400', notInteger], ['1.00000000000000000000001', notInteger], ['10e-2', notInteger],
    ] as const) {
      const message = expected === 'ok' ? 'ok' : `events[0].input_tokens ${expected}`;
      assert.equal(ofText('input_tokens', json), message, json);
    }
    const read = readTapBatch(bytes(JSON.stringify({ events: [sentEvent({ retries: 0 })] }).replace('"retries":0', '"retries":-0')), sampleNowMs);
    assert.ok('events' in read && Object.is(read.events[0]!.retries, 0));
  });
});

describe('the batch', () => {
  test('holds 1 to 500 events', () => {
    const many = (count: number) => batchBody(Array.from({ length: count }, () => sentEvent()));
    assert.deepEqual([0, 1, 500, 501].map((count) => verdict(many(count))), [`events ${outside}`, 'ok', 'ok', `events ${outside}`]);
  });

  test('is an object with the one key events, an array of objects', () => {
    for (const [body, expected] of [
      ['{}', 'events is missing'], ['[]', '$ is not an object'], ['null', '$ is not an object'], ['"events"', '$ is not an object'],
      ['{"events":{}}', 'events is not an array'], ['{"events":null}', 'events is not an array'],
      ['{"events":[null]}', 'events[0] is not an object'], ['{"events":[[]]}', 'events[0] is not an object'],
      ['', '$ is not valid JSON'], [' ', '$ is not valid JSON'], ['{"events":[]', '$ is not valid JSON'], ['{"events":[]}x', '$ is not valid JSON'],
      ['\ufeff{"events":[]}', '$ is not valid JSON'], ['{"events":[],}', '$ is not valid JSON'], ["{'events':[]}", '$ is not valid JSON'],
    ] as const) assert.equal(verdict(body), expected, body);
  });

  test('an unknown key at any level names the object around it, not itself', () => {
    const keys = [
      'x', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0', 'Schema', 'schema ', 'events[0]', '\u0000', '\ud800', 'ключ',
    ];
    for (const key of keys) {
      const member = `${JSON.stringify(key)}:{"canary":1}`;
      const event = JSON.stringify(sentEvent());
      const unknown = 'has a field that is not of the published form';
      for (const [body, path] of [
        [`{${member},"events":[${event}]}`, '$'], [`{"events":[${event}],${member}}`, '$'],
        [`{"events":[${event},{${member},${event.slice(1)}]}`, 'events[1]'], [`{"events":[${event.slice(0, -1)},${member}}]}`, 'events[0]'],
        [`{"events":[${event.replace('"rate_limit":null', `"rate_limit":{${member}}`)}]}`, 'events[0].rate_limit'],
      ] as const) assert.equal(verdict(body), `${path} ${unknown}`, body);
    }
    assert.equal(({} as Record<string, unknown>)['canary'], undefined);
  });

  test('a key repeated in one object is refused by its name, also when both are the same', () => {
    const event = JSON.stringify(sentEvent());
    const limit = '{"requests_limit":1,"requests_limit":1,"requests_remaining":1,"tokens_limit":1,"tokens_remaining":1}';
    for (const [body, path] of [
      [`{"events":[${event}],"events":[${event}]}`, 'events'],
      [`{"events":[${event.slice(0, -1)},"tag":"search"}]}`, 'events[0].tag'],
      [`{"events":[${event.slice(0, -1)},"\\u0074ag":"other"}]}`, 'events[0].tag'],
      [`{"events":[${event.replace('"rate_limit":null', `"rate_limit":${limit}`)}]}`, 'events[0].rate_limit.requests_limit'],
    ] as const) assert.equal(verdict(body), `${path} is given more than once`, body);
  });

  test('the first offence in the order written is the one that is named', () => {
    assert.equal(verdict(batchBody([sentEvent(), sentEvent({ tag: '', model: '' }), sentEvent({ schema: '' })])), `events[1].model ${outside}`);
    assert.equal(verdict(batchBody([{ ...sentEvent({ tag: '' }), unknown: 1 }])), `events[0].tag ${outside}`);
    assert.equal(verdict(batchBody([{ unknown: 1, ...sentEvent({ tag: '' }) }])), 'events[0] has a field that is not of the published form');
    assert.equal(verdict(`{"events":[${JSON.stringify(sentEvent({ model: '' }))}],"x":1}`), `events[0].model ${outside}`);
  });

  test('nesting beyond any event ends without a stack overflow', () => {
    const half = tapBodyBytesMax / 2;
    for (const body of ['['.repeat(half * 2), `${'['.repeat(half)}${']'.repeat(half)}`, `{"events":${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}}`]) {
      assert.match(verdict(body), /^\$ is nested deeper than any event$/);
    }
  });

  test('invalid UTF-8 is not JSON, at any position', () => {
    const body = batchBody([sentEvent({ model: 'MODEL' })]);
    const at = Buffer.from(body).indexOf('MODEL');
    for (const byte of [0x80, 0xc0, 0xed, 0xff]) {
      const broken = Uint8Array.from(body);
      broken[at] = byte;
      assert.equal(verdict(broken), '$ is not valid JSON');
    }
  });
});

describe('what others wrote', () => {
  const sentence = new RegExp(`^(?:\\$|events(?:\\[\\d+\\](?:\\.[a-z_]+){0,2})?) (?:${Object.values(tapReason).join('|')})$`);

  test('every JSON test input is refused with a sentence of ours, as a body, as the events, as an event and as a value', () => {
    for (const { name, bytes: input } of jsonInputs()) {
      const around = (before: string, after: string): Uint8Array => Buffer.concat([Buffer.from(before), input, Buffer.from(after)]);
      const [before, after] = JSON.stringify(sentEvent({ model: '\u0001' })).split('"\\u0001"') as [string, string];
      for (const body of [input, around('{"events":', '}'), around('{"events":[', ']}')]) assert.match(verdict(body), sentence, name);
      const asValue = verdict(around(`{"events":[${before}`, `${after}]}`));
      if (!/^\s*"[A-Za-z0-9._:/-]{1,128}"\s*$/.test(input.toString('latin1'))) assert.match(asValue, sentence, name);
      else assert.equal(asValue, 'ok', name);
    }
  });

  test('every naughty string is a value in the published set or is refused, as each text field and as a key, and is never echoed', () => {
    for (const text of naughtyStrings()) {
      for (const field of ['model', 'request_id', 'tag'] as const) {
        const said = ofField({ [field]: text });
        const fits = (field === 'model' ? /^[A-Za-z0-9._:/-]+$/ : /^[A-Za-z0-9._:-]+$/).test(text) && text.length <= (field === 'tag' ? 64 : 128);
        assert.equal(said === 'ok', fits, `${field} = ${JSON.stringify(text)}`);
        if (said !== 'ok') assert.match(said, sentence);
      }
      for (const field of ['schema', 'provider', 'stop_reason', 'timestamp', 'input_tokens'] as const) {
        if (['other', 'stop'].includes(text)) continue;
        assert.match(ofField({ [field]: text }), sentence, JSON.stringify(text));
      }
      assert.match(verdict(`{"events":[${JSON.stringify({ ...sentEvent(), [text]: 1 })}]}`), sentence);
    }
  });
});

function naughtyStrings(): string[] {
  const file = new URL('../../../../../shared/inputs/naughty-strings.json', import.meta.url);
  const own = ['', 'null', '__proto__', '<script>alert(1)</script>', '\u202etest', '$(touch x)', "' or 1=1--", 'ﬁ', '\u0000', '../../etc/passwd'];
  return existsSync(file) ? [...own, ...(JSON.parse(readFileSync(file, 'utf8')) as string[])] : own;
}
