/** Operators see a node's threads by their names, where the system shows threads. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startSystem } from '@metergate/testkit/system.ts';

test('the threads of a node have the names of what they do', { skip: process.platform !== 'linux' }, async (t) => {
  const system = await startSystem({ connectProviders: false });
  t.after(() => system.stop());
  const threads = `/proc/${system.pid}/task`;
  const names = readdirSync(threads).map((thread) => readFileSync(`${threads}/${thread}/comm`, 'utf8').trim());
  for (const name of ['store', 'gateway']) assert.equal(names.filter((each) => each === name).length, 1, names.join(' '));
  // As much of its name as the system keeps.
  assert.equal(readFileSync(`/proc/${system.platformPid()}/comm`, 'utf8').trim(), 'metergate platf');
});
