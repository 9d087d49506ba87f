/** The platform's process leaves one processor to those that forward calls. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { leaveLastProcessor } from './processors.ts';

function asked(allowed: string, system = 'linux'): readonly string[] | null {
  let given: readonly string[] | null = null;
  const status = (): string => `Name:\tnode\nCpus_allowed:\t${allowed}\nCpus_allowed_list:\t?\n`;
  leaveLastProcessor({ system, status, taskset: (args) => void (given = args) });
  return given;
}

test('the highest processor of those that may be used is left, however many there are', () => {
  const masks = ['3', 'f', '5', '80', 'ff,ffffffff', '1,00000000', '1,00000001'].map((allowed) => asked(allowed)?.[2] ?? null);
  assert.deepEqual(masks, ['1', '7', '1', null, '7fffffffff', null, '1']);
  assert.deepEqual(asked('3'), ['-a', '-p', '1', String(process.pid)]);
});

test('nothing is done where there is one processor, or another system, or no way to say it', () => {
  assert.deepEqual([asked('1'), asked('3', 'darwin')], [null, null]);
  leaveLastProcessor({ system: 'linux', status: () => 'Cpus_allowed:\t3\n', taskset: () => { throw new Error('spawn taskset ENOENT'); } });
  leaveLastProcessor({ system: 'linux', status: () => 'nothing of the kind', taskset: () => assert.fail('nothing to ask for') });
});

const maskIn = (file: string): string => /^Cpus_allowed:\s*(\S+)$/m.exec(readFileSync(file, 'utf8'))![1]!.replaceAll(',', '');
const allowed = process.platform === 'linux' ? maskIn('/proc/self/status') : '1';
const isAlone = BigInt(`0x${allowed}`).toString(2).replaceAll('0', '').length < 2;

test('on Linux each thread of the process moves, and none of its parent', { skip: isAlone }, async () => {
  const child = fork(fileURLToPath(new URL('../test-support/leave-processor.ts', import.meta.url)));
  try {
    await once(child, 'message');
    const masks = (pid: number): Set<string> =>
      new Set(readdirSync(`/proc/${pid}/task`).map((thread) => maskIn(`/proc/${pid}/task/${thread}/status`)));
    const moved = [...masks(child.pid!)];
    assert.equal(moved.length, 1);
    assert.equal(BigInt(`0x${moved[0]!}`) < BigInt(`0x${allowed}`), true);
    assert.deepEqual([...masks(process.pid)], [allowed]);
  } finally {
    child.kill('SIGKILL');
  }
});
