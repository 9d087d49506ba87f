/** The platform's process leaves one processor to those that forward calls. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { leaveLastProcessor } from './processors.ts';

function asked(allowed: string, system = 'linux'): readonly string[] | null {
  let given: readonly string[] | null = null;
  leaveLastProcessor({ system, taskset: (args) => {
    if (args[0] !== '-p') given = args;
    return `pid ${process.pid}'s current affinity mask: ${allowed}\n`;
  } });
  return given;
}

test('the highest processor of those that may be used is left, however many there are', () => {
  const masks = ['3', 'f', '5', '80', 'ffffffffff', 'ff,ffffffff', '100000000', '1,00000001'].map((allowed) => asked(allowed)?.[2] ?? null);
  assert.deepEqual(masks, ['1', '7', '1', null, '7fffffffff', '7fffffffff', null, '1']);
  assert.deepEqual(asked('3'), ['-a', '-p', '1', String(process.pid)]);
});

test('nothing is done where there is one processor, or another system, or no way to say it', () => {
  assert.deepEqual([asked('1'), asked('3', 'darwin')], [null, null]);
  leaveLastProcessor({ system: 'linux', taskset: () => { throw new Error('spawn taskset ENOENT'); } });
  assert.equal(asked('no mask'), null);
});

const listIn = (file: string): string => /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(file, 'utf8'))![1]!;
const own = process.platform === 'linux' ? listIn('/proc/self/status') : '0';

const skip = availableParallelism() === 1 || process.platform !== 'linux';

test('on Linux each thread of the process moves, and none of its parent', { skip }, async () => {
  const child = fork(fileURLToPath(new URL('../test-support/leave-processor.ts', import.meta.url)));
  try {
    await once(child, 'message');
    const lists = (pid: number): string[] =>
      [...new Set(readdirSync(`/proc/${pid}/task`).map((thread) => listIn(`/proc/${pid}/task/${thread}/status`)))];
    const moved = lists(child.pid!);
    assert.equal(moved.length, 1);
    assert.notEqual(moved[0], own);
    assert.deepEqual(lists(process.pid), [own]);
  } finally {
    child.kill('SIGKILL');
  }
});
