/** A process that is spoken to as a thread is. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { forkedThread } from './forked-thread.ts';
import { ended } from './threads.ts';

const echo = new URL('./test-support/echo-process.ts', import.meta.url).href;

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('it gets what it is given first, hears and says values as threads do, and says all before it ends', async () => {
  const forked = forkedThread(echo, { key: new Uint8Array([1, 2, 3]) });
  const said: unknown[] = [];
  forked.on('message', (message: unknown) => said.push(message));
  await once(forked as never, 'message');
  forked.postMessage({ say: ['a', new Map([['b', 1n]])] });
  forked.postMessage({ close: true });
  await ended(forked);
  assert.deepEqual(said, [{ first: { key: new Uint8Array([1, 2, 3]) } }, { say: ['a', new Map([['b', 1n]])] }, { last: true }]);
  assert.equal(forked.threadId, -1);
  forked.postMessage({ say: 'nobody hears this' });
  await ended(forked);
});

test('a fault that nobody caught ends it, and only its kind is said', async () => {
  const forked = forkedThread(echo, {});
  const broke = new Promise((resolve) => void forked.on('message', (message: { broke?: string }) => message.broke !== undefined && resolve(message)));
  const [over] = [once(forked as never, 'exit')];
  forked.postMessage({ break: 'a secret' });
  assert.deepEqual([await broke, await over], [{ broke: 'TypeError' }, [1]]);
});

test('signals to the whole group do not end it: its parent says when', async () => {
  const forked = forkedThread(echo, {});
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

for (const how of ['SIGKILL', 'its end'] as const) {
  test(`it is gone once its parent is, by ${how}${how === 'its end' ? ', even if it computes for ever' : ''}`, async () => {
    const parent = fork(new URL('./test-support/forking-process.ts', import.meta.url), [how === 'its end' ? 'hang' : '']);
    const [pid] = await once(parent, 'message') as [number];
    assert.equal(lives(pid), true);
    if (how === 'SIGKILL') parent.kill('SIGKILL');
    else parent.send('end');
    await once(parent, 'close');
    await eventually(() => !lives(pid));
  });
}
