/** That freed memory goes back to the system where that can be done, and that nothing breaks or speaks where it cannot. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findGiveBack, giveBackLongPieces } from './freed-memory.ts';

const canGiveBack = findGiveBack() !== null;

/** Has 4,000 pieces between which a few stay, and frees them; says how much memory the process had in between and has in the end. */
const trial = (bytes: number, { first = '', last = '' }: { readonly first?: string; readonly last?: string }): string => `
  import { findGiveBack, giveBackLongPieces } from ${JSON.stringify(fileURLToPath(new URL('freed-memory.ts', import.meta.url)))};
  ${first}
  const kept = [];
  const pieces = [];
  for (let at = 0; at < 4_000; at += 1) {
    pieces.push(new Uint8Array(${bytes}).fill(1).buffer);
    if (at % 40 === 0) kept.push(new ArrayBuffer(5_000));
  }
  const before = process.memoryUsage.rss();
  for (const piece of pieces) piece.transfer(0);
  ${last}
  console.log(before, process.memoryUsage.rss(), kept.length);
`;

function given(source: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  assert.deepEqual([stderr, status], ['', 0], 'Node says nothing');
  const [before = 0, after = 0] = stdout.split(' ').map(Number);
  return before - after;
}

test('of a burst of bodies of 200 MB most goes back when it is asked for', { skip: !canGiveBack }, () => {
  const bytes = given(trial(50_000, { last: 'findGiveBack()();' }));
  assert.ok(bytes > 100e6, `${bytes} bytes`);
});

test('of long pieces most goes back by itself', { skip: !canGiveBack }, () => {
  const bytes = given(trial(64 * 1024, { first: 'giveBackLongPieces();' }));
  assert.ok(bytes > 200e6, `${bytes} bytes`);
});

test('it is not done on other systems, on narrower ones, and where Node or the library has not got it', () => {
  const lacking = { DynamicLibrary: class { getFunction(): never { throw new Error('dlsym failed'); } } };
  const closed = (): never => { throw new Error('not allowed'); };
  const { emitWarning } = process;
  for (const by of [
    { system: 'darwin', word: 64, builtin: closed }, { system: 'linux', word: 32, builtin: closed },
    { system: 'linux', word: 64, builtin: () => undefined }, { system: 'linux', word: 64, builtin: closed },
    { system: 'linux', word: 64, builtin: () => lacking },
  ] as const) assert.deepEqual([findGiveBack(by), giveBackLongPieces(by)], [null, false]);
  assert.equal(process.emitWarning, emitWarning);
});
