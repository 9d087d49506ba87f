/**
 * The reporter's states, on a clock and a transport that the test controls (spec, Tap reporter and Tap client wrapper; rules 29, 30c).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReporter, queueEventsMax, type Reporter } from './reporter.ts';
import { ManualEnvironment, settled } from '../test-support/manual-environment.ts';

function started(): { environment: ManualEnvironment; reporter: Reporter; add: (count: number) => void } {
  const environment = new ManualEnvironment();
  const reporter = createReporter(environment);
  let made = 0;
  const add = (count: number): void => {
    for (let at = 0; at < count; at += 1) reporter.add(`{"n":${made += 1}}`);
  };
  return { environment, reporter, add };
}

const numbers = (events: readonly string[]): number[] => events.map((event) => (JSON.parse(event) as { n: number }).n);

/** A reporter that a 410 has stopped; the post that caused it is the first. */
async function stopped(): Promise<ReturnType<typeof started>> {
  const all = started();
  all.add(1);
  await all.environment.pass(2_000);
  await all.environment.posts[0]!.answer(410, 'baseline_closed');
  return all;
}

test('waiting events are posted 2,000 ms after the first one, in one body with the one key `events`', async () => {
  const { environment, add } = started();
  add(1);
  await environment.pass(1_999);
  add(2);
  assert.equal(environment.posts.length, 0);
  await environment.pass(1);
  assert.equal(environment.posts.length, 1);
  assert.equal(environment.posts[0]!.body, '{"events":[{"n":1},{"n":2},{"n":3}]}');
  await environment.posts[0]!.answer(202);
  await environment.pass(60_000);
  assert.equal(environment.posts.length, 1);
  assert.equal(environment.pendingTimers(), 0);
});

test('a batch holds at most 100 events, and batches are sent one after another, in order', async () => {
  const { environment, add } = started();
  add(250);
  await environment.pass(2_000);
  assert.deepEqual(environment.posts.map(({ events }) => events.length), [100]);
  await environment.posts[0]!.answer(202);
  await environment.posts[1]!.answer(202);
  await environment.posts[2]!.answer(202);
  assert.deepEqual(environment.posts.map(({ events }) => events.length), [100, 100, 50]);
  assert.deepEqual(environment.posts.flatMap(({ events }) => numbers(events)), Array.from({ length: 250 }, (_, at) => at + 1));
});

test('an event that arrives while a batch is being posted waits for the next interval', async () => {
  const { environment, add } = started();
  add(1);
  await environment.pass(2_000);
  add(1);
  await environment.pass(1_000);
  await environment.posts[0]!.answer(202);
  assert.equal(environment.posts.length, 1);
  await environment.pass(2_000);
  assert.equal(environment.posts.length, 2);
});

for (const status of [0, 408, 429, 500, 502, 503, 599]) {
  test(`${status === 0 ? 'no answer' : status}: posted again after 200 ms and after 800 ms, then dropped; nothing is printed`, async () => {
    const { environment, add } = started();
    add(1);
    await environment.pass(2_000);
    for (const post of [0, 1, 2]) {
      await environment.posts[post]!.answer(status);
      await environment.pass(post === 0 ? 199 : 799);
      assert.equal(environment.posts.length, post + 1);
      await environment.pass(1);
    }
    await environment.pass(60_000);
    assert.deepEqual(environment.posts.map(({ atMs }) => atMs - 1_000), [2_000, 2_200, 3_000]);
    assert.equal(new Set(environment.posts.map(({ body }) => body)).size, 1);
    assert.deepEqual(environment.printed, []);
    add(1);
    await environment.pass(2_000);
    assert.equal(environment.posts.length, 4, 'the reporter goes on');
  });
}

test('a post that succeeds the second time is not posted a third', async () => {
  const { environment, add } = started();
  add(1);
  await environment.pass(2_000);
  await environment.posts[0]!.answer(500);
  await environment.pass(200);
  await environment.posts[1]!.answer(202);
  await environment.pass(60_000);
  assert.equal(environment.posts.length, 2);
});

for (const status of [300, 302, 307, 308, 400, 403, 404, 413, 415, 422]) {
  test(`${status} drops the batch: no second post, no line, and the next batch goes out`, async () => {
    const { environment, add } = started();
    add(1);
    await environment.pass(2_000);
    await environment.posts[0]!.answer(status, 'baseline_closed');
    await environment.pass(10_000);
    assert.equal(environment.posts.length, 1);
    add(1);
    await environment.pass(2_000);
    assert.deepEqual(numbers(environment.posts[1]!.events), [2]);
    assert.deepEqual(environment.printed, []);
  });
}

test('three batches answered 401 in a row: one line, queue dropped, no more posts; none is retried', async () => {
  const { environment, add } = started();
  add(350);
  await environment.pass(2_000);
  await environment.posts[0]!.answer(401);
  await environment.posts[1]!.answer(401);
  assert.deepEqual(environment.printed, []);
  await environment.posts[2]!.answer(401);
  assert.equal(environment.printed.length, 1);
  assert.match(environment.printed[0]!, /key was not accepted three times.*stopped/);
  add(500);
  await environment.pass(3_600_000);
  assert.equal(environment.posts.length, 3);
  assert.equal(environment.pendingTimers(), 0);
  assert.equal(environment.printed.length, 1);
});

test('an answer that is not 401 resets the count; a post without an answer does not', async () => {
  const { environment, add } = started();
  const batch = async (...statuses: number[]): Promise<void> => {
    add(1);
    await environment.pass(2_000);
    for (const status of statuses) {
      await environment.posts.at(-1)!.answer(status);
      await environment.pass(800);
    }
  };
  for (const status of [401, 401, 202, 401, 401, 400, 401]) await batch(status);
  await batch(0, 0, 0);
  await batch(401);
  assert.deepEqual(environment.printed, []);
  await batch(401);
  assert.equal(environment.printed.length, 1);
});

test('410 baseline_closed: one line, queue dropped, events dropped for a minute', async () => {
  const { environment, add } = started();
  add(250);
  await environment.pass(2_000);
  await environment.posts[0]!.answer(410, 'baseline_closed');
  assert.equal(environment.printed.length, 1);
  assert.match(environment.printed[0]!, /Baseline has closed/);
  add(100);
  await environment.pass(59_999);
  add(1);
  await environment.pass(0);
  assert.equal(environment.posts.length, 1);
});

test('the first event a minute after the last 410 is posted alone; while its answer is out, others are dropped', async () => {
  const { environment, add } = await stopped();
  await environment.pass(60_000);
  add(5);
  await settled();
  assert.equal(environment.posts.length, 2);
  assert.deepEqual(numbers(environment.posts[1]!.events), [2]);
  await environment.posts[1]!.answer(410, 'baseline_closed');
  add(5);
  await environment.pass(59_999);
  assert.equal(environment.posts.length, 2);
  await environment.pass(1);
  add(1);
  await settled();
  assert.equal(environment.posts.length, 3);
  assert.equal(environment.printed.length, 1, 'no second line while it stays closed');
});

test('admitted again: reporting resumes by itself with new events only, and prints nothing', async () => {
  const { environment, add } = await stopped();
  await environment.pass(60_000);
  add(1);
  await settled();
  await environment.posts[1]!.answer(202);
  add(3);
  await environment.pass(2_000);
  assert.deepEqual(numbers(environment.posts[2]!.events), [3, 4, 5]);
  assert.equal(environment.printed.length, 1);
});

test('a re-check that fails asks again a minute later, not with the next event', async () => {
  const { environment, add } = await stopped();
  await environment.pass(60_000);
  add(1);
  await settled();
  await environment.posts[1]!.answer(400);
  add(10);
  await environment.pass(59_000);
  assert.equal(environment.posts.length, 2);
  await environment.pass(1_000);
  add(1);
  await settled();
  assert.equal(environment.posts.length, 3);
});

for (const code of ['tap_retired', undefined]) {
  test(`410 with ${code ?? 'no readable code'}: one line, queue dropped, no more posts`, async () => {
    const { environment, add } = started();
    add(250);
    await environment.pass(2_000);
    await environment.posts[0]!.answer(410, code);
    assert.equal(environment.printed.length, 1);
    add(1);
    await environment.pass(86_400_000);
    assert.equal(environment.posts.length, 1);
    assert.equal(environment.printed.length, 1);
  });
}

test('closed, then retired: no more posts, and a separate line', async () => {
  const { environment, add } = await stopped();
  await environment.pass(60_000);
  add(1);
  await settled();
  await environment.posts[1]!.answer(410, 'tap_retired');
  await environment.pass(600_000);
  add(1);
  await settled();
  assert.equal(environment.posts.length, 2);
  assert.equal(environment.printed.length, 2);
  assert.notEqual(environment.printed[0], environment.printed[1]);
});

test('the queue is bounded: events that arrive when it is full are dropped, and the others are posted', async () => {
  const { environment, add } = started();
  add(queueEventsMax + 500);
  await environment.pass(2_000);
  for (let at = 0; at < environment.posts.length; at += 1) await environment.posts[at]!.answer(202);
  const posted = environment.posts.flatMap(({ events }) => numbers(events));
  assert.equal(posted.length, queueEventsMax);
  assert.equal(posted.at(-1), queueEventsMax);
});

test('a reporter continues as before if the process does not end after all', async () => {
  const { environment, reporter, add } = started();
  add(1);
  await environment.pass(2_000);
  reporter.flushBlocking(0);
  add(1);
  await environment.posts[0]!.answer(500);
  await environment.pass(2_000);
  await environment.posts[1]!.answer(500);
  await environment.pass(200);
  await environment.posts[2]!.answer(202);
  assert.deepEqual(environment.posts.map(({ events }) => numbers(events)), [[1], [2], [2]]);
});

test('a blocking flush delivers the batch in flight and the queue, once each', async () => {
  const { environment, reporter, add } = started();
  add(150);
  await environment.pass(2_000);
  reporter.flushBlocking(0);
  assert.deepEqual(environment.blocked.map(({ next }) => next), ['next', 'next']);
  const events = environment.blocked.flatMap(({ body }) => (JSON.parse(body) as { events: { n: number }[] }).events.map(({ n }) => n));
  assert.deepEqual(events, Array.from({ length: 150 }, (_, at) => at + 1));
  reporter.flushBlocking(0);
  assert.equal(environment.blocked.length, 2);
});

test('a blocking flush follows the same rules: it ends after two retries, after a 410 and after the third 401', () => {
  const outcomes = (statuses: number[], closed = false): string[] => {
    const { environment, reporter, add } = started();
    environment.blockingAnswers = statuses.map((status) => ({ status, closed }));
    add(450);
    reporter.flushBlocking(0);
    return [...environment.blocked.map(({ next }) => next), `${environment.printed.length} lines`];
  };
  assert.deepEqual(outcomes([500]), ['again', 'again', 'end', '0 lines']);
  assert.deepEqual(outcomes([500, 202]), ['again', 'next', 'next', 'next', 'next', 'next', '0 lines']);
  assert.deepEqual(outcomes([400]), ['next', 'next', 'next', 'next', 'next', '0 lines']);
  assert.deepEqual(outcomes([401]), ['next', 'next', 'end', '1 lines']);
  assert.deepEqual(outcomes([410]), ['end', '1 lines']);
  assert.deepEqual(outcomes([410], true), ['end', '1 lines']);
});

test('reports when events begin to wait and when none do any more', async () => {
  const { environment, add } = started();
  add(2);
  assert.equal(environment.waits.at(-1), true);
  await environment.pass(2_000);
  assert.equal(environment.waits.at(-1), true, 'a batch in flight still waits');
  await environment.posts[0]!.answer(202);
  assert.equal(environment.waits.at(-1), false);
});
