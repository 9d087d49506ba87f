/** Whose password is hashed next, and that nobody fills the queue for others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHashingTurns, type HashingTurns } from './hashing-turns.ts';

/** Asks that often from there; what is done is noted by its place. */
function ask(turns: HashingTurns, from: string, { times, order }: { readonly times: number; readonly order: string[] }): (Promise<void> | null)[] {
  return Array.from({ length: times }, () => turns.take(from, async () => void order.push(from)));
}

test('whoever asks much waits for themselves: each place has a turn before any has its next', async () => {
  const [turns, order] = [createHashingTurns(), [] as string[]];
  const asked = [...ask(turns, 'a', { times: 5, order }), ...ask(turns, 'b', { times: 2, order }), ...ask(turns, 'c', { times: 1, order })];
  await Promise.all(asked);
  assert.equal(order.join(''), 'abcabaaa');
});

test('one place fills half of the queue, then half of what is left is another\'s', async () => {
  const [turns, order] = [createHashingTurns(), [] as string[]];
  const taken = (from: string): number => ask(turns, from, { times: 50, order }).filter((each) => each !== null).length;
  assert.deepEqual([taken('a'), taken('b'), taken('c')], [20, 10, 5]);
});

test('who asked has the answer before the rest, and the next one begins behind it', async () => {
  const told: string[] = [];
  const rests: PromiseWithResolvers<void>[] = [];
  const turns = createHashingTurns(() => {
    told.push('rest');
    rests.push(Promise.withResolvers());
    return rests.at(-1)!.promise;
  });
  const asked = ['a', 'b'].map((from) => turns.take(from, async () => void told.push(`begin ${from}`))!);
  await asked[0];
  await new Promise((resolve) => { setImmediate(resolve); });
  assert.deepEqual(told, ['begin a', 'rest']);
  rests[0]!.resolve();
  await asked[1];
  assert.deepEqual(told, ['begin a', 'rest', 'begin b']);
});

test('one at a time, and work that fails fails alone', async () => {
  const turns = createHashingTurns();
  let [underWay, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, underWay += 1);
    await Promise.resolve();
    underWay -= 1;
    throw new Error('no memory');
  };
  const asked = Array.from({ length: 4 }, (_, at) => turns.take(`place ${at}`, work)!);
  assert.deepEqual((await Promise.allSettled(asked)).map(({ status }) => status), ['rejected', 'rejected', 'rejected', 'rejected']);
  assert.equal(most, 1);
  assert.equal(await turns.take('a', async () => 'again'), 'again');
});
