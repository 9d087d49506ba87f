/** Refusals reach the store together, wait while it is away, and never take more memory than allowed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import { createRefusalDesk } from './refusal-desk.ts';

const count = (key: string, refusals: number): RefusalCount =>
  ({ organization: 'org_a', key, code: 'rate_limit_exceeded', scope: null, window: null, hourMs: 0, refusals }) as unknown as RefusalCount;

function deskOn({ away = false, max }: { away?: boolean; max?: number } = {}) {
  const written: RefusalCount[][] = [];
  const store = { away };
  const desk = createRefusalDesk({
    add: async (counts) => {
      if (store.away) throw new Error('away');
      written.push([...counts]);
    },
  }, max);
  return { desk, written, store };
}

test('new counts are written once, equal ones added up; without new ones nothing is written', async () => {
  const { desk, written } = deskOn();
  await desk.write();
  desk.receive([count('a', 1), count('b', 2)]);
  desk.receive([count('a', 4)]);
  await desk.write();
  await desk.write();
  assert.deepEqual(written, [[count('a', 5), count('b', 2)]]);
});

test('while the store is away the counts wait, and new ones are added', async () => {
  const { desk, written, store } = deskOn({ away: true });
  desk.receive([count('a', 1)]);
  const failed = assert.rejects(desk.write(), /away/);
  desk.receive([count('a', 2)]);
  await failed;
  store.away = false;
  await desk.write();
  assert.deepEqual(written, [[count('a', 3)]]);
});

test('past the bound new kinds of refusals are lost, known kinds still count', async () => {
  const { desk, written } = deskOn({ max: 2 });
  desk.receive([count('a', 1), count('b', 1), count('c', 1), count('a', 1)]);
  await desk.write();
  assert.deepEqual(written, [[count('a', 2), count('b', 1)]]);
});
