/** How soon the journal is looked at, by what the last looks found in all cells. What is closed is never left for long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shippingPaces, type ShippingPace } from './shipping-pace.ts';

/** Pauses behind looks that each found so many rows so long after the one before. */
function pauses(
  engine: 'sqlite' | 'postgres', looks: readonly { readonly afterMs: number; readonly rows: number; readonly tookMs?: number }[],
): number[] {
  let nowMs = 5_000;
  const pace = shippingPaces(engine, () => nowMs)();
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

test('two calls that end together make no busy node of a shared store; fifty that do make one', () => {
  const looks = [{ afterMs: 60_000, rows: 1 }, { afterMs: 5, rows: 1 }, { afterMs: 20, rows: 1 }, { afterMs: 20, rows: 50 }];
  assert.deepEqual(pauses('postgres', looks).map((ms) => ms > 20), [false, false, false, true]);
});

/** Cells of one node on PostgreSQL, of which each found so many rows a second for long. */
function cellsAt(...speeds: readonly number[]): ShippingPace[] {
  let nowMs = 0;
  const paceOfCell = shippingPaces('postgres', () => nowMs);
  const cells = speeds.map(() => paceOfCell());
  nowMs = 60_000;
  for (const [index, rows] of speeds.entries()) cells[index]!.found(rows * 60, 5);
  return cells;
}

const pausesAt = (...speeds: readonly number[]): number[] => cellsAt(...speeds).map(({ pauseMs }) => pauseMs);

test('on a shared store a busy node waits 400 ms, whatever its pace', () => {
  assert.deepEqual([5_000, 400, 50, 49].flatMap((speed) => pausesAt(speed)), [400, 400, 400, 20]);
});

test('what keeps a server busy is all cells together: many quiet ones wait as one busy one does', () => {
  assert.deepEqual(pausesAt(20, 20, 20, 0), [400, 400, 400, 400]);
  assert.deepEqual(pausesAt(400, 1), [400, 400]);
  assert.deepEqual(pausesAt(12, 12), [20, 20]);
});
