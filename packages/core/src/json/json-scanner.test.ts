/** The scanner compared with JSON.parse and the public JSON test suite, cut anywhere. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { JsonScanner } from './json-scanner.ts';
import { nestingMax } from './nesting.ts';
import { anyCharacter } from './test-support/any-character.ts';
import { watched, watchedBytesMax } from './watched-value.ts';

const encoder = new TextEncoder();
const suite = new URL('../../../../../shared/inputs/json/', import.meta.url);

function pushInPieces(scanner: JsonScanner, bytes: Uint8Array, pieceBytes: number): void {
  for (let i = 0; i < bytes.length; i += pieceBytes) scanner.push(bytes.subarray(i, i + pieceBytes));
}

function verdictOf(bytes: Uint8Array, pieceBytes = bytes.length || 1): string {
  const scanner = new JsonScanner(watched());
  pushInPieces(scanner, bytes, pieceBytes);
  return scanner.verdict();
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

describe('what is JSON', () => {
  const texts: [string, string][] = [
    ['{}', 'valid'], [' [1,2 ,{"a":[]}]\n', 'valid'], ['"\\u00e9\\n"', 'valid'], ['-0.5e+10', 'valid'], ['true', 'valid'],
    ['', 'empty'], [' \t\r\n', 'empty'],
    ['{', 'incomplete'], ['{"a"', 'incomplete'], ['[1,', 'incomplete'], ['"abc', 'incomplete'], ['tru', 'incomplete'], ['1e', 'incomplete'],
    ['{}}', 'invalid'], ['[1,]', 'invalid'], ['{"a":1,}', 'invalid'], ['{,}', 'invalid'], ['[,1]', 'invalid'], ['01', 'invalid'],
    ['{"a" 1}', 'invalid'], ['{a:1}', 'invalid'], ['[1}', 'invalid'], ['"\\x"', 'invalid'], ['"\\u12g4"', 'invalid'], ['"\n"', 'invalid'],
    ['nulL', 'invalid'], ['+1', 'invalid'], ['.5', 'invalid'], ['1.', 'incomplete'], ['[1.]', 'invalid'], ['[-]', 'invalid'],
    ['{}{}', 'invalid'], ['\uFEFF{}', 'invalid'], ['[1 2]', 'invalid'], ['{"a":1 "b":2}', 'invalid'], ['[truex]', 'invalid'],
  ];
  for (const [text, verdict] of texts) {
    test(`${JSON.stringify(text)} is ${verdict}, whole and byte by byte`, () => {
      assert.equal(verdictOf(encoder.encode(text)), verdict);
      assert.equal(verdictOf(encoder.encode(text), 1), verdict);
    });
  }

  const badUtf8 = ['80', 'c080', 'c1bf', 'c3', 'e08080', 'eda080', 'edbfbf', 'f0808080', 'f4908080', 'f5808080', 'e282', 'ff', 'c328'];
  for (const hex of badUtf8) {
    test(`a string with the bytes ${hex} is neither UTF-8 nor JSON`, () => {
      const bytes = Uint8Array.from([0x22, ...Buffer.from(hex, 'hex'), 0x22]);
      assert.equal(isJson(bytes), false);
      assert.equal(verdictOf(bytes), 'invalid');
      assert.equal(verdictOf(bytes, 1), 'invalid');
    });
  }

  test('characters of two to four bytes at the edges of their ranges are JSON', () => {
    const bytes = encoder.encode('"\u0080\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}é你🙂"');
    assert.equal(verdictOf(bytes), 'valid');
    assert.equal(verdictOf(bytes, 1), 'valid');
  });

  test('a million brackets are followed; more levels than the bound are given up', () => {
    assert.equal(verdictOf(encoder.encode('['.repeat(1e6) + ']'.repeat(1e6))), 'valid');
    assert.equal(verdictOf(encoder.encode('[{"a":'.repeat(1e5) + '1' + '}]'.repeat(1e5))), 'valid');
    assert.equal(verdictOf(new Uint8Array(nestingMax + 1).fill(0x5b)), 'gave_up');
  });

  test('random bytes near JSON: the verdict is that of JSON.parse after strict UTF-8 decoding', () => {
    const characters = [...'{}[]",:\\u0e1-.+tfn aé'].map((character) => encoder.encode(character));
    const alphabet = fc.constantFrom(...characters, Uint8Array.of(0xc3), Uint8Array.of(0x80));
    fc.assert(fc.property(fc.array(alphabet, { maxLength: 12 }), (parts) => {
      const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
      assert.equal(verdictOf(bytes, 1) === 'valid', isJson(bytes));
      assert.equal(verdictOf(bytes), verdictOf(bytes, 1));
    }), { numRuns: draws(3000) });
  });
});

if (existsSync(suite)) {
  describe('the JSON test suite', () => {
    for (const file of readdirSync(suite).filter((name) => name.endsWith('.json'))) {
      test(`${file}: verdict of JSON.parse, and of its name`, () => {
        const bytes = readFileSync(new URL(encodeURIComponent(file), suite));
        const valid = isJson(bytes);
        if (file.startsWith('y_')) assert.equal(valid, true);
        if (file.startsWith('n_')) assert.equal(valid, false);
        assert.equal(verdictOf(bytes) === 'valid', valid);
        assert.equal(verdictOf(bytes, 1) === 'valid', valid);
      });
    }
  });
}

describe('watched places', () => {
  function scanned(text: string | Uint8Array, pieceBytes?: number) {
    const tokens = watched();
    const reason = watched();
    const model = watched();
    const usage = watched({ tokens });
    const scanner = new JsonScanner(watched({ model, usage, choices: watched(null, watched({ reason })) }));
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    pushInPieces(scanner, bytes, pieceBytes ?? bytes.length);
    return { scanner, tokens, reason, model, usage };
  }

  test('values are found at their path only, not deeper and not in strings', () => {
    const text = '{"x":{"model":"no","usage":{"tokens":1}},"y":"\\"model\\":\\"no\\"",'
      + '"model":"yes","choices":[{"reason":"stop"},{"reason":"no"}]}';
    for (const pieceBytes of [1, 2, 7, 1000]) {
      const { model, tokens, reason, usage } = scanned(text, pieceBytes);
      assert.equal(model.string(), 'yes');
      assert.equal(reason.string(), 'stop');
      assert.equal(usage.kind, 'absent');
      assert.equal(tokens.kind, 'absent');
    }
  });

  test('an escaped name equals the plain one; a longer or other name does not', () => {
    assert.equal(scanned('{"mod\\u0065l":"a"}').model.string(), 'a');
    assert.equal(scanned('{"mod\\u0065l":"a"}', 1).model.string(), 'a');
    assert.equal(scanned('{"models":"a","mode":"b","modeL":"c","":"d"}').model.kind, 'absent');
    assert.equal(scanned(`{"model${'x'.repeat(9000)}":"a","mod\\u0065l${'x'.repeat(9000)}":"b"}`, 100).model.kind, 'absent');
  });

  test('of two equal names the last counts, with all that is inside', () => {
    const { usage, tokens } = scanned('{"usage":{"tokens":5},"usage":null}');
    assert.equal(usage.kind, 'null');
    assert.equal(tokens.kind, 'absent');
    assert.equal(scanned('{"usage":{"tokens":5,"tokens":6},"usage":{"tokens":7}}', 3).tokens.numberText(), '7');
    assert.equal(scanned('{"usage":{"tokens":5},"usage":{}}').tokens.kind, 'absent');
    assert.equal(scanned('{"choices":[{"reason":"stop"}],"choices":[]}').reason.kind, 'absent');
  });

  test('strings are unescaped, numbers kept as written, kinds distinguished', () => {
    assert.equal(scanned('{"model":"a\\"\\\\\\u00e9\\ud83d\\ude42é"}', 1).model.string(), 'a"\\é🙂é');
    assert.equal(scanned('{"usage":{"tokens":1.50E+2}}', 1).tokens.numberText(), '1.50E+2');
    const kinds = { true: 'true', false: 'false', null: 'null', '{}': 'object', '[]': 'array', '""': 'string' };
    for (const [json, kind] of Object.entries(kinds)) {
      const { model } = scanned(`{"model":${json}}`);
      assert.equal(model.kind, kind);
      assert.equal(model.complete, true);
    }
    assert.equal(scanned('{"model":""}').model.string(), '');
  });

  test('a text above the bound is known as too long, whole and in pieces; one at the bound is kept', () => {
    for (const pieceBytes of [1, 1000, 1e6]) {
      assert.equal(scanned(`{"model":"${'m'.repeat(watchedBytesMax)}"}`, pieceBytes).model.string()?.length, watchedBytesMax);
      const { model } = scanned(`{"model":"${'m'.repeat(watchedBytesMax + 1)}"}`, pieceBytes);
      assert.deepEqual([model.kind, model.complete, model.string()], ['string', true, null]);
    }
  });

  test('a value counts as complete only when it has been seen to its end', () => {
    const { model, usage } = scanned('{"usage":{"tokens":5},"model":"gp');
    assert.equal(usage.complete, true);
    assert.equal(model.string(), null);
    assert.equal(scanned('{"usage":{"tokens":5').tokens.numberText(), null);
    assert.equal(scanned('{"usage":{"tokens":5').usage.complete, false);
  });

  test('a cleared scanner begins a new text, wherever the last one stopped', () => {
    const { scanner, model } = scanned('{"choices":[{"reason":"st');
    scanner.clear();
    scanner.push(encoder.encode('{"model":"b"}'));
    assert.equal(scanner.verdict(), 'valid');
    assert.equal(model.string(), 'b');
  });

  test('also if it stopped inside a character, or at invalid bytes', () => {
    for (const bytes of [[0xe0], [0xed], [0xf0], [0xf0, 0x80], [0xf4], [0xf4, 0x90], [0xc3], [0x5c, 0x75, 0x64]]) {
      const { scanner, model } = scanned('{"model":"');
      scanner.push(Uint8Array.from(bytes));
      scanner.clear();
      scanner.push(encoder.encode('{"model":"\u2028\u{10348}\u{1fbff}"}'));
      assert.deepEqual([scanner.verdict(), model.string()], ['valid', '\u2028\u{10348}\u{1fbff}'], String(bytes));
    }
  });

  test('any JSON object, written any way and cut anywhere: the places hold what JSON.parse gives', () => {
    const member = fc.tuple(fc.constantFrom('model', 'usage', 'choices', 'other'), fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter })));
    fc.assert(fc.property(fc.array(member, { maxLength: 6 }), fc.array(fc.nat(40), { minLength: 1, maxLength: 20 }), fc.nat(3),
      (members, cuts, indent) => {
      const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value, null, indent)}`).join(' , ')}}`;
      const { scanner, model } = scanned('');
      const bytes = encoder.encode(text);
      for (let i = 0, n = 0; i < bytes.length; n++) {
        const to = Math.min(bytes.length, i + 1 + cuts[n % cuts.length]!);
        scanner.push(bytes, i, to);
        i = to;
      }
      assert.equal(scanner.verdict(), 'valid');
      const parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
      assert.equal(model.string(), typeof parsed['model'] === 'string' ? parsed['model'] : null);
      assert.equal(model.numberText(), typeof parsed['model'] === 'number' ? JSON.stringify(parsed['model']) : null);
    }), { numRuns: draws(500) });
  });
});
