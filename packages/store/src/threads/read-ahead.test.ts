/** Pieces that are read ahead come in order, so many at a time, and a fault is the asker's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAhead } from './read-ahead.ts';

/** Reads that end when the test says so. */
function reading() {
  const begun = new Map<number, { readonly end: () => void; readonly fail: () => void }>();
  return {
    begun: () => [...begun.keys()],
    end: (piece: number) => begun.get(piece)!.end(),
    fail: (piece: number) => begun.get(piece)!.fail(),
    read: (piece: number) => new Promise<string>((resolve, reject) => {
      begun.set(piece, { end: () => resolve(`read ${piece}`), fail: () => reject(new Error(`piece ${piece}`)) });
    }),
  };
}

test('pieces come in order, whichever is read first, and no more are read at a time than were asked for', async () => {
  const { begun, end, read } = reading();
  const found = readAhead([1, 2, 3], 2, read);
  const first = found.next();
  assert.deepEqual(begun(), [1, 2]);
  end(2);
  end(1);
  assert.deepEqual(await first, { done: false, value: 'read 1' });
  const second = found.next();
  assert.deepEqual(begun(), [1, 2, 3]);
  assert.deepEqual(await second, { done: false, value: 'read 2' });
  end(3);
  assert.deepEqual([await found.next(), await found.next()], [{ done: false, value: 'read 3' }, { done: true, value: undefined }]);
});

test('one at a time, a piece is read when it is asked for', async () => {
  const { begun, end, read } = reading();
  const found = readAhead([1, 2], 1, read);
  const first = found.next();
  end(1);
  await first;
  assert.deepEqual(begun(), [1]);
  await found.return();
  assert.deepEqual(begun(), [1]);
});

test('a fault is thrown at its piece; those that were begun beside it are forgotten, faults and all', async () => {
  const { begun, end, fail, read } = reading();
  const found = readAhead([1, 2, 3], 3, read);
  const first = found.next();
  fail(2);
  fail(3);
  end(1);
  assert.equal((await first).value, 'read 1');
  await assert.rejects(found.next(), /piece 2/);
  assert.deepEqual(begun(), [1, 2, 3]);
  assert.deepEqual(await found.next(), { done: true, value: undefined });
});
