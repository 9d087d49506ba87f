/**
 * The Pythons of this machine that the Python tap supports: those on the PATH, pyenv's, and the environments in `.venvs` that hold the
 * providers' SDKs (`.ci/run` makes them).
 */
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const tapPython = join(root, 'packages/tap-python');

/** A program of the end-to-end test takes seconds. */
const PROGRAM_LIMIT_MS = 60_000;
/** Between the signal that makes Python print its threads and the end of everything it started. */
const LAST_WORDS_MS = 2_000;

/** One interpreter. */
export interface Python {
  /** For example `3.12.1`. */
  readonly version: string;
  readonly path: string;
}

/** The interpreter at a path, if it is 3.9 or later. */
function pythonAt(path: string): Python | undefined {
  try {
    const ask = ['-c', 'import platform; print(platform.python_version())'];
    const version = execFileSync(path, ask, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .trim();
    const [major, minor] = version.split('.').map(Number);
    return major === 3 && minor! >= 9 ? { version, path } : undefined;
  } catch {
    return undefined;
  }
}

/** One interpreter of each version that is found, oldest first. */
export function pythons(): readonly Python[] {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
    .flatMap((folder) => globSync('python3{,.[0-9]*[0-9]}', { cwd: folder }).map((name) => join(folder, name)));
  const pyenv = globSync('versions/*/bin/python3', { cwd: join(homedir(), '.pyenv') }).map((path) => join(homedir(), '.pyenv', path));
  const paths = new Set([...pyenv, ...onPath].filter((path) => existsSync(path)).map((path) => realpathSync(path)));
  const found = new Map([...paths].map(pythonAt).filter((python) => python !== undefined).map((python) => [python.version, python]));
  return [...found.values()].sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
}

/** The environments that hold SDKs, by their names. */
export function sdkEnvironments(): ReadonlyMap<string, Python> {
  const found = globSync('*/bin/python', { cwd: join(root, '.venvs') })
    .filter((path) => existsSync(join(tapPython, `tests/sdk/requirements-${path.split(/[\\/]/)[0]}.txt`)))
    .map((path) => [path.split(/[\\/]/)[0]!, pythonAt(join(root, '.venvs', path))] as const);
  return new Map(found.filter((entry): entry is readonly [string, Python] => entry[1] !== undefined));
}

/** How a Python program ended. */
export interface EndedPython {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that can import the tap, with only these variables of the tap. */
export async function runPython({ path }: Python, program: string, env: Record<string, string>): Promise<EndedPython> {
  return ended(spawnPython(path, ['-c', program], { ...withTap(), ...env }), PROGRAM_LIMIT_MS);
}

/** Runs one module of the Python tap's tests, with the name of each test printed, and ends it and all it started at this limit (ms). */
export async function unitTests({ path }: Python, module: string, limitMs: number):
Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { ...withTap(), METERGATE_NODE: process.execPath };
  const { code, stdout, stderr } = await ended(spawnPython(path, ['-X', 'faulthandler', '-m', 'unittest', '--verbose', module], env), limitMs);
  return { code, output: stdout + stderr };
}

type PythonProcess = ChildProcessByStdio<null, Readable, Readable>;

/** A Python that leads its own process group, so that nothing it started is left when it is ended. */
function spawnPython(path: string, args: readonly string[], env: NodeJS.ProcessEnv): PythonProcess {
  return spawn(path, [...args], { env, cwd: tapPython, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
}

/** The environment of this process, in which Python finds the sources of the tap. It keeps what it compiled: every host would compile it again. */
function withTap(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONPATH: join(tapPython, 'src') };
}

/** How a Python ended, by itself or at the limit, at which a test run prints the stack of each of its threads. */
async function ended(child: PythonProcess, limitMs: number): Promise<EndedPython> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => { output[name] += text; });
  const limit = setTimeout(() => {
    output.stderr += `\nIt did not end within ${limitMs / 1000} s.\n`;
    child.kill('SIGABRT');
    setTimeout(() => endGroup(child), LAST_WORDS_MS);
  }, limitMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, ...output };
}

function endGroup({ pid }: PythonProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch { /* all of it has ended */ }
}
