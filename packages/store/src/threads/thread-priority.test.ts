/** Threads that give way to those that forward calls. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { helpersBehind, workAs, workProcessBehind } from './thread-priority.ts';

test('a thread gets a lower priority than the process, not below the lowest, and only on systems with priorities per thread', () => {
  const set = (system: string, own: number): unknown => {
    const calls: unknown[] = [];
    workAs('reports', {
      system, getPriority: (id) => (assert.equal(id, process.pid), own),
      setPriority: (id, priority) => void calls.push([id, priority]), beginPool: () => void calls.push('pool'),
    });
    return calls;
  };
  assert.deepEqual([set('linux', 0), set('linux', 15), set('darwin', 0), set('win32', 0)], [['pool', [0, 7]], ['pool', [0, 19]], [], []]);
});

test('a system that does not let threads do so is none that fails', () => {
  workAs('brotli', {
    system: 'linux', getPriority: () => 0, setPriority: () => { throw Object.assign(new Error('not permitted'), { code: 'EPERM' }); },
    beginPool: () => {},
  });
});

test('a process goes behind with all its threads, or with the helpers of the runtime alone', () => {
  const set = (lower: typeof workProcessBehind, system = 'linux'): unknown => {
    const calls: unknown[] = [];
    lower({
      system, getPriority: (id) => (assert.equal(id, process.pid), 3), setPriority: (id, priority) => void calls.push([id, priority]),
      threads: () => [[7, 'node-MainThread'], [8, 'node-V8Worker'], [9, 'libuv-worker']],
    });
    return calls;
  };
  assert.deepEqual(set(workProcessBehind), [[7, 8], [8, 8], [9, 8]]);
  assert.deepEqual(set(helpersBehind), [[8, 13]]);
  assert.deepEqual(set(workProcessBehind, 'darwin'), []);
});

test('a thread that has ended meanwhile changes nothing for the others that were lowered before', () => {
  const calls: number[] = [];
  workProcessBehind({
    system: 'linux', getPriority: () => 0, threads: () => [[7, 'a'], [8, 'b']],
    setPriority: (id) => {
      if (id === 8) throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
      calls.push(id);
    },
  });
  assert.deepEqual(calls, [7]);
});

/** Priorities of this process's threads, by their names. */
function priorities(): [name: string, priority: number][] {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8'))!;
      return [[name!, Number(rest!.split(' ')[16])] as [string, number]];
    } catch {
      return [];
    }
  });
}

const elsewhere = process.platform !== 'linux';

test('on Linux only this thread gets the lower priority: neither the main thread nor the pool that it starts', { skip: elsewhere }, async () => {
  const main = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
  const code = `import(${JSON.stringify(new URL('./thread-priority.ts', import.meta.url).href)})
    .then(({ workAs }) => { workAs('reports'); require('node:worker_threads').parentPort.postMessage('done'); setInterval(() => {}, 1e6); })`;
  const worker = new Worker(code, { eval: true });
  try {
    await new Promise((resolve, reject) => void worker.once('message', resolve).once('error', reject));
    const own = Number(main.slice(main.lastIndexOf(')') + 2).split(' ')[16]);
    const found = priorities();
    assert.equal(found.filter(([, priority]) => priority === Math.min(19, own + 7)).length, 1);
    const pool = found.filter(([name]) => name === 'libuv-worker');
    assert.ok(pool.length > 0 && pool.every(([, priority]) => priority === own), JSON.stringify(found));
  } finally {
    await worker.terminate();
  }
});
