/** Which key a request presents, decided on its raw lines (Authentication 1). */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { presentedServiceKey } from './service-key.ts';

const good = `svc_live_${'a'.repeat(43)}`;
const other = `svc_live_${'b'.repeat(43)}`;

const cases: [string, string[], string | null][] = [
  ['a bearer key', ['Authorization', `Bearer ${good}`], good],
  ['the scheme in lower case', ['authorization', `bearer ${good}`], good],
  ['the scheme in any case', ['authorization', `bEARER ${good}`], good],
  ['several spaces after the scheme', ['authorization', `Bearer   ${good}`], good],
  ['a bad bearer in lower case is not mended either', ['authorization', 'bearer nope', 'x-api-key', good], null],
  ['an empty bearer in lower case is a bearer', ['authorization', 'bearer', 'x-api-key', good], null],
  ['no space after the scheme', ['authorization', `bearer${good}`], null],
  ['x-api-key alone', ['X-API-KEY', good], good],
  ['bearer before x-api-key, whatever the order', ['x-api-key', other, 'authorization', `Bearer ${good}`], good],
  ['a bad bearer is not mended by a good x-api-key', ['authorization', 'Bearer nope', 'x-api-key', good], null],
  ['an empty bearer is a bearer', ['authorization', 'Bearer', 'x-api-key', good], null],
  ['Basic is no bearer', ['authorization', 'Basic abc', 'x-api-key', good], good],
  ['the first bearer line decides', ['authorization', `Bearer ${good}`, 'authorization', `Bearer ${other}`], good],
  ['the first x-api-key line decides', ['x-api-key', other, 'x-api-key', good], other],
  ['Bearer twice', ['authorization', `Bearer Bearer ${good}`], null],
  ['another prefix', ['authorization', `Bearer svc_tap_${'a'.repeat(64)}`], null],
  ['an injected quote', ['authorization', "Bearer x' OR pg_sleep(8)--"], null],
  ['NUL inside', ['authorization', `Bearer ${good}\x00`], null],
  ['16 KiB', ['authorization', `Bearer svc_live_${'a'.repeat(16_384)}`], null],
  ['nothing', [], null],
];
for (const [name, headers, expected] of cases) {
  test(`Authentication 1: ${name}`, () => assert.equal(presentedServiceKey(headers), expected));
}
