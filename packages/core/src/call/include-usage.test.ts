/** Where `stream_options` is inserted, compared with JSON.parse (Endpoints rules 1 and 2). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createStreamFlagScanner, includeUsageBytes, type IncludeUsageDecision } from './include-usage.ts';

const encoder = new TextEncoder();
const suite = new URL('../../../../../shared/inputs/json/', import.meta.url);

function decided(bytes: Uint8Array, pieceBytes = bytes.length || 1): { decision: IncludeUsageDecision; streamRequested: boolean } {
  const scanner = createStreamFlagScanner();
  for (let i = 0; i < bytes.length; i += pieceBytes) scanner.push(bytes.subarray(i, i + pieceBytes));
  return { decision: scanner.result(), streamRequested: scanner.streamRequested };
}

/** What JavaScript makes of the body: the oracle. */
function asJavaScript(bytes: Uint8Array): { insert: boolean; stream: boolean } {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { insert: false, stream: false };
    const stream = Object.hasOwn(value, 'stream') && (value as { stream: unknown }).stream === true;
    return { stream, insert: stream && !Object.hasOwn(value, 'stream_options') };
  } catch {
    return { insert: false, stream: false };
  }
}

function checkAgainstJavaScript(bytes: Uint8Array): void {
  const oracle = asJavaScript(bytes);
  for (const pieceBytes of [bytes.length || 1, 1, 3]) {
    const { decision, streamRequested } = decided(bytes, pieceBytes);
    assert.equal(streamRequested, oracle.stream);
    assert.equal(decision.kind, oracle.insert ? 'insert' : 'untouched');
    if (decision.kind === 'untouched') continue;
    const { at } = decision;
    assert.equal(bytes[at - 1], 0x7b);
    const edited = Buffer.concat([bytes.subarray(0, at), includeUsageBytes, bytes.subarray(at)]);
    const before = JSON.parse(Buffer.from(bytes).toString()) as object;
    assert.deepEqual(JSON.parse(edited.toString()), { ...before, stream_options: { include_usage: true } });
  }
}

describe('Endpoints rule 1: stream_options is added if stream is literally true and stream_options absent', () => {
  const inserted = [
    '{"stream":true}', ' \r\n\t{ "model":"m" , "stream" : true }\n', '{"stream":false,"stream":true}', '{"\\u0073tream":true}',
    '{"messages":[{"stream_options":{}}],"stream":true}', '{"stream":true,"a":"\\"stream_options\\":1"}',
    '{"stream":true,"a":{"stream":false}}', '{"stream":true,"é":"你"}', '{"stream":true,"stream_option":1,"stream_optionss":2}',
    `{"stream":true,"a":${'['.repeat(500)}${']'.repeat(500)}}`,
  ];
  for (const body of inserted) {
    test(`inserted: ${body.slice(0, 70)}`, () => {
      assert.equal(decided(encoder.encode(body)).decision.kind, 'insert');
      checkAgainstJavaScript(encoder.encode(body));
    });
  }
});

describe('Endpoints rule 2, and bodies the provider must judge: untouched', () => {
  const untouched = [
    '', '   ', '{}', '{"stream":false}', '{"stream":true,"stream":false}', '{"stream":true,"stream_options":null}',
    '{"stream":true,"stream_options":{"include_usage":false}}', '{"stream_options":{},"stream":true}',
    '{"stream":true,"stream\\u005foptions":null}', '{"stream":"true"}', '{"stream":1}', '{"stream":[true]}', '{"stream":{"a":true}}',
      '{"stream":null}',
    '{"a":{"stream":true}}', '["stream",true]', '[{"stream":true}]', 'true', '"stream"', '{"stream":true}x', '{"stream":true}{}',
      '{"stream":true',
    '{"stream":true,}', '\uFEFF{"stream":true}', '{"Stream":true}', '{"stream ":true}', '{"stream":tru}', '// {"stream":true}',
  ];
  for (const body of untouched) {
    test(`untouched: ${body}`, () => {
      assert.equal(decided(encoder.encode(body)).decision.kind, 'untouched');
      checkAgainstJavaScript(encoder.encode(body));
    });
  }

  test('invalid UTF-8 in an unrelated string, and a compressed body', () => {
    const invalid = Buffer.from('{"stream":true,"a":"\xff"}', 'latin1');
    assert.equal(decided(invalid).decision.kind, 'untouched');
    assert.equal(decided(invalid, 1).decision.kind, 'untouched');
    assert.equal(decided(Buffer.from('1f8b0800000000000003', 'hex')).decision.kind, 'untouched');
  });

  test('nested a million deep: decided, without a stack', () => {
    const body = encoder.encode(`{"stream":true,"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`);
    assert.equal(decided(body).decision.kind, 'insert');
    assert.equal(decided(encoder.encode(`{"stream":true,"a":${'['.repeat(1e6)}`)).decision.kind, 'untouched');
  });
});

if (existsSync(suite)) {
  describe('the JSON test suite as bodies, as they are and around a stream flag', () => {
    for (const file of readdirSync(suite).filter((name) => name.endsWith('.json'))) {
      test(`${file}: decided as JavaScript reads it`, () => {
        const bytes = readFileSync(new URL(encodeURIComponent(file), suite));
        checkAgainstJavaScript(bytes);
        if (bytes.length < 10_000) checkAgainstJavaScript(Buffer.concat([Buffer.from('{"stream":true,"v":'), bytes, Buffer.from('}')]));
      });
    }
  });
}
