/** Durations, times, numbers and price pairs in their forms, everything else a usage fault that names the option. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageFault } from './command.ts';
import { givenDollars, dollarsOrNone, givenDurationMs, monthArgumentMs, monthMs, pricePair, timeMs, givenWholeNumber } from './value-forms.ts';

const refuses = (work: () => unknown, option: string): void => {
  assert.throws(work, (error) => error instanceof UsageFault && error.message.startsWith(`--${option} must be`));
};

test('durations are 30s, 15m, 24h, 7d and nothing else', () => {
  assert.deepEqual(['30s', '15m', '24h', '7d'].map((text) => givenDurationMs('expires', text)), [30_000, 900_000, 86_400_000, 604_800_000]);
  for (const text of ['', '0s', '30', 's', '1.5h', '-1d', '1w', '30 s', '9999999999s']) refuses(() => givenDurationMs('expires', text), 'expires');
});

test('times have the forms that all reports take; an invalid one is refused by the option\'s name', () => {
  const nowMs = Date.UTC(2026, 10, 1, 12);
  assert.equal(timeMs('since', '2026-09-23T14:00:00.5+02:00', nowMs), Date.UTC(2026, 8, 23, 12, 0, 0, 500));
  assert.equal(timeMs('since', 'yesterday', nowMs), Date.UTC(2026, 9, 31));
  assert.equal(monthMs('month', '2026-11'), Date.UTC(2026, 10));
  for (const text of ['', '2026-02-30', '2026-09-23T14:00:00', '1790000000']) refuses(() => timeMs('since', text, nowMs), 'since');
  refuses(() => monthMs('month', '2026-11-01'), 'month');
  const said = (text: string): string => {
    try {
      return String(monthArgumentMs(text));
    } catch (fault) {
      return (fault as Error).message;
    }
  };
  assert.equal(said('October'), 'The month must be a month such as 2026-11, not October. Write YYYY-10, with the year for YYYY.');
  assert.match(said('oct 2026'), / Write 2026-10\.$/);
  for (const other of ['2026-13', 'Octopus', 'ma', '']) assert.doesNotMatch(said(other), /Write/);
});

test('whole numbers lie within their bounds', () => {
  assert.equal(givenWholeNumber('limit', '10000', { min: 1, max: 10_000 }), 10_000);
  for (const text of ['0', '10001', '1e3', '-1', '1.0', '']) refuses(() => givenWholeNumber('limit', text, { min: 1, max: 10_000 }), 'limit');
});

test('a price pair is IN/OUT in US dollars, or none', () => {
  assert.deepEqual(pricePair('fallback-price', '2.50/10'), { input: '2.50', output: '10' });
  assert.equal(pricePair('fallback-price', 'none'), null);
  for (const text of ['2.50', '2.50/', '/1', '-1/2', '1e3/2', '1/2/3', '$1/$2']) refuses(() => pricePair('fallback-price', text), 'fallback-price');
});

test('amounts of US dollars are plain decimals; one too large or too fine is refused with the bounds', () => {
  assert.deepEqual(['0', '2.50', '0.000000001'].map((text) => givenDollars('limit', text)), ['0', '2.50', '0.000000001']);
  assert.equal(dollarsOrNone('run-ceiling', 'none'), null);
  for (const text of ['', '-1', '+1', '.5', '5.', '1e3', '1,5', '$5', '\uff11', '5\n']) refuses(() => givenDollars('limit', text), 'limit');
  for (const text of ['99999999999', '0.0000000001']) {
    assert.throws(() => givenDollars('limit', text), /below 9\.2 billion, with at most nine decimal places, not /);
    assert.throws(() => dollarsOrNone('run-ceiling', text), /below 9\.2 billion, with at most nine decimal places, or none, not /);
  }
});
