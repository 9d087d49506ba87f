/** Rule 8a: how much of a turn of the event loop decoding may take, and whose copy comes next, on a clock of numbers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { createCopyReader } from './create-copy-reader.ts';
import { defaultCopyLimits } from './copy-limits.ts';
import { createDecodingTurns, type DecodingTurnsTiming } from './decoding-turns.ts';
import { createMarkerReader, marker } from './test-support/marker-reader.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One clock for all; `after` receives the pauses. */
const byClock = (monotonicMs: () => number, after: DecodingTurnsTiming['after'] = () => {}): DecodingTurnsTiming =>
  ({ monotonicMs, workedMs: monotonicMs, after });

/** Turns on a clock that advances only by what pieces take. */
function turnsByHand() {
  const clock = { nowMs: 1_000 };
  const ran: string[] = [];
  const turns = createDecodingTurns(byClock(() => clock.nowMs));
  const put = (organization: string, name: string, takesMs: number): void => turns.next(organization, () => {
    clock.nowMs += takesMs;
    ran.push(name);
  });
  return { clock, ran, put, turns };
}

test('a long piece is the only one of its turn, short ones share one; the organizations come in turn', async () => {
  const { ran, put } = turnsByHand();
  for (let at = 0; at < 190; at += 1) put('bombs', `bomb ${at}`, 2);
  put('honest', 'honest 0', 0.01);
  put('honest', 'honest 1', 0.01);
  await turn();
  assert.deepEqual(ran, ['bomb 0']);
  await turn();
  assert.deepEqual(ran, ['bomb 0', 'honest 0', 'bomb 1']);
  await turn();
  assert.deepEqual(ran, ['bomb 0', 'honest 0', 'bomb 1', 'honest 1', 'bomb 2']);
  for (let turns = 0; turns < 200; turns += 1) await turn();
  assert.equal(ran.length, 192);
});

test('after a piece of tens of milliseconds its organization pauses, longer after each further one, while others continue', async () => {
  const rests: [delayMs: number, task: () => void][] = [];
  const clock = { nowMs: 0 };
  const ran: string[] = [];
  const turns = createDecodingTurns(byClock(() => clock.nowMs, (...rest) => rests.push(rest)));
  const put = (organization: string, takesMs: number): void => turns.next(organization, () => {
    clock.nowMs += takesMs;
    ran.push(`${organization} ${takesMs}`);
  });
  for (const takesMs of [10, 11, 400, 12, 1]) put('bombs', takesMs);
  for (const restMs of [40, 88, 250, 250]) {
    await turn();
    put('honest', 0.1);
    await turn();
    assert.equal(ran.at(-1), 'honest 0.1', 'another organization is not held up');
    const [delayMs, wake] = rests.pop()!;
    assert.deepEqual([Math.round(delayMs), rests.length], [restMs, 0]);
    clock.nowMs += delayMs;
    wake();
  }
  await turn();
  assert.deepEqual(ran.filter((name) => name.startsWith('bombs')), ['bombs 10', 'bombs 11', 'bombs 400', 'bombs 12', 'bombs 1']);
  clock.nowMs += 11_000;
  put('bombs', 10);
  put('bombs', 1);
  await turn();
  assert.equal(Math.round(rests.pop()![0]), 40, 'what is long ago is forgotten');
});

test('a piece that took long because others used the processor does not count as long', async () => {
  const clock = { nowMs: 0 };
  const ran: number[] = [];
  const turns = createDecodingTurns({ ...byClock(() => clock.nowMs), workedMs: () => 0 });
  for (const takesMs of [30, 1]) {
    turns.next('honest', () => {
      clock.nowMs += takesMs;
      ran.push(takesMs);
    });
  }
  await turn();
  await turn();
  assert.deepEqual(ran, [30, 1]);
});

test('a busy node gives copies a part of each turn, so that honest ones are not late however many calls there are', async () => {
  const { clock, ran, put } = turnsByHand();
  for (let at = 0; at < 100; at += 1) put('honest', String(at), 0.1);
  await turn();
  const first = ran.length;
  assert.ok(first >= 2 && first <= 10, String(first));
  clock.nowMs += 4;
  await turn();
  assert.ok(ran.length - first >= 8 && ran.length - first <= 11, String(ran.length - first));
});

test('a piece may add the next; those added before it run, whatever it does', async () => {
  const { ran, put, turns } = turnsByHand();
  turns.next('a', () => put('a', 'after', 0));
  put('a', 'before', 0);
  await turn();
  assert.deepEqual(ran, ['before', 'after']);
});

test('beside 190 bodies that expand without end, the compressed usage of another organization is read within a few turns', async () => {
  const clock = { nowMs: 0 };
  const turns = createDecodingTurns({ ...byClock(() => clock.nowMs += 0.1), workedMs: () => 0 });
  const limits = { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max } };
  const context = { wire: 'upstream', endpoint: 'chat.completions', streamed: false } as const;
  const bomb = zlib.brotliCompressSync(Buffer.alloc(16 * 1024 * 1024));
  const start = (organization: string, bytes: Buffer) => {
    const copy = createCopyReader({ context, contentEncoding: 'br', organization, limits, turns, runtimeVersion: '26.12.0',
      createReader: () => createMarkerReader({ keep: organization === 'honest' }) });
    copy.push(bytes);
    return copy;
  };
  const bombs = Array.from({ length: 190 }, () => start('bombs', bomb));
  const read: string[] = [];
  start('honest', zlib.brotliCompressSync(Buffer.from(`{"a":1,${marker}}`))).finish('whole', 60_000, ({ usage }) => read.push(usage));
  for (let turnsTaken = 0; read.length === 0; turnsTaken += 1) {
    assert.ok(turnsTaken < 50, 'it waits for the bombs');
    await turn();
  }
  assert.deepEqual(read, ['reported']);
  await Promise.all(bombs.map((copy) => new Promise((resolve) => copy.finish('cut', 0, resolve))));
  assert.equal(limits.waiting.now, 0);
});
