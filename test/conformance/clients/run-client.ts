/**
 * How a client of another provider is run: as a program of its own, in an empty home, led to a base URL with a key. It prints what the model said, or
 * fails with what its error says. `.ci/run` installs the packages in `.venvs`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { endedMs, forkingPython, type EndedProgram } from './forking-python.ts';
import type { Between } from './litellm-proxy.ts';

export interface Asking {
  readonly base: string;
  readonly key: string;
}

export interface InstalledClient {
  readonly name: string;
  /** Of the price list; absent: none is declared. */
  readonly provider?: string;
  /** `bearer` by default. */
  readonly auth?: string;
  /** Its model is in no list: the organization has a price for such. */
  readonly usesFallback?: boolean;
  /** Stands before the provider, as the upstream: made with the provider's address and the key that it is to take. */
  readonly between?: (provider: string, key: string) => Promise<Between>;
  /** It makes up requests of its own: only where they go is compared. */
  readonly isAgent?: boolean;
  readonly answer: (request: ReceivedRequest) => ScriptedAnswer;
  /** Null: it is installed. */
  readonly missing: string | null;
  /** What it shows; rejects with that if it fails. */
  readonly run: (asking: Asking) => Promise<string>;
}

export type How = Pick<InstalledClient, 'missing' | 'run' | 'isAgent'>;
type Env = Readonly<Record<string, string>>;

const venvs = fileURLToPath(new URL('../../../.venvs', import.meta.url));

/** In an empty home. What it prints; rejects with that if it fails. */
async function ranOut(command: readonly string[], env: Env): Promise<string> {
  return inHome(async (home) => {
    // With a base URL in its environment and no way to sign in chosen, Gemini CLI calls nothing.
    mkdirSync(join(home, '.gemini'));
    writeFileSync(join(home, '.gemini/settings.json'), '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
    const child = spawn(command[0]!, command.slice(1), { cwd: home, env: { ...homely(home), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
    const limit = setTimeout(() => child.kill('SIGKILL'), endedMs);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(limit);
    return { code, stdout, stderr };
  });
}

/** By the Python of that environment. */
async function ranForked(python: string, code: string, env: Env): Promise<string> {
  return inHome(async (home) => forkingPython(python).run(code, home, { ...homely(home), ...env }));
}

async function inHome(run: (home: string) => Promise<EndedProgram>): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'metergate-client-'));
  try {
    const { code, stdout, stderr } = await run(home);
    if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
    return stdout.trim();
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const homely = (home: string): Env => ({ PATH: process.env['PATH'] ?? '', HOME: home });

/** Otherwise each process would compile the packages again. */
const compileCache: Env = process.env['NODE_COMPILE_CACHE'] === undefined ? {} : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** One of `packages.mjs`. `place`: the environment that has it, and a package there. */
export function ofNpm(name: string, [environment, part] = ['providers-node', 'groq-sdk']): How {
  const script = fileURLToPath(new URL('packages.mjs', import.meta.url));
  return {
    missing: existsSync(join(venvs, environment!, 'node_modules', part!)) ? null : 'the packages of npm',
    run: ({ base, key }) => ranOut([process.execPath, script, name], { BASE: base, KEY: key, ...compileCache }),
  };
}

interface PythonPlace {
  /** Which environment has it. */
  readonly environment?: 'current' | 'frameworks' | 'agents' | 'providers';
  /** After its imports. */
  readonly env?: Env;
}

/** `BASE` and `KEY` are there. */
export function ofPython(code: string, { environment = 'current', env = {} }: PythonPlace = {}): How {
  const python = join(venvs, environment, 'bin/python');
  return {
    missing: existsSync(python) ? null : 'the packages of Python',
    run: ({ base, key }) => ranForked(python, `import os\nBASE, KEY = os.environ['BASE'], os.environ['KEY']\n${code}\n`, {
      BASE: base, KEY: key, ...env,
    }),
  };
}

/** One that somebody built in `.venvs`. */
export function builtByHand(program: string): How {
  const path = join(venvs, program);
  return { missing: existsSync(path) ? null : 'programs that are built by hand', run: ({ base, key }) => ranOut([path], { BASE: base, KEY: key }) };
}

/** A program of npm's tools that `metergate login` sets up. */
export function agent(program: string, args: readonly string[], settings: (asking: Asking) => Env): How {
  const path = join(venvs, 'login-node/node_modules', program);
  return { isAgent: true, missing: existsSync(path) ? null : 'the agents', run: (asking) => ranOut([path, ...args], settings(asking)) };
}
