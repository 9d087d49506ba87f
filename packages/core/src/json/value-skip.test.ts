/** Values passed over in WebAssembly, compared with the same scanner in JavaScript, and with JSON.parse: the same verdict, wherever they are cut. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { JsonScanner } from './json-scanner.ts';
import { nestingMax } from './nesting.ts';
import { anyCharacter } from './test-support/any-character.ts';
import { canPass, passedLevelsMax } from './value-skip.ts';
import { watched } from './watched-value.ts';

const encoder = new TextEncoder();

/** The value as a member that nobody watches, before one that is watched. Enough follows that it is passed over. */
function around(value: Uint8Array): Uint8Array {
  return Uint8Array.from([...encoder.encode('{"a":'), ...value, ...encoder.encode(`${' '.repeat(200)},"model":"m"}`)]);
}

interface Scanned {
  readonly verdict: string;
  readonly model: string | null;
}

/** `unwatched`: with somebody who hears of such values, each is read in JavaScript. */
function scanned(bytes: Uint8Array, cuts: readonly number[], how: 'passed' | 'read'): Scanned {
  const model = watched();
  const scanner = new JsonScanner(watched({ model }), how === 'passed' ? null : { passed() {} });
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    // A buffer that is overwritten, as a connection's is.
    const piece = bytes.slice(from, Math.max(from, to));
    scanner.push(piece);
    piece.fill(0x22);
    from = Math.max(from, to);
  }
  return { verdict: scanner.verdict(), model: model.string() };
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function checkBothWays(bytes: Uint8Array, cuts: readonly number[] = []): void {
  const passed = scanned(bytes, cuts, 'passed');
  assert.deepEqual(passed, scanned(bytes, cuts, 'read'), new TextDecoder().decode(bytes));
  assert.equal(passed.verdict === 'valid', isJson(bytes), new TextDecoder().decode(bytes));
}

test('this platform passes values over', () => {
  assert.equal(canPass(), true);
});

describe('values, whole and cut at every byte', () => {
  const values = [
    '{}', '[]', '[[],{},[{}]]', '""', '"a"', '[1,-0.5e+10,0,true,false,null]', '{"a":{"b":[{"c":"d"}]},"":""}', '[ 1 , { "a" : [ ] } ]',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d"', '{"\\u0061\\"":"x"}', '["\u0080\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}é你🙂"]',
    '[1.5]', '{', '[',
    '"', '[1', '{"a"', '{"a":', '[}', '{]', '[,1]', '[1,]', '{,}', '{"a":1,}', '{"a" 1}', '{a:1}', '[01]', '[+1]', '[.5]', '[1.]', '[-]',
    '[1e]', '[tru]', '[truex]', '[nulL]', '["\\x"]', '["\\u12g4"]', '["\\u12"]', '["\n"]', '["\\\n"]', '[1 2]', '["a" "b"]', '{"a":1 "b":2}', '[:]',
    '{"a"}', '{1:2}', '{"a":}', '"a"b', '[]]', '{}}', '["a\\"]', '[\ufeff]', '[\u00a0]',
  ];
  for (const value of values) {
    test(JSON.stringify(value), () => {
      const bytes = around(encoder.encode(value));
      checkBothWays(bytes);
      for (let at = 1; at < value.length + 8; at += 1) checkBothWays(bytes, [at]);
    });
  }
});

test('bytes that are no UTF-8, in a string at any place of a block', () => {
  const characters = '80 c080 c1bf c3 e08080 eda080 edbfbf f0808080 f4908080 f5808080 e282 ff c328 f09f9982';
  for (const hex of characters.split(' ')) {
    for (let before = 0; before < 18; before += 1) {
      const value = Uint8Array.from([0x22, ...new Uint8Array(before).fill(0x61), ...Buffer.from(hex, 'hex'), 0x22]);
      checkBothWays(around(value));
      checkBothWays(around(value), [before + 6, before + 7, before + 8]);
    }
  }
});

test('characters of several bytes, whole and with one byte changed, at any place of a long string', () => {
  for (const character of ['\u0080', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '§4 – „x“', '讀取']) {
    for (let before = 14; before < 84; before += 1) {
      const value = encoder.encode(`"${'a'.repeat(before)}${character}${'b'.repeat(90)}\\n"`);
      checkBothWays(around(value));
      for (const changed of [0x41, 0x5c, 0x80, 0xa0, 0xc3, 0xe0, 0xed, 0xf0, 0xf4]) {
        for (let at = 1 + before; at < 5 + before; at += 1) checkBothWays(around(value.with(at, changed)));
      }
      checkBothWays(around(value.subarray(0, value.length - 40)), [70 + before]);
    }
  }
});

test('a long string in any alphabets, with one byte changed or none, cut anywhere', () => {
  const runs = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 20, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom('é', '讀', '🙂', 'a', '"', '\\'), maxLength: 200 }),
  );
  const change = fc.option(fc.tuple(fc.nat(), fc.nat(255)));
  fc.assert(fc.property(runs, change, fc.array(fc.nat(600), { maxLength: 3 }), (run, change, cuts) => {
    const text = encoder.encode(JSON.stringify(`${'a'.repeat(16)}${run}`));
    if (change !== null) text[change[0] % text.length] = change[1];
    checkBothWays(around(text), cuts.sort((one, other) => one - other));
  }), { numRuns: draws(3000) });
});

test('strings one behind the other, with white space between them or none', () => {
  for (const [colon, comma] of [[':', ','], [': ', ', '], [' :', ' ,'], ['', ','], [':', ''], [',', ':'], [':,', ',:']]) {
    for (const [open, close] of ['{}', '[]', '[}', '{]']) {
      const value = encoder.encode(`${open}"a"${colon}"b"${comma}"c"${colon}"d"${comma}"e"${close}`);
      for (let at = 5; at < value.length + 6; at += 1) checkBothWays(around(value), [at]);
      checkBothWays(around(encoder.encode(`${open}"a"${comma}"b"${comma}"c"${close}`)));
      checkBothWays(around(encoder.encode(`[${open}"a"${colon}["b"${comma}"c"]${comma}"d"${colon}"e"${close}${comma}"f"]`)));
    }
  }
});

test('runs of backslashes of any length, at any place of a block, before a quote and before other bytes', () => {
  for (const before of [...Array.from({ length: 17 }, (_, at) => at), 61, 62, 63, 78, 79, 80]) {
    for (let run = 0; run < 36; run += 1) {
      for (const behind of ['', '"', 'n', 'u0041', 'x']) {
        const bytes = around(encoder.encode(`["${'a'.repeat(before)}${'\\'.repeat(run)}${behind}${before > 16 ? 'c'.repeat(70) : ''}","b"]`));
        checkBothWays(bytes);
        checkBothWays(bytes, [before + run + 7, before + run + 8]);
      }
    }
  }
});

test('random bytes near JSON, cut anywhere', () => {
  const scraps = [
    ...'{}[]",:\\u0e1-.+tfn aé', '\\"', '\\\\', '\\n', '\\u00e9', '"a":', '{"', '["', '"]', '"}', 'true', 'null', '12.5e-3', '🙂', '\n', ' ',
  ];
  const scrap = fc.constantFrom(...scraps.map((text) => encoder.encode(text)), Uint8Array.of(0xc3), Uint8Array.of(0x80));
  fc.assert(fc.property(fc.array(scrap, { maxLength: 40 }), fc.array(fc.nat(120), { maxLength: 4 }), (parts, cuts) => {
    checkBothWays(around(Uint8Array.from(parts.flatMap((part) => [...part]))), cuts.sort((one, other) => one - other));
  }), { numRuns: draws(3000) });
});

test('any JSON, written any way, with one byte changed or none, cut anywhere', () => {
  const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 60 }));
  const values = fc.oneof(fc.jsonValue(), texts, fc.dictionary(fc.string(), fc.double().map(String)));
  const changes = fc.option(fc.tuple(fc.nat(), fc.nat(255)));
  fc.assert(fc.property(values, fc.nat(3), changes, fc.array(fc.nat(300), { maxLength: 6 }), (value, indent, change, cuts) => {
    const text = encoder.encode(JSON.stringify([value, value], null, indent));
    if (change !== null) text[change[0] % text.length] = change[1];
    checkBothWays(around(text), cuts.sort((one, other) => one - other));
  }), { numRuns: draws(1500) });
});

test('many values that end soon, and one that is longer than what is read at once', () => {
  const short = encoder.encode(`{${'"a":{},"b":"","c":[1],'.repeat(20_000)}"model":"m"}`);
  const long = encoder.encode(`{"a":[${'"x\\n\\u00e9é",{"b":1.25},'.repeat(20_000)}0],"model":"m"}`);
  for (const bytes of [short, long]) {
    for (const cuts of [[], [1_000, 65_536, 65_537, 200_000]]) checkBothWays(bytes, cuts);
  }
});

describe('nesting', () => {
  const nested = (levels: number, inner: string): Uint8Array => around(encoder.encode(`${'[{"a":'.repeat(levels)}${inner}${'}]'.repeat(levels)}`));

  test('at the depth that is followed, past it, and far past it, whole and cut', () => {
    for (const levels of [passedLevelsMax / 2 - 1, passedLevelsMax / 2, passedLevelsMax / 2 + 1, passedLevelsMax, 5_000]) {
      for (const inner of ['1', '[]', '{}', '[', ']', '}', '"a', '[1,[2],{"b":3}]']) {
        checkBothWays(nested(levels, inner));
        checkBothWays(nested(levels, inner), [levels, 3 * levels, 6 * levels, 7 * levels]);
      }
    }
  });

  test('an array whose first element lies too deep may end there', () => {
    for (let levels = passedLevelsMax - 2; levels < passedLevelsMax + 3; levels += 1) {
      checkBothWays(around(encoder.encode('['.repeat(levels) + ']'.repeat(levels))));
      checkBothWays(around(encoder.encode(`${'['.repeat(levels)},${']'.repeat(levels)}`)));
    }
  });

  test('deeper than is followed at all is given up', () => {
    const bytes = new Uint8Array(nestingMax + 300).fill(0x5b);
    bytes.set(encoder.encode('{"a":'));
    assert.equal(scanned(bytes, [], 'passed').verdict, 'gave_up');
  });
});

test('texts that are scanned in turns, a few bytes at a time, do not mix', () => {
  const texts = [0, 1, 2].map((at) => {
    const inner = `${'[{"a":'.repeat(at)}"${'x'.repeat(200 + at)}\\u00e9é\\n"${'}]'.repeat(at)}`;
    return encoder.encode(`{"a":[{"b":${inner}},{"c":[${at === 1 ? '' : '1'}]}],"model":"${at}"}`);
  });
  const models = texts.map(() => watched());
  const scanners = models.map((model) => new JsonScanner(watched({ model })));
  const first = 150;
  texts.forEach((text, at) => scanners[at]!.push(text.subarray(0, first)));
  for (let from = first; from < 400; from += 3) texts.forEach((text, at) => scanners[at]!.push(text.subarray(from, from + 3)));
  assert.deepEqual(scanners.map((scanner) => scanner.verdict()), ['valid', 'valid', 'valid']);
  assert.deepEqual(models.map((model) => model.string()), ['0', '1', '2']);
});
