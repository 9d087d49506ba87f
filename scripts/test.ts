/**
 * The test command: every test file, with one PostgreSQL server for the run, and types and lint beside them. The product is built first: tests
 * start it as a user would, and some hundred starts from its sources would take minutes more.
 * `npm test` runs all; `npm test -- PART …` only the test files whose path holds one of the parts, without types and lint.
 * Any failure gives a non-zero exit code. The test runner's own summary is printed last, followed only by what types or lint found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { sharedFolders } from './shared-folders.ts';
import { limitMs } from './test-limits.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Two more processes than cores: tests of the whole system wait a quarter of their time. */
const concurrency = Math.max(2, Math.min(5, availableParallelism() + 2));
/**
 * The order in which files start. The longest start first, or they would run alone at the end; files that mostly wait start beside files that
 * compute. Files that match none of these follow by name.
 */
const longest = [
  'test/tap/python.test.ts', 'test/dashboard/dashboard.test.ts', 'packages/platform/src/', 'test/nodes/', 'test/dashboard/control.test.ts',
  'test/reliability/', 'packages/store/src/retention/', 'packages/store/src/', 'test/hostile/', 'test/limits/', 'packages/tap/',
  'test/operation/', 'test/dashboard/', 'test/conformance/', 'packages/cli/', 'packages/gateway/src/call/slow-bodies.test.ts',
  'packages/core/src/', 'packages/gateway/src/usage/', 'test/',
];

process.chdir(root);
process.exitCode = await testAll(process.argv.slice(2));

async function testAll(parts: readonly string[]): Promise<number> {
  const files = testFiles(parts);
  if (files.length === 0) {
    console.error(`No test file's path holds ${parts.join(' or ')}.`);
    return 2;
  }
  const faults = parts.length === 0 ? checkSources() : Promise.resolve([]);
  const tests = await step('build', ['packages/cli/build.mjs']) === 0 ? await inMemory(() => runTests(files)) : 1;
  // Printed last, because they would be overlooked among the tests.
  for (const fault of await faults) console.error(fault);
  return (await faults).length === 0 ? tests : 1;
}

/** With the temporary files of all tests in memory, if there is room and nobody has named a folder for them. */
async function inMemory(work: () => Promise<number>): Promise<number> {
  const folder = process.env['TMPDIR'] === undefined ? createMemoryFolder() : null;
  if (folder === null) return work();
  process.env['TMPDIR'] = folder;
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  // A run that is ended by hand would otherwise keep the memory until the machine starts again.
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

/** Types and lint, beside the tests; gives the output of those that fail. */
async function checkSources(): Promise<string[]> {
  const folders = ['packages', 'test', 'bench', 'scripts'];
  // Made of the operations as they are now, before the pages are held against it.
  await step('client', ['packages/dashboard/generate-client.ts']);
  const checks = {
    // Its threads repeat each other's work: a single one takes half of the processor time.
    types: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json', '--singleThreaded'],
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

function testFiles(parts: readonly string[]): string[] {
  const all = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root });
  const wanted = (file: string): boolean => parts.length === 0 || parts.some((part) => file.includes(part));
  const named = all.map((file) => file.replaceAll('\\', '/')).filter(wanted).sort();
  return [...new Set([...longest.flatMap((part) => named.filter((file) => file.startsWith(part))), ...named])];
}

async function step(name: string, args: readonly string[], said: string[] | null = null): Promise<number> {
  const startedAt = performance.now();
  const code = await node(args, said);
  console.log(`${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds(startedAt)} s)`);
  return code;
}

async function runTests(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  if (files.some((file) => file.startsWith('test/dashboard/'))) await unpackBrowser();
  const postgres = await startPostgres();
  const gathered = gather(files);
  console.log(`postgresql: ready (${seconds(startedAt)} s)`);
  console.log(`tests: ${files.length} files, ${concurrency} at a time`);
  try {
    process.env['TEST_POSTGRES_URL'] = postgres.url;
    // Otherwise some hundred processes would each compile the same sources.
    process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/metergate');
    // Run from here, because the runner's command line would sort the files by name.
    const execArgv = ['--import', pathToFileURL(join(root, 'scripts/end-overdue.ts')).href];
    const events = run({ files: [...gathered.files], concurrency, timeout: limitMs, execArgv });
    let passed = false;
    events.on('test:fail', ({ name }) => gathered.tell(name));
    events.on('test:summary', ({ file, success }) => {
      if (file === undefined) passed = success;
    });
    const report = events.compose(spec);
    report.pipe(process.stdout, { end: false });
    await finished(report);
    return passed ? 0 : 1;
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

/** Reports files that have been running for long: the time limit of a test cannot end one that computes for ever. */
function reportLongRunning(notes: Iterable<string>): void {
  for (const note of notes) {
    const sinceMs = Date.now() - (statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (sinceMs > 2 * limitMs) console.error(`${readFileSync(note, 'utf8')} has been running for ${Math.round(sinceMs / 60_000)} min.`);
  }
}

/** The runner's list of files: a group that shares a process is replaced by one entry, at the place of its first file. */
interface Gathered {
  readonly files: readonly string[];
  /** For a process that failed as a whole: which file it was running. */
  tell(failed: string): void;
  end(): void;
}

function gather(files: readonly string[]): Gathered {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-shared-'));
  const notes = new Map<string, string>();
  const programs = new Map<string, string>();
  for (const { folder, alone } of sharedFolders) {
    const together = files.filter((file) => file.startsWith(folder) && !alone.includes(file.slice(folder.length)));
    if (together.length < 2) continue;
    const program = join(directory, `${folder.replaceAll('/', '-')}shared.test.mjs`);
    const note = `${program}.in`;
    writeFileSync(program, `import { runInOneProcess } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/shared-process.ts')).href)};
await runInOneProcess(${JSON.stringify({ root, files: together, note })});\n`);
    notes.set(program, note);
    for (const file of together) programs.set(file, program);
  }
  const watch = setInterval(() => reportLongRunning(notes.values()), 60_000).unref();
  return {
    files: [...new Set(files.map((file) => programs.get(file) ?? file))],
    tell(failed) {
      const note = notes.get(failed);
      if (note !== undefined && existsSync(note)) console.error(`The process of ${failed} was in ${readFileSync(note, 'utf8')}.`);
    },
    end() {
      clearInterval(watch);
      rmSync(directory, { recursive: true, force: true });
    },
  };
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
