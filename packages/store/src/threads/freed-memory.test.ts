/** That freed memory goes back to the system where that can be done, and that nothing breaks or speaks where it cannot. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findGiveBack } from './freed-memory.ts';

const canGiveBack = findGiveBack() !== null;

/** Frees a hundred thousand pieces between which a few stay, and gives back; says how much the process had before and after. */
const trial = `
  import { findGiveBack } from ${JSON.stringify(fileURLToPath(new URL('freed-memory.ts', import.meta.url)))};
  const kept = [];
  let pieces = [];
  for (let at = 0; at < 4_000; at += 1) {
    pieces.push(new ArrayBuffer(50_000));
    if (at % 40 === 0) kept.push(new ArrayBuffer(5_000));
  }
  pieces = null;
  globalThis.gc();
  await new Promise((resolve) => { setTimeout(resolve, 50); });
  globalThis.gc();
  const before = process.memoryUsage.rss();
  findGiveBack()();
  console.log(before, process.memoryUsage.rss(), kept.length);
`;

test('after a burst of bodies of 200 MB most of them go back, and Node says nothing', { skip: !canGiveBack }, () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', trial], { encoding: 'utf8' });
  assert.deepEqual([stderr, status], ['', 0]);
  const [before = 0, after = 0] = stdout.split(' ').map(Number);
  assert.ok(before - after > 100e6, `${before} bytes before, ${after} after`);
});

test('it is not done on other systems, on narrower ones, and where Node or the library has not got it', () => {
  const lacking = { DynamicLibrary: class { getFunction(): never { throw new Error('dlsym failed'); } } };
  const closed = (): never => { throw new Error('not allowed'); };
  const { emitWarning } = process;
  for (const by of [
    { system: 'darwin', word: 64, builtin: closed }, { system: 'linux', word: 32, builtin: closed },
    { system: 'linux', word: 64, builtin: () => undefined }, { system: 'linux', word: 64, builtin: closed },
    { system: 'linux', word: 64, builtin: () => lacking },
  ] as const) assert.equal(findGiveBack(by), null);
  assert.equal(process.emitWarning, emitWarning);
});
