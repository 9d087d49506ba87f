/**
 * Clients that speak WebSocket, from their own packages: Codex, the Agents SDKs, and OpenAI's SDK for Python. `.ci/run` installs them in
 * `.venvs/agents` and `.venvs/agents-node`, and Codex with the tools that sign in. Where they are not, the test says so in one line.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const python = join(root, '.venvs/agents/bin/python');
export const nodePackages = join(root, '.venvs/agents-node/node_modules');
export const codex = join(root, '.venvs/login-node/node_modules/.bin/codex');

/** A client that hangs is ended. */
const clientMs = 120_000;

/** Whether the package is there; if not, the test's report says so. */
export function has(path: string, t: TestContext): boolean {
  if (existsSync(path)) return true;
  t.diagnostic('the clients that .ci/run installs are not in .venvs: none is led through the product here');
  return false;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ClientOptions {
  /** All its variables but the path. */
  readonly env: Readonly<Record<string, string>>;
  /** Its own folder, and its home; removed when it has ended. An empty one by default. */
  readonly home?: string;
}

/** Runs a client until it ends. */
export async function runClient(command: readonly string[], { env, home = emptyHome() }: ClientOptions): Promise<Ended> {
  const [program, ...args] = command;
  const child = spawn(program!, args, {
    cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => { output[name] += text; });
  const limit = setTimeout(() => child.kill('SIGKILL'), clientMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  } finally {
    clearTimeout(limit);
    // What it started may still write there for a moment.
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A new folder for a client. */
export function emptyHome(): string {
  return mkdtempSync(join(tmpdir(), 'metergate-client-'));
}
