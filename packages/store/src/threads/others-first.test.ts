/** Long work of several organizations on one thread. */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { othersFirst, workFor } from './others-first.ts';

/** The processor time of this thread, microseconds: it passes only where a test works. The real one goes on in ticks, which fall into any turn. */
let usedUs = 0;
before(() => { mock.method(process, 'threadCpuUsage', () => ({ user: usedUs, system: 0 })); });
after(() => mock.restoreAll());

/** Work of that many slices, each of which it notes. */
async function inSlices(organization: string, count: number, noted: string[]): Promise<void> {
  for (let slice = 0; slice < count; slice += 1) {
    await othersFirst();
    noted.push(organization);
  }
}

test('an organization with fifty reports under way has a slice for each slice of another with one', async () => {
  const noted: string[] = [];
  const loud = Array.from({ length: 50 }, () => workFor('loud', () => inSlices('loud', 4, noted)));
  const quiet = workFor('quiet', () => inSlices('quiet', 4, noted));
  await quiet;
  assert.ok(noted.length <= 9, noted.join(' '));
  await Promise.all(loud);
  assert.equal(noted.length, 204);
});

test('an organization with long slices has fewer of them: the processor time is shared, not the slices', async () => {
  const noted: string[] = [];
  const loud = Array.from({ length: 3 }, () => workFor('loud', async () => {
    for (let slice = 0; slice < 4; slice += 1) {
      await othersFirst();
      noted.push('loud');
      usedUs += 20_000;
    }
  }));
  await workFor('quiet', () => inSlices('quiet', 12, noted));
  assert.ok(noted.filter((who) => who === 'loud').length <= 3, noted.join(' '));
  await Promise.all(loud);
  assert.equal(noted.length, 24);
});

test('slices of a file belong to whoever asks for its pieces', async () => {
  const noted: string[] = [];
  async function* pieces(organization: string): AsyncGenerator<number> {
    for (let piece = 0; piece < 4; piece += 1) {
      yield piece;
      await othersFirst();
      noted.push(organization);
    }
  }
  const read = async (organization: string): Promise<void> => {
    const file = pieces(organization);
    while ((await workFor(organization, () => file.next())).done !== true) { /* The next one. */ }
  };
  const loud = Array.from({ length: 50 }, () => read('loud'));
  await read('quiet');
  assert.ok(noted.length <= 12, noted.join(' '));
  await Promise.all(loud);
});

test('background work continues, and so does work requested between its slices', async () => {
  const noted: string[] = [];
  await Promise.all([inSlices('nobody', 3, noted), workFor('one', () => inSlices('one', 3, noted))]);
  await inSlices('later', 1, noted);
  assert.equal(noted.join(' '), 'nobody one nobody one nobody one later');
});

test('an endless row of new askers does not hold up one that had a slice before', async () => {
  const noted: string[] = [];
  let newcomers = 0;
  const newcomersWithoutEnd = async (): Promise<void> => {
    while (newcomers < 2_000 && !noted.includes('known')) {
      await workFor(`new ${newcomers += 1}`, () => inSlices('new', 1, noted));
    }
  };
  const known = workFor('known', async () => {
    await othersFirst();
    usedUs += 5_000;
    await othersFirst();
    noted.push('known');
  });
  await Promise.all([known, newcomersWithoutEnd(), newcomersWithoutEnd(), newcomersWithoutEnd()]);
  assert.ok(noted.indexOf('known') < 2_000, `${noted.indexOf('known')} went ahead of it`);
});

test('a group has turns as one asker, and those in it take turns within', async () => {
  const noted: string[] = [];
  const grouped = (name: string) => workFor({ group: 'many', name }, () => inSlices(name, 4, noted));
  const group = Array.from({ length: 40 }, (_, at) => grouped(at === 39 ? 'b' : 'a'));
  await workFor('quiet', () => inSlices('quiet', 4, noted));
  assert.ok(noted.length <= 9, noted.join(' '));
  await group.at(-1);
  assert.ok(noted.filter((who) => who === 'a').length <= 5, noted.join(' '));
  await Promise.all(group);
  assert.equal(noted.length, 164);
});
