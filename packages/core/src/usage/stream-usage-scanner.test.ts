/** Whether a body asks for a stream without its usage, cut anywhere and however it says so. Rule 6c. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { StreamUsageScanner } from './stream-usage-scanner.ts';
import type { AskedLater } from './unmetered.ts';

const encoder = new TextEncoder();

function asked(body: string | Uint8Array, pieceBytes: number): AskedLater {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const scanner = new StreamUsageScanner();
  for (let from = 0; from < bytes.length; from += pieceBytes) scanner.push(bytes.slice(from, from + pieceBytes));
  return scanner.result();
}

const on = '{"include_usage":true}';
const cases: readonly [AskedLater, readonly (string | Uint8Array)[]][] = [
  ['no', [
    '{}', '{"model":"m"}', '{"stream":false}', '{"stream":null}', `{"stream":true,"stream_options":${on}}`, `{"stream_options":${on},"stream":true}`,
    '{"stream":false,"stream_options":{"include_usage":false}}', '{"messages":[{"stream":true}]}',
    '{"stream":true,"stream_options":{"include_obfuscation":false,"include_usage":true}}',
    `{"stream":true,"stream_options":${on},"stream_options":${on}}`,
  ]],
  ['yes', [
    '{"stream":true}', '{"stream":true,"stream_options":{}}', '{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":[]}',
    '{"stream":true,"stream_options":{"include_usage":false}}', '{"stream":true,"stream_options":{"include_usage":"true"}}',
    '{"stream":true,"stream_options":{"include_usage":1}}', '{"\\u0073tream":true}', '{"stream":1}', '{"stream":"true"}',
    '{"stream":true,"stream":false}', '{"stream":false,"stream":true}',
    // Servers differ in which of two equal names they take.
    `{"stream":true,"stream_options":${on},"stream_options":{}}`, `{"stream":true,"stream_options":{},"stream_options":${on}}`,
    '{"stream":true,"stream_options":{"include_usage":false,"include_usage":true}}',
    '{"stream":true,"stream_options":{"include_usage":[],"include_usage":true}}',
    '{"stream":true,"stream_options":{"include_usage":true,"include_usage":null}}', `{"stream":true,"stream_options":null,"stream_options":${on}}`,
    '{"stream":true,"stream_options":{"x":{"include_usage":true}}}', `{"stream":true,"other":${on}}`,
  ]],
  ['unread', ['', '[]', '{"stream":false', `\ufeff{"stream":true,"stream_options":${on}}`, gzipSync('{"stream":false}'), '{"stream":false}x']],
];

test('a body asks for no usage unless each of its options does; one that is not read to its end as one object may', () => {
  for (const [expected, bodies] of cases) {
    for (const body of bodies) for (const pieceBytes of [1, 7, 1_000_000]) assert.equal(asked(body, pieceBytes), expected, String(body));
  }
});
