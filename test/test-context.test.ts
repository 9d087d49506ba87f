/**
 * `scripts/test-context.ts`: with it the test runner reports the same as without, of suites whose body awaits, of tests inside tests, and of errors
 * that nobody awaits.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'metergate-test-context-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** It waits on promises that it settles itself, never for time. */
const tests = `
import { after, before, describe, test } from 'node:test';
const turn = () => new Promise((resolve) => { setImmediate(resolve); });
const turns = async (count) => { while (count-- > 0) await turn(); };
describe('outer', async () => {
  await turn();
  before(turn);
  describe('inner', async () => {
    await Promise.resolve();
    await turn();
    test('deep', async (context) => {
      await turn();
      await context.test('of the context', turn);
      await test('of the module', turn);
    });
  });
  describe('loaded', () => import('data:text/javascript,' + encodeURIComponent(\`
    import { test } from 'node:test';
    await new Promise((resolve) => { setImmediate(resolve); });
    test('in its suite', () => {});\`)));
  test('throws in a callback', async () => { setImmediate(() => { throw new Error('boom'); }); await turns(9); });
  test('rejects unseen', async () => { void turn().then(() => { throw new Error('bang'); }); await turns(9); });
  test('other', () => turns(3));
});
test('top', turn);
test('ends before its error', () => { setImmediate(() => { throw new Error('too late'); }); });
test('is there when that comes', () => turns(9));
`;

function reported(options: readonly string[]): string[] {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const file = join(folder, 'all.test.mjs');
  writeFileSync(file, tests);
  const { stdout } = spawnSync(process.execPath, [...options, '--test-reporter=tap', file], { encoding: 'utf8', env, timeout: 60_000 });
  return stdout.split('\n').filter((line) => /^ *(?:(?:not )?ok |# (?!duration)|error:)/.test(line));
}

test('a test and its errors are found by context as by the hook', () => {
  const script = new URL('../scripts/test-context.ts', import.meta.url).href;
  writeFileSync(join(folder, 'context.mjs'), `import { followTestsByContext } from ${JSON.stringify(script)};\nfollowTestsByContext();\n`);
  const byHook = reported([]);
  assert.ok(byHook.some((line) => line.includes('in its suite')) && byHook.includes('# fail 2'), byHook.join('\n'));
  assert.deepEqual(reported(['--import', join(folder, 'context.mjs')]), byHook);
});
