/**
 * The test command ends what hangs, from outside and by name: files written here hang in every way that a process can, and the same runner and
 * watch as in `scripts/test.ts` run them with limits of seconds.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TestLimits } from '../scripts/watch-tests.ts';

/** Each writes the ids of its processes where the test finds them. */
const files = {
  blocks: `test('computes for ever', () => { process.on('SIGTERM', () => {}); tell(process.pid); for (;;); });`,
  deaf: `test('hears nothing', async () => { process.on('SIGTERM', () => {});
    const kept = spawn(process.execPath, ['-e', forever], { stdio: 'ignore' });
    tell(process.pid, kept.pid); setInterval(() => {}, 1000); await new Promise(() => {}); });`,
  // What it starts ends at once and leaves its own child behind, with this file's output.
  leaves: `test('leaves a grandchild', async () => { const child = spawn(process.execPath, ['-e', 'const kept = require("child_process")'
    + '.spawn(process.execPath, ["-e", ' + JSON.stringify(forever) + '], { stdio: "inherit", detached: true });'
    + 'require("fs").writeSync(3, String(kept.pid)); process.exit()'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'], detached: true });
    let pid = ''; for await (const part of child.stdio[3]) pid += part; tell(pid); });`,
  dies: `test('is killed', () => { process.kill(process.pid, 'SIGKILL'); for (;;); });`,
  passes: `test('passes', () => {});`,
} as const;
const forever = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
const folder = mkdtempSync(join(tmpdir(), 'test-command-'));

before(() => {
  for (const [name, source] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.mjs`), `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
import { test } from 'node:test'; const forever = ${JSON.stringify(forever)};
const tell = (...pids) => writeFileSync(${JSON.stringify(join(folder, `${name}.pids`))}, pids.join(' ')); ${source}`);
  }
});
after(() => {
  // What the command should have ended, if it did not.
  for (const name of Object.keys(files)) for (const pid of pidsOf(name)) if (lives(pid)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a file that computes for ever is ended by name with the test that it was in', async () => {
  const { code, said } = await runFiles(['blocks', 'passes'], { fileMs: 4_000, leftMs: 2_000, runMs: 200_000 });
  assert.match(said, /blocks\.mjs was ended from outside after \d+ s, in "computes for ever"\./);
  assert.match(said, /The process of \S+blocks\.mjs was in "computes for ever"\./);
  assert.match(said, /✔ passes/);
  assert.equal(code, 1);
  assert.deepEqual(pidsOf('blocks').filter(lives), []);
});

test('a file that ignores its end is ended with what it started', async () => {
  const { code, said } = await runFiles(['deaf'], { fileMs: 4_000, leftMs: 2_000, runMs: 200_000 });
  assert.match(said, /deaf\.mjs was ended from outside after \d+ s, in "hears nothing"\. It had started: \d+ /);
  assert.equal(code, 1);
  assert.deepEqual(pidsOf('deaf').map(lives), [false, false]);
});

test('what a file leaves behind is ended, and fails the run if it holds the file\'s output', { skip: !existsSync('/proc/self/stat') }, async () => {
  const { code, said } = await runFiles(['leaves', 'passes'], { fileMs: 100_000, leftMs: 2_000, runMs: 200_000 });
  assert.match(said, /leaves\.mjs ended, and what it had started was ended 2 s later: \d+ .*It held the file's output/);
  assert.match(said, /✔ passes/);
  assert.equal(code, 1);
  assert.deepEqual(pidsOf('leaves').map(lives), [false]);
});

test('a run that does not end says what still runs and fails', async () => {
  const { code, said } = await runFiles(['passes', 'deaf', 'blocks'], { fileMs: 100_000, leftMs: 2_000, runMs: 5_000 });
  assert.match(said, /The run did not end within 5 s\. Still running:\n {2}\S+\.mjs, for \d+ s, in "/);
  for (const [name, doing] of [['deaf', 'hears nothing'], ['blocks', 'computes for ever']]) {
    assert.match(said, new RegExp(`^ {2}\\S+${name}\\.mjs, for \\d+ s, in "${doing}"$`, 'm'));
  }
  assert.equal(code, 1);
  assert.deepEqual([...pidsOf('deaf'), ...pidsOf('blocks')].filter(lives), []);
});

test('a file that dies is reported with the test that it was in', async () => {
  const { code, said } = await runFiles(['dies', 'passes'], { fileMs: 100_000, leftMs: 2_000, runMs: 200_000 });
  assert.match(said, /The process of \S+dies\.mjs was in "is killed"\./);
  assert.match(said, /✔ passes/);
  assert.equal(code, 1);
});

test('a run whose files pass has passed', async () => {
  assert.equal((await runFiles(['passes'], { fileMs: 100_000, leftMs: 2_000, runMs: 200_000 })).code, 0);
});

async function runFiles(names: readonly string[], limits: TestLimits): Promise<{ readonly code: number | null; readonly said: string }> {
  for (const name of names) rmSync(join(folder, `${name}.pids`), { force: true });
  const module = (name: string): string => JSON.stringify(new URL(`../scripts/${name}`, import.meta.url).href);
  const source = `import { runTestFiles } from ${module('run-test-files.ts')}; import { TestWatch } from ${module('watch-tests.ts')};
const watch = new TestWatch(${JSON.stringify(limits)}, (line) => console.error(line));
const passed = await runTestFiles(${JSON.stringify(names.map((name) => join(folder, `${name}.mjs`)))}, { concurrency: 3, limitMs: 2 ** 30, watch });
watch.stop(); process.exitCode = passed ? 0 : 1;`;
  const program = join(folder, 'program.mjs');
  writeFileSync(program, source);
  // As this process is itself a test file, the runner inside would take itself for one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const command = spawn(process.execPath, [program], { cwd: fileURLToPath(new URL('..', import.meta.url)), env });
  let said = '';
  for (const stream of [command.stdout, command.stderr]) stream.setEncoding('utf8').on('data', (text: string) => said += text);
  const code = await new Promise<number | null>((resolve) => command.once('close', resolve));
  return { code, said };
}

function pidsOf(name: string): number[] {
  const path = join(folder, `${name}.pids`);
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').map(Number) : [];
}

/** Whether it runs; one that only waits for its parent to notice its end does not. */
function lives(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
