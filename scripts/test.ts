/**
 * The test command: types, lint, then every test file, with one PostgreSQL server for the run.
 * `npm test` runs all; `npm test -- PART …` only the test files whose path holds one of the parts, without types and lint.
 * Any failure ends with a non-zero exit code; the test runner's own closing lines are the last that is printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@metergate/testkit/postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** System tests are processes of their own; more at once than cores only makes them wait for each other. */
const concurrency = Math.max(2, Math.min(4, availableParallelism()));

process.chdir(root);
process.exitCode = await testAll(process.argv.slice(2));

async function testAll(parts: readonly string[]): Promise<number> {
  const files = testFiles(parts);
  if (files.length === 0) {
    console.error(`No test file's path holds ${parts.join(' or ')}.`);
    return 2;
  }
  if (parts.length === 0) {
    const types = await step('types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']);
    const folders = ['packages', 'test', 'bench', 'scripts'];
    const lint = await step('lint', ['node_modules/oxlint/bin/oxlint', '--quiet', '-c', '.oxlintrc.json', ...folders]);
    if (types !== 0 || lint !== 0) {
      console.error('The tests are not run before types and lint pass.');
      return 1;
    }
  }
  return runTests(files);
}

function testFiles(parts: readonly string[]): string[] {
  const all = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root });
  const wanted = (file: string): boolean => parts.length === 0 || parts.some((part) => file.includes(part));
  return all.map((file) => file.replaceAll('\\', '/')).filter(wanted).sort();
}

async function step(name: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const code = await node(args, process.env);
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)} s)`);
  return code;
}

async function runTests(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const postgres = await startPostgres();
  console.log(`postgresql: ready (${seconds(startedAt)} s)`);
  console.log(`tests: ${files.length} files, ${concurrency} at a time`);
  try {
    const args = ['--test', `--test-concurrency=${concurrency}`, '--test-timeout=240000', '--test-reporter=spec', ...files];
    // Some hundred processes would each compile the same sources.
    const compiled = process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules/.cache/metergate');
    return await node(args, { ...process.env, TEST_POSTGRES_URL: postgres.url, NODE_COMPILE_CACHE: compiled });
  } finally {
    await postgres.stop();
  }
}

/** Runs this very Node with those arguments, its output going straight through; resolves with its exit code. */
async function node(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [...args], { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

function seconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
