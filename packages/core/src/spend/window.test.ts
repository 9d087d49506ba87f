/** Windows at their boundaries, and the property that makes them windows. Spec: Budget cap; rule 5a. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { calendarWindows, compareLength, windowAt, type CalendarWindow } from './window.ts';

const boundsText = (window: CalendarWindow, instant: string): string => {
  const { startMs, endMs } = windowAt(window, Date.parse(instant));
  return `${new Date(startMs).toISOString().slice(0, 16)} ${endMs === null ? 'never' : new Date(endMs).toISOString().slice(0, 16)}`;
};

describe('windows in UTC, weeks from Monday (rule 5a)', () => {
  const rows: readonly [window: CalendarWindow, instant: string, bounds: string][] = [
    ['day', '2026-09-23T00:00:00.000Z', '2026-09-23T00:00 2026-09-24T00:00'],
    ['day', '2026-09-23T23:59:59.999Z', '2026-09-23T00:00 2026-09-24T00:00'],
    ['day', '2026-03-29T01:30:00.000Z', '2026-03-29T00:00 2026-03-30T00:00'],
    ['day', '2028-02-29T12:00:00.000Z', '2028-02-29T00:00 2028-03-01T00:00'],
    ['week', '2026-09-20T23:59:59.999Z', '2026-09-14T00:00 2026-09-21T00:00'],
    ['week', '2026-09-21T00:00:00.000Z', '2026-09-21T00:00 2026-09-28T00:00'],
    ['week', '2027-01-01T00:00:00.000Z', '2026-12-28T00:00 2027-01-04T00:00'],
    ['week', '1970-01-01T00:00:00.000Z', '1969-12-29T00:00 1970-01-05T00:00'],
    ['week', '2028-02-29T12:00:00.000Z', '2028-02-28T00:00 2028-03-06T00:00'],
    ['month', '2026-09-30T23:59:59.999Z', '2026-09-01T00:00 2026-10-01T00:00'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00 2027-01-01T00:00'],
    ['month', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00 2028-03-01T00:00'],
    ['month', '2100-02-28T23:59:59.999Z', '2100-02-01T00:00 2100-03-01T00:00'],
    ['year', '2028-12-31T23:59:59.999Z', '2028-01-01T00:00 2029-01-01T00:00'],
    ['year', '2029-01-01T00:00:00.000Z', '2029-01-01T00:00 2030-01-01T00:00'],
    ['year', '1970-01-01T00:00:00.000Z', '1970-01-01T00:00 1971-01-01T00:00'],
    ['lifetime', '2026-09-23T12:00:00.000Z', '1970-01-01T00:00 never'],
  ];
  for (const [window, instant, bounds] of rows) it(`${window} of ${instant}`, () => assert.equal(boundsText(window, instant), bounds));

  it('every instant is in exactly one window, and the next begins where it ends', () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(9_999, 0) });
    const resetting = fc.constantFrom<CalendarWindow>('day', 'week', 'month', 'year');
    fc.assert(fc.property(resetting, instant, (window, instantMs) => {
      const { startMs, endMs } = windowAt(window, instantMs);
      assert.ok(endMs !== null && startMs <= instantMs && instantMs < endMs);
      assert.deepEqual(windowAt(window, startMs), { startMs, endMs });
      assert.deepEqual(windowAt(window, endMs - 1), { startMs, endMs });
      assert.equal(windowAt(window, endMs).startMs, endMs);
      if (startMs > 0) assert.equal(windowAt(window, startMs - 1).endMs, startMs);
    }), { numRuns: draws(2_000) });
  });

  it('a week begins on a Monday, a month on a first', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: Date.UTC(9_999, 0) }), (instantMs) => {
      assert.equal(new Date(windowAt('week', instantMs).startMs).getUTCDay(), 1);
      assert.equal(new Date(windowAt('month', instantMs).startMs).getUTCDate(), 1);
    }));
  });

  it('the list goes from the shortest to the longest', () => {
    assert.deepEqual([...calendarWindows].sort(compareLength), calendarWindows);
    assert.ok(compareLength('month', 'week') > 0 && compareLength('day', 'lifetime') < 0);
  });
});
