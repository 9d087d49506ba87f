/** Whether a body asks for work in the background, cut anywhere and however it hides it. Rule 6c. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LaterScanner } from './later-scanner.ts';
import { askedInBody, type AskedInBody } from './later-work.ts';
import type { AskedLater } from './unmetered.ts';

const encoder = new TextEncoder();

function asked(body: string | Uint8Array, pieceBytes: number, members: AskedInBody = { background: [] }): AskedLater {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const scanner = new LaterScanner(members);
  for (let from = 0; from < bytes.length; from += pieceBytes) scanner.push(bytes.slice(from, from + pieceBytes));
  return scanner.result();
}

const cases: readonly [AskedLater, readonly (string | Uint8Array)[]][] = [
  ['no', [
    '{}', '{"model":"m","input":"background"}', '{"background":false}', '{"background":null}', ' {"background" : false } ',
    '{"input":{"background":true}}', '{"input":[{"background":true}],"background":false}', '{"background":false,"background":null}',
    '{"metadata":{"background":"true"}}', '{"backgrounds":true}',
  ]],
  ['yes', [
    '{"background":true}', '{"background":1}', '{"background":"true"}', '{"background":{}}', '{"background":[]}', '{"background":0}',
    '{"\\u0062ackground":true}', '{"background":true,"background":false}', '{"background":false,"background":true}',
    '{"background":{},"background":false}', '{"background":[1],"x":1,"background":null}', `{"input":"${'x'.repeat(9_000)}","background":true}`,
    // Read that far, it asks for it; what follows does not take that back.
    '{"background":true,"x":1',
  ]],
  ['unread', [
    '', ' ', '[]', '"background"', '{"model":"m"', '{"model":"m"}x', '\ufeff{"background":true}', '{model:1}', `{"x":${'['.repeat(100_000)}`,
    gzipSync('{"background":true}'), Buffer.from('{"background":true}', 'utf16le'), new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    '--b\r\ncontent-disposition: form-data; name="background"\r\n\r\ntrue\r\n--b--',
  ]],
];

test('a body says no only if it was read to its end as one object, and no value of the name asks for it', () => {
  for (const [expected, bodies] of cases) {
    for (const body of bodies) for (const pieceBytes of [1, 7, 1_000_000]) assert.equal(asked(body, pieceBytes), expected, String(body).slice(0, 60));
  }
});

test('a member with texts that are served at once asks for it with any other value, however written', () => {
  const members = askedInBody('/v1/interactions')!;
  const bodies: readonly (readonly [AskedLater, string])[] = [
    ['no', '{"model":"m","service_tier":"standard"}'], ['no', '{"service_tier":"FLEX","background":false}'], ['no', '{"serviceTier":"priority"}'],
    ['yes', '{"service_tier":"deferred"}'], ['yes', '{"serviceTier":"DEFERRED"}'], ['yes', '{"service_tier":4}'], ['yes', '{"service_tier":""}'],
    ['yes', '{"service_tier":"deferred","service_tier":"standard"}'], ['yes', `{"service_tier":"${'x'.repeat(9_000)}"}`],
    ['yes', '{"background":true,"service_tier":"standard"}'], ['unread', '{"service_tier":"standa'],
  ];
  for (const [expected, body] of bodies) for (const pieceBytes of [1, 7, 100_000]) assert.equal(asked(body, pieceBytes, members), expected, body);
});
