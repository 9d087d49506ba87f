/** How soon the journal is looked at, by what the last look found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShippingPace } from './shipping-pace.ts';

/** Pauses behind looks that each found so many rows so long after the one before. */
function pauses(
  engine: 'sqlite' | 'postgres', looks: readonly { readonly afterMs: number; readonly rows: number; readonly tookMs?: number }[],
): number[] {
  let nowMs = 5_000;
  const pace = new ShippingPace(engine, () => nowMs);
  return looks.map(({ afterMs, rows, tookMs = 1 }) => {
    nowMs += afterMs;
    pace.found(rows, tookMs);
    return pace.pauseMs;
  });
}

test('an embedded store is looked after soon where few rows come, and later where many do', () => {
  assert.deepEqual(pauses('sqlite', [
    { afterMs: 500, rows: 1 },
    { afterMs: 50, rows: 2 },
    { afterMs: 50, rows: 3 },
    { afterMs: 200, rows: 60 },
    { afterMs: 200, rows: 9 },
  ]), [50, 50, 200, 200, 50]);
});

test('how long a pass took slows down a shared store alone', () => {
  const looks = [{ afterMs: 500, rows: 1 }, { afterMs: 500, rows: 1, tookMs: 80 }, { afterMs: 900, rows: 1, tookMs: 900 }];
  assert.deepEqual(pauses('sqlite', looks), [50, 50, 50]);
  assert.deepEqual(pauses('postgres', looks), [20, 80, 200]);
});

test('rows of one moment are no reason to divide by nothing', () => {
  assert.deepEqual(pauses('sqlite', [{ afterMs: 0, rows: 0 }, { afterMs: 0, rows: 1 }]), [50, 200]);
});
