/**
 * The test command: types, lint, then every test file, with one PostgreSQL server for the run. The server is built first: what starts the product
 * starts it as a user would, and some hundred starts from its sources would take minutes more.
 * `npm test` runs all; `npm test -- PART …` only the test files whose path holds one of the parts, without types and lint.
 * Any failure ends with a non-zero exit code; the test runner's own closing lines are the last that is printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@metergate/testkit/postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** One more than cores: tests of the whole system wait a quarter of their time. */
const concurrency = Math.max(2, Math.min(5, availableParallelism() + 1));
/** Of one test. */
const limitMs = 240_000;
/** What takes longest on a quiet machine begins first, or it would be alone at the end. Files of which none is here follow by their names. */
const longest = [
  'test/tap/python.test.ts', 'test/dashboard/dashboard.test.ts', 'packages/store/src/retention/', 'test/nodes/', 'test/reliability/', 'test/kill/',
  'test/hostile/', 'test/operation/', 'test/dashboard/', 'test/store-away/', 'packages/store/src/', 'test/', 'packages/gateway/src/usage/',
];

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
  if (await step('build', ['packages/cli/build.mjs']) !== 0) return 1;
  return runTests(files);
}

function testFiles(parts: readonly string[]): string[] {
  const all = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root });
  const wanted = (file: string): boolean => parts.length === 0 || parts.some((part) => file.includes(part));
  const named = all.map((file) => file.replaceAll('\\', '/')).filter(wanted).sort();
  return [...new Set([...longest.flatMap((part) => named.filter((file) => file.startsWith(part))), ...named])];
}

async function step(name: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const code = await node(args);
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)} s)`);
  return code;
}

async function runTests(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const postgres = await startPostgres();
  console.log(`postgresql: ready (${seconds(startedAt)} s)`);
  console.log(`tests: ${files.length} files, ${concurrency} at a time`);
  try {
    process.env['TEST_POSTGRES_URL'] = postgres.url;
    // Some hundred processes would each compile the same sources.
    process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/metergate');
    // Run from here, for the runner's command line would sort the files by their names.
    const events = run({ files, concurrency, timeout: limitMs });
    let passed = false;
    events.on('test:summary', ({ file, success }) => {
      if (file === undefined) passed = success;
    });
    const report = events.compose(spec);
    report.pipe(process.stdout, { end: false });
    await finished(report);
    return passed ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

/** Runs this very Node with those arguments, its output going straight through; resolves with its exit code. */
async function node(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...args], { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

function seconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
