/** A process that is spoken to as a thread is. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { forkedThread, type ForkedThread } from './forked-thread.ts';
import { ended } from './threads.ts';

const echo = new URL('./test-support/echo-process.ts', import.meta.url).href;

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** It is gone when the test is, however that ends. */
function forkedFor(t: TestContext, data: object): ForkedThread {
  const forked = forkedThread(echo, data);
  t.after(() => forked.kill());
  return forked;
}

test('it gets what it is given first, hears and says values as threads do, and says all before it ends', async (t) => {
  const forked = forkedFor(t, { key: new Uint8Array([1, 2, 3]) });
  const said: unknown[] = [];
  forked.on('message', (message: unknown) => said.push(message));
  await once(forked as never, 'message');
  forked.postMessage({ say: ['a', new Map([['b', 1n]])] });
  forked.postMessage({ close: true });
  await ended(forked);
  assert.deepEqual(said, [{ first: { key: new Uint8Array([1, 2, 3]) } }, { say: ['a', new Map([['b', 1n]])] }, { last: 'x'.repeat(5_000_000) }]);
  assert.equal(forked.threadId, -1);
  forked.postMessage({ say: 'nobody hears this' });
  await ended(forked);
});

test('a fault that nobody caught ends it, and only its kind is said', async (t) => {
  const forked = forkedFor(t, {});
  const broke = new Promise((resolve) => void forked.on('message', (message: { broke?: string }) => message.broke !== undefined && resolve(message)));
  const [over] = [once(forked as never, 'exit')];
  forked.postMessage({ break: 'a secret' });
  assert.deepEqual([await broke, await over], [{ broke: 'TypeError' }, [1, null]]);
});

test('what it writes for people comes by lines, bounded, and its end says by which signal', async (t) => {
  const forked = forkedFor(t, {});
  const lines: string[] = [];
  forked.on('line', (line: string) => lines.push(line));
  await once(forked as never, 'message');
  const over = once(forked as never, 'exit');
  forked.postMessage({ write: `first\n\n${'y'.repeat(600)}\n${'more\n'.repeat(50)}` });
  await once(forked as never, 'message');
  forked.kill();
  assert.deepEqual(await over, [1, 'SIGKILL']);
  assert.deepEqual(lines.slice(0, 3), ['first', 'y'.repeat(500), 'more']);
  assert.equal(lines.length, 39);
});

test('its environment holds no setting of the product', { skip: process.platform !== 'linux' }, async (t) => {
  process.env['SVC_MASTER_KEY'] = 'a secret';
  t.after(() => delete process.env['SVC_MASTER_KEY']);
  const forked = forkedFor(t, {});
  await once(forked as never, 'message');
  assert.doesNotMatch(readFileSync(`/proc/${forked.threadId}/environ`, 'utf8'), /SVC_|a secret/);
});

test('signals to the whole group do not end it: its parent says when', async (t) => {
  const forked = forkedFor(t, {});
  const said: string[] = [];
  forked.on('message', (message: { say?: string }) => void (message.say !== undefined && said.push(message.say)));
  const pid = forked.threadId;
  await once(forked as never, 'message');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  forked.postMessage({ say: 'still here' });
  await eventually(() => said.length === 1);
  forked.postMessage({ close: true });
  await ended(forked);
});

for (const [how, what] of [['SIGKILL', 'waits'], ['SIGKILL', 'computes for ever'], ['its end', 'computes for ever']] as const) {
  // Only Linux ends one that does not look.
  const skip = how === 'SIGKILL' && what !== 'waits' && process.platform !== 'linux';
  test(`one that ${what} is gone once its parent is, by ${how}`, { skip }, async (t) => {
    const parent = fork(new URL('./test-support/forking-process.ts', import.meta.url), [what === 'waits' ? '' : 'hang']);
    const [pid] = await once(parent, 'message') as [number];
    t.after(() => void (lives(pid) && process.kill(pid, 'SIGKILL')));
    assert.equal(lives(pid), true);
    if (how === 'SIGKILL') parent.kill('SIGKILL');
    else parent.send('end');
    await once(parent, 'close');
    await eventually(() => !lives(pid));
  });
}
