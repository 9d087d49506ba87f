/** Which of two report threads an organization's questions go to. Decision 279. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDownload } from '../http/download.ts';
import type { ReportRequest } from './messages.ts';
import type { ReportThreadOwner } from './report-client.ts';
import { onTwoThreads } from './two-report-threads.ts';

/** A thread whose questions are answered by hand. */
function thread() {
  const open: { readonly who: string; readonly answer: (answer: unknown) => void }[] = [];
  const state = { isReady: true, begun: 0 };
  const owner: ReportThreadOwner = {
    get isReady() { return state.isReady; },
    begin: () => void (state.begun += 1),
    run: (_, { actor }) => new Promise((answer) => { open.push({ who: actor.organization, answer }); }),
    close: async () => {},
  };
  return { owner, state, who: () => open.map(({ who }) => who), answer: (value: unknown = 'made') => open.shift()!.answer(value) };
}

const from = (organization: string): ReportRequest => ({ actor: { organization } as never, params: {}, query: {}, body: {}, nowMs: 0 });

test('beside an organization with work on one thread, another one has the other; a third goes where fewest are', async () => {
  const [first, second] = [thread(), thread()];
  const reports = onTwoThreads(first.owner, second.owner);
  for (let asked = 0; asked < 5; asked += 1) void reports.run('x', from('loud'));
  void reports.run('x', from('quiet'));
  void reports.run('x', from('quiet'));
  void reports.run('x', from('third'));
  assert.deepEqual([first.who(), second.who()], [['loud', 'loud', 'loud', 'loud', 'loud', 'third'], ['quiet', 'quiet']]);
});

test('an organization stays on its thread as long as it has work there, and never has work on both', async () => {
  const [first, second] = [thread(), thread()];
  const reports = onTwoThreads(first.owner, second.owner);
  const alone = reports.run('x', from('one'));
  void reports.run('x', from('another'));
  first.answer();
  await alone;
  void reports.run('x', from('another'));
  assert.deepEqual([first.who(), second.who()], [[], ['another', 'another']]);
  void reports.run('x', from('one'));
  assert.deepEqual(first.who(), ['one']);
});

test('while the second thread begins, the first answers everybody', () => {
  const [first, second] = [thread(), thread()];
  second.state.isReady = false;
  const reports = onTwoThreads(first.owner, second.owner);
  reports.begin();
  for (const who of ['loud', 'quiet']) void reports.run('x', from(who));
  assert.deepEqual([first.who(), second.who(), first.state.begun, second.state.begun], [['loud', 'quiet'], [], 1, 1]);
});

test('a file counts from its first piece until it is read or left', async () => {
  const [first, second] = [thread(), thread()];
  const reports = onTwoThreads(first.owner, second.owner);
  async function* pieces() {
    yield 1;
    yield 2;
  }
  const fileOf = async (): Promise<AsyncIterator<unknown>> => {
    const asked = reports.run('file', from('loud'));
    first.answer({ download: { contentType: 'x', fileName: 'x', pieces: pieces() } });
    const answer = await asked;
    assert.ok(isDownload(answer));
    return answer.download.pieces[Symbol.asyncIterator]();
  };
  const placeOfAnother = async (): Promise<'first' | 'second'> => {
    const asked = reports.run('x', from('quiet'));
    const place = first.who().length > 0 ? 'first' : 'second';
    (place === 'first' ? first : second).answer();
    await asked;
    return place;
  };
  const [read, left] = [await fileOf(), await fileOf()];
  assert.equal(await placeOfAnother(), 'first', 'nobody reads them yet');
  await read.next();
  await left.next();
  assert.equal(await placeOfAnother(), 'second');
  while ((await read.next()).done !== true) { /* The next one. */ }
  assert.equal(await placeOfAnother(), 'second');
  await left.return!();
  assert.equal(await placeOfAnother(), 'first');
});
