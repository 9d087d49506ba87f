/** At a stop a work that does not end, in one cell or in all, keeps nothing waiting past the bound. Decision 320. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@metergate/store/store.ts';
import { createCellWorks } from './cell-works.ts';

test('the end waits for work that ends, and past its bound for none', async () => {
  const cells = [0, 1].map((number) => ({ number, store: async () => ({}) as Store }));
  const ended: number[] = [];
  let made = 0;
  const works = createCellWorks({ cells: () => cells as never, make: () => made++, failed: (_what, fault) => { throw fault; } });
  await works.pass('work', async () => {});
  await works.end(async (number) => { ended.push(number); }, 3_600_000);
  assert.deepEqual(ended, [0, 1]);
  await works.end((number) => number === 0 ? new Promise(() => {}) : Promise.reject(new Error('its lease')), 1);
});
