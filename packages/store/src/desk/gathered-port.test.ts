/** Messages between the threads in one turn are sent together, whole and in order. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { gathered } from './gathered-port.ts';

test('messages posted in one turn arrive together, in order, and are delivered one by one; the next turn sends another', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const heard: unknown[] = [];
  const far = gathered(port2);
  far.on('message', (message) => void heard.push(message));
  const turns: (() => void)[] = [];
  const near = gathered(port1, (task) => turns.push(task));
  const sent: unknown[] = [];
  port2.on('message', (message) => sent.push(message));
  for (const number of [1, 2, 3]) near.postMessage({ number });
  assert.equal(turns.length, 1);
  turns.shift()!();
  near.postMessage({ number: 4 });
  turns.shift()!();
  while (sent.length < 2) await once(port2, 'message');
  assert.deepEqual(sent, [[{ number: 1 }, { number: 2 }, { number: 3 }], [{ number: 4 }]]);
  assert.deepEqual(heard, [1, 2, 3, 4].map((number) => ({ number })));
});
