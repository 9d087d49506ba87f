/** Refusals reach the store together, wait while it is away, and never take more memory than allowed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import { createRefusalDesk } from './refusal-desk.ts';

const count = (key: string, refusals: number): RefusalCount =>
  ({ organization: 'org_a', key, code: 'rate_limit_exceeded', scope: null, window: null, hourMs: 0, refusals }) as unknown as RefusalCount;

const entry = (key: string, id: string): RefusalEntry => ({ organization: 'org_a', key, id }) as unknown as RefusalEntry;

function deskOn({ away = false, max }: { away?: boolean; max?: number } = {}) {
  const written: RefusalCount[][] = [];
  const logged: RefusalEntry[][] = [];
  const store = { away };
  const into = <Item>(list: Item[][]) => ({
    add: async (items: readonly Item[]) => {
      if (store.away) throw new Error('away');
      list.push([...items]);
    },
  });
  const desk = createRefusalDesk({ hours: into(written), log: into(logged) }, max);
  return { desk, written, logged, store };
}

test('new counts are written once, equal ones added up; without new ones nothing is written', async () => {
  const { desk, written } = deskOn();
  await desk.write();
  desk.receive([count('a', 1), count('b', 2)], []);
  desk.receive([count('a', 4)], []);
  await desk.write();
  await desk.write();
  assert.deepEqual(written, [[count('a', 5), count('b', 2)]]);
});

test('while the store is away the counts wait, and new ones are added', async () => {
  const { desk, written, store } = deskOn({ away: true });
  desk.receive([count('a', 1)], []);
  const failed = assert.rejects(desk.write(), /away/);
  desk.receive([count('a', 2)], []);
  await failed;
  store.away = false;
  await desk.write();
  assert.deepEqual(written, [[count('a', 3)]]);
});

test('past the bound new kinds of refusals are lost, known kinds still count', async () => {
  const { desk, written } = deskOn({ max: 2 });
  desk.receive([count('a', 1), count('b', 1), count('c', 1), count('a', 1)], []);
  await desk.write();
  assert.deepEqual(written, [[count('a', 2), count('b', 1)]]);
});

test('entries wait while the store is away; a key that floods leaves room for others', async () => {
  const { desk, logged, store } = deskOn({ away: true });
  desk.receive([], [entry('a', 'first')]);
  await assert.rejects(desk.write(), /away/);
  for (let each = 0; each < 300; each += 1) desk.receive([], Array.from({ length: 20 }, (_, of) => entry('a', `${each} ${of}`)));
  desk.receive([], [entry('b', 'quiet')]);
  store.away = false;
  await desk.write();
  await desk.write();
  assert.equal(logged.length, 1);
  assert.equal(logged[0]!.length, 201);
  assert.deepEqual([logged[0]!.at(0), logged[0]!.at(-1)], [entry('a', 'first'), entry('b', 'quiet')]);
});
