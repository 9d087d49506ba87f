/**
 * One organization does everything at once that could harm another, and the other's calls, runs, sign-ins, pages and tap events all succeed; its
 * records are exact, and afterwards the product holds nothing. How fast they are is what `bench/neighbour.ts` measures.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldAtLast } from '../../bench/attacks/held.ts';
import { startNeighbours } from '../../bench/attacks/neighbours.ts';

/** In one process: what it attacks with is then no more than what is left of the machine. */
const everything = 'stalled,dripping,idle,leavers,readers,plain,large,bombs,bombs-gzip,bombs-deflate,bombs-zstd,runs,tap,texts,names,holes,doors,'
  + 'exports,reports';

test('a hostile organization makes no call, run, sign-in, page or tap event of another fail, and leaves nothing held', async () => {
  const neighbours = await startNeighbours({ pastCalls: 0, scale: 0.1 });
  const { neighbour, system } = neighbours;
  try {
    const end = await neighbours.attack([everything]);
    const times = 3;
    const took = await neighbour.live({ times });
    await end();
    assert.deepEqual(neighbour.faults, []);
    assert.deepEqual(Object.values(took).map(({ length }) => length), Object.values(took).map(() => times));
    assert.deepEqual(await neighbours.recordFaults(), []);
    assert.deepEqual(await heldAtLast(system.opsUrl), []);
    assert.equal(neighbour.calls, 3 * times);
  } finally {
    await neighbours.stop();
  }
});
