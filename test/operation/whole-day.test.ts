/** A small day through the real product, killed and restarted, on both engines: every figure is the same, to the nano-dollar. */
import { test } from 'node:test';
import { assertEqualEverywhere, wholeDay } from './whole-day.ts';

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`records, usage, caps, exports, statement and FOCUS agree after failures, kills and restarts on ${engine}`, { timeout: 300_000 }, async () => {
    assertEqualEverywhere(await wholeDay({ calls: 1_000, engine, restarts: 2 }));
  });
}
