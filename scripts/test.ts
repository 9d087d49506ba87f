/**
 * The test command: every test file, with one PostgreSQL server for the run, and types and lint beside them. The product is built first: tests
 * start it as a user would, and some hundred starts from its sources would take minutes more.
 * `npm test` runs the first part (`scripts/whole-run.ts`), `npm test -- --all` everything, as CI does; `npm test -- PART …` only the test files
 * whose path holds one of the parts, without types and lint. `--costs` lists at the end what each file cost in processor time.
 * Any failure gives a non-zero exit code. The test runner's own summary is printed last, followed only by what types or lint found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { descendantsOf, endProcess, listProcesses } from './processes.ts';
import { runTestFiles } from './run-test-files.ts';
import { gather } from './shared-programs.ts';
import { endedMs, leftMs, limitMs, runLimitMs } from './test-limits.ts';
import { TestWatch } from './watch-tests.ts';
import { waitsForWholeRun } from './whole-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** How long the runner may take to come to its end after the run's bound, and this process after the last test. */
const afterBoundMs = 15_000;
const afterEndMs = 10_000;
/** Two more processes than cores: tests of the whole system wait a quarter of their time. */
const concurrency = Math.max(2, Math.min(5, availableParallelism() + 2));
/**
 * The order in which files start. The longest start first, or they would run alone at the end, and among them first those that run one file
 * after another in one process. Those that mostly wait start beside those that compute. Files that match none of these follow by name.
 */
const longest = [
  'packages/store/src/', 'packages/platform/src/', 'test/nodes/', 'test/tap/python.test.ts', 'test/conformance/provider-packages.test.ts',
  'test/limits/', 'test/hostile/neighbour.test.ts', 'test/websocket/', 'test/login/', 'test/operation/', 'test/dashboard/dashboard.test.ts',
  'test/dashboard/states.test.ts', 'test/reliability/', 'packages/tap/', 'test/dashboard/', 'packages/gateway/src/', 'test/conformance/',
  'test/hostile/', 'test/readers/', 'packages/cli/', 'packages/core/src/', 'test/',
];

process.chdir(root);
const watch = new TestWatch({ fileMs: endedMs, leftMs, runMs: runLimitMs }, (line) => console.error(line));
// What still hangs then is not waited for.
watch.bound.addEventListener('abort', () => setTimeout(() => exitWithAll(1), afterBoundMs));
const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true, options: { all: { type: 'boolean', default: false }, costs: { type: 'boolean', default: false } },
});
const isFirstPart = parts.length === 0 && !options.all;
process.exitCode = await testAll(watch);
if (options.costs) {
  for (const { program, processorSeconds } of watch.costs()) console.log(`${processorSeconds.toFixed(1).padStart(7)} s  ${relative(root, program)}`);
}
watch.stop();
setTimeout(() => exitWithAll(process.exitCode), afterEndMs).unref();

async function testAll(watch: TestWatch): Promise<number> {
  const files = testFiles();
  if (files.length === 0) {
    console.error(`No test file's path holds ${parts.join(' or ')}.`);
    return 2;
  }
  const faults = parts.length === 0 ? checkSources() : Promise.resolve([]);
  const tests = await step('build', ['packages/cli/build.mjs', '--if-changed']) === 0 ? await inMemory(() => runTests(files, watch)) : 1;
  // Printed last, because they would be overlooked among the tests.
  const said = [...await faults, ...watch.faults];
  for (const fault of said) console.error(fault);
  return said.length === 0 ? tests : 1;
}

/** With the temporary files of all tests in memory, if there is room and nobody has named a folder for them. */
async function inMemory(work: () => Promise<number>): Promise<number> {
  const folder = process.env['TMPDIR'] === undefined ? createMemoryFolder() : null;
  if (folder === null) return work();
  process.env['TMPDIR'] = folder;
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  // A run that is ended by hand would otherwise keep the memory until the machine starts again.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      remove();
      process.kill(process.pid, signal);
    });
  }
  try {
    return await work();
  } finally {
    remove();
  }
}

/** Ends what this process has started, at whatever depth, and itself: a child or an open pipe would keep it waiting. */
function exitWithAll(code: typeof process.exitCode): never {
  for (const { pid } of descendantsOf(process.pid, listProcesses())) endProcess(pid);
  process.exit(code);
}

/** Types and lint, beside the tests; gives the output of those that fail. */
async function checkSources(): Promise<string[]> {
  const folders = ['packages', 'test', 'bench', 'scripts'];
  // Made of the operations as they are now, before the pages are held against it.
  await step('client', ['packages/dashboard/generate-client.ts']);
  const checks = {
    // Its threads repeat each other's work: a single one takes half of the processor time. The product is checked first (decision 280).
    types: ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.tests.json', '--singleThreaded'],
    'types of the pages': ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/dashboard/tsconfig.json', '--singleThreaded'],
    lint: ['node_modules/oxlint/bin/oxlint', '--quiet', '-c', '.oxlintrc.json', ...folders],
  };
  const faults: string[] = [];
  for (const [name, args] of Object.entries(checks)) {
    const said: string[] = [];
    if (await step(name, args, said) !== 0) faults.push(`${said.join('')}\n${name} FAILED: ${name === 'lint' ? 'oxlint' : 'tsc'} says why above.`);
  }
  return faults;
}

function testFiles(): string[] {
  const all = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root });
  const isNamed = (file: string): boolean => parts.length === 0 || parts.some((part) => file.includes(part));
  const wanted = (file: string): boolean => (isFirstPart ? !waitsForWholeRun(file) : isNamed(file));
  const named = all.map((file) => file.replaceAll('\\', '/')).filter(wanted).sort();
  return [...new Set([...longest.flatMap((part) => named.filter((file) => file.startsWith(part))), ...named])];
}

async function step(name: string, args: readonly string[], said: string[] | null = null): Promise<number> {
  const startedAt = performance.now();
  const code = await node(args, said);
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)} s)`);
  return code;
}

async function runTests(files: readonly string[], watch: TestWatch): Promise<number> {
  const startedAt = performance.now();
  if (files.some((file) => file.startsWith('test/dashboard/'))) await unpackBrowser();
  const postgres = await startPostgres();
  const gathered = gather(root, files, { again: !isFirstPart });
  console.log(`postgresql: ready (${seconds(startedAt)} s)`);
  console.log(`tests: ${files.length} files, ${concurrency} at a time${isFirstPart ? '; all: npm test -- --all' : ''}`);
  try {
    process.env['TEST_POSTGRES_URL'] = postgres.url;
    // Otherwise some hundred processes would each compile the same sources.
    process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/metergate');
    return await runTestFiles(gathered.files, { concurrency, limitMs, watch }) ? 0 : 1;
  } finally {
    gathered.end();
    await postgres.stop();
  }
}

/** Once for all: of several files that unpack it at the same time, one would start it while another still writes it. */
async function unpackBrowser(): Promise<void> {
  const { default: chromium } = await import('@sparticuz/chromium');
  await chromium.executablePath();
}

/** Runs this same Node with those arguments; resolves with its exit code. Its output is passed through, or collected in `said`. */
async function node(args: readonly string[], said: string[] | null): Promise<number> {
  const stdio = said === null ? 'inherit' as const : ['ignore' as const, 'pipe' as const, 'pipe' as const];
  // A program in Go, as tsc is, would spend a fifth of its time collecting garbage that its end frees anyway.
  const child = spawn(process.execPath, [...args], { cwd: root, stdio, env: { ...process.env, GOGC: '400' } });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => said?.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

function seconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
