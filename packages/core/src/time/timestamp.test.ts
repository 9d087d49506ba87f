/**
 * Which texts are timestamps (RFC 3339, calendar dates, offset required, leap seconds where they can be) and which instant they
 * name. Rules 30 and 30a. The public verdicts are used where they lie beside the checkout.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { timestampMs } from './timestamp.ts';

test('an instant is named the same by every offset', () => {
  const atMs = Date.UTC(2026, 2, 4, 12, 30, 15, 123);
  for (const text of [
    '2026-03-04T12:30:15.123Z', '2026-03-04t12:30:15.123z', '2026-03-04T12:30:15.123+00:00', '2026-03-04T12:30:15.123-00:00',
    '2026-03-04T13:30:15.123+01:00', '2026-03-04T03:00:15.123-09:30', '2026-03-05T12:29:15.123+23:59', '2026-03-04T12:30:15.1239999Z',
  ]) assert.equal(timestampMs(text), atMs, text);
  assert.equal(timestampMs('2026-03-04T12:30:15.1Z'), Date.UTC(2026, 2, 4, 12, 30, 15, 100));
  assert.equal(timestampMs('2026-03-04T12:30:15Z'), Date.UTC(2026, 2, 4, 12, 30, 15));
  assert.equal(timestampMs('0000-01-01T00:00:00Z'), -62_167_219_200_000);
  assert.equal(timestampMs('0099-12-31T00:00:00Z'), -59_011_545_600_000);
});

test('the calendar is kept: leap years, lengths of months, no day or month 0', () => {
  for (const text of ['2024-02-29T00:00:00Z', '2000-02-29T00:00:00Z', '2026-12-31T23:59:59Z']) assert.notEqual(timestampMs(text), null, text);
  for (const text of [
    '2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-10T00:00:00Z',
    '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z',
  ]) assert.equal(timestampMs(text), null, text);
});

test('a leap second exists at 23:59:60 UTC only, and belongs to the day it ends', () => {
  const lastMs = Date.UTC(2016, 11, 31, 23, 59, 59, 999);
  for (const text of ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60.9Z', '2017-01-01T00:59:60+01:00', '2016-12-31T15:59:60-08:00']) {
    assert.equal(timestampMs(text), lastMs, text);
  }
  for (const text of ['2016-12-31T23:59:61Z', '2016-12-31T23:58:60Z', '2016-12-31T22:59:60Z', '2016-12-31T23:59:60+01:00']) {
    assert.equal(timestampMs(text), null, text);
  }
});

test('anything else is none: no offset, a space for the T, short offsets, signs, line ends, foreign digits', () => {
  for (const text of [
    '', '2026-03-04', '2026-03-04T12:30:15', '2026-03-04 12:30:15Z', '2026-03-04T12:30Z', '2026-03-04T12:30:15+0100', '2026-03-04T12:30:15+01',
    '2026-03-04T12:30:15.Z', '2026-03-04T12:30:15,1Z', '+2026-03-04T12:30:15Z', '2026-03-04T12:30:15Z\n', ' 2026-03-04T12:30:15Z',
    '2026-03-04T24:00:00Z', '2026-03-04T12:60:00Z', '2026-03-04T12:30:15+24:00', '2026-03-04T12:30:15+10:60', '2026-3-4T12:30:15Z',
    '২০২৬-03-04T12:30:15Z', 'Wed, 04 Mar 2026 12:30:15 GMT', '2026-063T12:30:15Z',
  ]) assert.equal(timestampMs(text), null, JSON.stringify(text));
});

const file = new URL('../../../../../shared/inputs/date-time.json', import.meta.url);
const verdicts: readonly (readonly [string, boolean])[] = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as { tests: { data: unknown; valid: boolean }[] }[])
    .flatMap(({ tests }) => tests).flatMap(({ data, valid }): [string, boolean][] => (typeof data === 'string' ? [[data, valid]] : []))
  : [['1963-06-19T08:30:06.283185Z', true], ['1998-12-31T23:59:60Z', true], ['1990-02-31T15:59:59.123-08:00', false]];

test('the public verdicts on date-time are ours', () => {
  assert.ok(verdicts.length >= 3);
  for (const [text, valid] of verdicts) assert.equal(timestampMs(text) !== null, valid, JSON.stringify(text));
});
