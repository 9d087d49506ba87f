/**
 * A person's machine with the tools of npm on it, on a fresh home, and the person at their browser: as `metergate login` meets them. `.ci/run`
 * installs the tools in `.venvs/login-node`.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@metergate/testkit/eventually.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(root, '.venvs/login-node/node_modules');
const launcher = join(root, 'packages/cli/bin/metergate.mjs');
const endedMs = 180_000;

/** The tools' programs. That of Claude Code is one for each kind of machine: its launcher needs a script of its package that is not run here. */
const programs = {
  claude: join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
  codex: join(packages, '.bin/codex'), gemini: join(packages, '.bin/gemini'), cn: join(packages, '.bin/cn'),
  // With all it needs 700 MB, so nothing installs it: python -m venv .venvs/aider && .venvs/aider/bin/pip install aider-chat==0.86.2
  aider: join(root, '.venvs/aider/bin/aider'),
} as const;
export type Program = keyof typeof programs;

export function hasTools(...chosen: readonly Program[]): boolean {
  return chosen.every((name) => existsSync(programs[name]));
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Machine {
  readonly home: string;
  /** What a browser would be opened with. */
  opened(): Promise<string>;
  metergate(...args: readonly string[]): Running;
  /** The same at a terminal, where a person types; its output is one. */
  atTerminal(...args: readonly string[]): Running;
  tool(program: Program, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  write(path: string, text: string, mode?: number): void;
  /** Every file of the home with its mode and a digest of its bytes, by path. */
  files(): Readonly<Record<string, string>>;
  remove(): void;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Resolves with the first match of what it says on stderr, or at its terminal. */
  says(words: RegExp): Promise<RegExpMatchArray>;
  /** A line, and its end. */
  types(line: string): void;
}

/** The system's program that gives a command a terminal. */
const terminal = '/usr/bin/script';
export const hasTerminal = (): boolean => existsSync(terminal);

/** `programs`: which tools are on its path; none by default. */
export function newMachine({ with: chosen = [] }: { readonly with?: readonly Program[] } = {}): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-machine-'));
  const [home, bin] = [join(folder, 'home'), join(folder, 'bin')];
  for (const each of [home, bin, join(folder, 'work')]) mkdirSync(each);
  for (const name of chosen) symlinkSync(programs[name], join(bin, name));
  const opening = join(folder, 'opened');
  writeFileSync(join(bin, 'browser'), `#!/bin/sh\nprintf '%s' "$1" > '${opening}.part' && mv '${opening}.part' '${opening}'\n`);
  chmodSync(join(bin, 'browser'), 0o700);
  const ofCommand = { BROWSER: join(bin, 'browser') };
  const env = { HOME: home, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, LANG: 'C.UTF-8' };
  return {
    home,
    async opened() {
      await eventually(() => existsSync(opening), 'no browser was opened');
      const url = readFileSync(opening, 'utf8');
      rmSync(opening);
      return url;
    },
    metergate: (...args) => run([process.execPath, launcher, ...args], { cwd: folder, env: { ...env, ...ofCommand } }),
    atTerminal: (...args) => run([terminal, '-qefc', [process.execPath, launcher, ...args].map((each) => `'${each}'`).join(' '), '/dev/null'],
      { cwd: folder, env: { ...env, ...ofCommand, SHELL: '/bin/sh', TERM: 'xterm' }, isTyped: true }),
    tool: (program, args, more = {}) => run([join(bin, program), ...args], { cwd: join(folder, 'work'), env: { ...env, ...more } }).ended,
    write(path, text, mode = 0o600) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      chmodSync(join(home, path), mode);
    },
    files: () => Object.fromEntries(readdirSync(home, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name)).sort().map((path) => {
        const stat = statSync(path);
        const what = stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'directory';
        return [relative(home, path), `${(stat.mode & 0o777).toString(8)} ${what}`];
      })),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

interface Runs {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly isTyped?: boolean;
}

function run(command: readonly string[], { cwd, env, isTyped = false }: Runs): Running {
  const child = spawn(command[0]!, command.slice(1), { cwd, env, stdio: [isTyped ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  const heard = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const hear of heard) hear();
    });
  }
  const limit = setTimeout(() => child.kill('SIGKILL'), endedMs);
  const ended = once(child, 'close').then(([code]) => {
    clearTimeout(limit);
    for (const hear of heard) hear();
    return { code: code as number | null, ...output };
  });
  return {
    ended,
    types: (line) => void child.stdin!.write(`${line}\n`),
    says: (words) => new Promise((resolve, reject) => {
      const look = (): void => {
        const found = words.exec(isTyped ? output.stdout : output.stderr);
        if (found !== null) resolve(found);
        else if (child.exitCode !== null) reject(new Error(`it ended without ${String(words)}: ${output.stdout}${output.stderr}`));
      };
      heard.add(look);
      look();
    }),
  };
}

/** The person, signed in at the platform by their password. */
export interface Person {
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
}

export async function signedIn(platformUrl: string, email: string, password: string): Promise<Person> {
  const send = (path: string, method: string, body: unknown, cookie?: string) => fetch(`${platformUrl}/platform/v1${path}`, {
    method, headers: { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const answer = await send('/auth/sign-in/email', 'POST', { email, password });
  if (answer.status !== 200) throw new Error(`${email} could not sign in: ${await answer.text()}`);
  const cookie = answer.headers.getSetCookie().map((each) => each.split(';', 1)[0]).join('; ');
  return {
    async ask(method, path, body) {
      const said = await send(path, method, body, cookie);
      return { status: said.status, body: await said.json() as Record<string, unknown> };
    },
  };
}
