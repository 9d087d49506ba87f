/**
 * What stands between load and mock in a benchmark: nothing, the product, the bare relay, and haproxy and nginx if installed.
 * Each is started fresh on a free port, alone on the first core if the machine can pin processes, and stopped by its own handle.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { openStore } from '@metergate/store/store.ts';
import { productEnv, runCli } from '@metergate/testkit/system.ts';

/** A running subject. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  /** Null for `direct`, which has no process. */
  readonly pid: number | null;
  /** The service key that its calls carry; any text if it needs none. */
  readonly key: string;
  /** Further header lines for its calls, each ended by CR LF. */
  readonly headers: string;
  /** How many calls the subject recorded, and the sum of their prompt tokens; null if it records nothing. */
  readonly recorded: ((expectedCalls: number) => Promise<{ calls: number; promptTokens: number }>) | null;
  /** Makes that many more service keys; null if it has none. */
  readonly makeKeys: ((count: number) => Promise<string[]>) | null;
  stop(): Promise<void>;
}

/** True if a process can be pinned to one core. */
export const canPin = process.platform === 'linux' && availableParallelism() > 1 && installed('taskset');

/** Command and arguments that run pinned to that core, if the machine can do that. */
export function pinned(core: number, command: string, args: readonly string[]): [string, string[]] {
  return canPin ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];
}

/**
 * All subjects this machine has, for a mock at that address. `before`: another checkout of the product, installed, to be measured beside it.
 * `guarded`: further setup of the product.
 */
export async function startSubjects(mock: string, before: string | null = null, guarded?: Guarded): Promise<Subject[]> {
  const subjects: Subject[] = [direct(mock), await product(mock, guarded), await bareRelay(mock)];
  if (before !== null) {
    const bench = pathToFileURL(join(resolve(before), 'bench/'));
    subjects.push({ ...await product(mock, guarded, bench), name: 'metergate before' });
  }
  if (hasHaproxy) subjects.push(await haproxy(mock));
  if (installed('nginx')) subjects.push(await nginx(mock));
  return subjects;
}

/** Whether haproxy is installed, to compare with. */
export const hasHaproxy = installed('haproxy');

function installed(command: string): boolean {
  return process.platform !== 'win32' && spawnSync('which', [command]).status === 0;
}

const plain = { key: 'none', headers: '', makeKeys: null } as const;

function direct(mock: string): Subject {
  return { name: 'direct', url: mock, pid: null, ...plain, recorded: null, stop: async () => {} };
}

/** A product whose rate limits count but refuse nothing. */
export async function product(mock: string, guarded?: Guarded, from: URL | string = import.meta.url): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-'));
  const env = productEnv({
    SVC_DATA_DIR: directory, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', SVC_OPENAI_URL: mock, OPENAI_API_KEY: 'sk-bench',
    SVC_ANTHROPIC_URL: mock, ANTHROPIC_API_KEY: 'sk-bench',
  });
  // An older product refuses to start with a setting that it does not know.
  if (from !== import.meta.url) delete env['SVC_LOG_FORMAT'];
  const launcher = fileURLToPath(new URL('../packages/cli/bin/metergate.mjs', from));
  const child = start(process.execPath, [launcher, 'start'], env);
  const [, url = ''] = await lineFrom(child, /^metergate ready gateway=(\S+)/m);
  const ask = async (args: readonly string[], input = ''): Promise<unknown> => {
    const result = await runCli([...args, '--json'], env, input, launcher);
    if (result.code !== 0) throw new Error(`bench: the product could not be set up: ${result.stderr}`);
    return result.json();
  };
  const { key } = await ask(['key', 'create', '--org', 'default']) as { key: string };
  await ask(['org', 'set', 'default', '--plan', 'enterprise', '--requests-per-minute', lifted, '--tokens-per-minute', lifted]);
  return {
    name: guarded?.name ?? 'metergate', url, pid: child.pid ?? null, key, headers: await guarded?.headers(ask) ?? '',
    recorded: (expected) => recordedBy({ env, launcher }, expected), makeKeys: (count) => keysIn(directory, count),
    stop: async () => { await end(child); rmSync(directory, { recursive: true, force: true }); },
  };
}

/** A product with further setup, by commands of the command line without `--json`, and the headers that its calls then carry. */
export interface Guarded {
  readonly name: string;
  /** Header lines, each ended by CR LF. */
  readonly headers: (ask: (command: readonly string[], input?: string) => Promise<unknown>) => Promise<string>;
}

/** The command that gives the organization a cap that nothing reaches. */
export const setCap = ['cap', 'set', '--org', 'default', '--scope', 'organization', '--window', 'year', '--limit', '1000000'] as const;

const lifted = '10000000000';

/** Made in the store directly: commands would take a process each. */
async function keysIn(directory: string, count: number): Promise<string[]> {
  const masterKey = Buffer.from(readFileSync(join(directory, 'master.key'), 'utf8').trim(), 'base64');
  const bytes = (n: number): Uint8Array => randomBytes(n);
  const store = await openStore({ url: `sqlite:${join(directory, 'metergate.db')}`, masterKey, clock: Date.now, randomBytes: bytes, create: false });
  try {
    const keys: string[] = [];
    while (keys.length < count) {
      const made = await createServiceKey({ store, randomBytes: bytes, nowMs: Date.now() }, { organization: 'default' });
      if (!('key' in made)) throw new Error('bench: no key was made');
      keys.push(made.key);
    }
    return keys;
  } finally {
    await store.close();
  }
}

/** How to query a product with its own commands. */
interface Commands {
  readonly env: NodeJS.ProcessEnv;
  readonly launcher: string;
}

interface ListedCall { readonly id: string; readonly startedAt: string; readonly inputTokens: number | null }

/** Reads every record through the command line, page by page, until all expected ones are there or nothing new comes for a while. */
async function recordedBy(product: Commands, expectedCalls: number): Promise<{ calls: number; promptTokens: number }> {
  const deadline = performance.now() + 30_000;
  let found = new Map<string, number>();
  while (found.size < expectedCalls && performance.now() < deadline) found = await everyRecord(product);
  return { calls: found.size, promptTokens: [...found.values()].reduce((sum, tokens) => sum + tokens, 0) };
}

async function everyRecord({ env, launcher }: Commands): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let until: string[] = [];
  for (;;) {
    const result = await runCli(['calls', 'list', '--org', 'default', '--limit', '10000', ...until, '--json'], env, '', launcher);
    const page = result.json() as ListedCall[];
    for (const call of page) found.set(call.id, call.inputTokens ?? 0);
    const oldest = page.at(-1);
    if (page.length < 10_000 || oldest === undefined) return found;
    const next = new Date(Date.parse(oldest.startedAt) + 1).toISOString();
    if (until[1] === next) throw new Error('bench: more than 10,000 calls in one millisecond');
    until = ['--until', next];
  }
}

function bareRelay(mock: string): Promise<Subject> {
  return relayBy('bare-relay.ts', 'bare node relay', mock);
}

/** Passes bytes on with Node's sockets, and reads none of them. */
export function bareTcpRelay(mock: string): Promise<Subject> {
  return relayBy('bare-tcp-relay.ts', 'bare tcp relay', mock);
}

async function relayBy(file: string, name: string, mock: string): Promise<Subject> {
  const child = start(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), mock], process.env);
  const [, url = ''] = await lineFrom(child, /^ready (\S+)/m);
  return { name, url, pid: child.pid ?? null, ...plain, recorded: null, stop: () => end(child) };
}

/** @param besides the destination of paths that begin with `/upstream`. */
export async function haproxy(mock: string, besides?: string): Promise<Subject> {
  const port = await freePort();
  const config = [
    'global', '  nbthread 1', '  maxconn 4096', 'defaults', '  mode http', '  timeout connect 10s', '  timeout client 900s',
    '  timeout server 900s', '  http-reuse always', 'frontend f', `  bind 127.0.0.1:${port}`,
    ...(besides === undefined ? [] : ['  use_backend u if { path_beg /upstream }']),
    '  default_backend b', 'backend b', `  server s ${new URL(mock).host}`,
    ...(besides === undefined ? [] : ['backend u', `  server s ${new URL(besides).host}`]), '',
  ].join('\n');
  return configured({ name: 'haproxy', port, config, args: (file) => ['-db', '-f', file] });
}

async function nginx(mock: string): Promise<Subject> {
  const port = await freePort();
  const config = [
    'daemon off; worker_processes 1; pid nginx.pid; error_log stderr;', 'events { worker_connections 4096; }',
    `http { access_log off; keepalive_requests 100000000; upstream u { server ${new URL(mock).host}; keepalive 256; keepalive_requests 100000000; }`,
    `server { listen 127.0.0.1:${port}; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection "";`,
    'proxy_buffering off; client_max_body_size 0; } } }', '',
  ].join('\n');
  return configured({ name: 'nginx', port, config, args: (file, directory) => ['-p', directory, '-c', file] });
}

interface Configured {
  readonly name: string;
  readonly port: number;
  readonly config: string;
  readonly args: (file: string, directory: string) => string[];
}

async function configured({ name, port, config, args }: Configured): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), `metergate-bench-${name}-`));
  const file = join(directory, `${name}.conf`);
  writeFileSync(file, config);
  const child = start(name, args(file, directory), process.env);
  const url = `http://127.0.0.1:${port}`;
  await listening(url);
  return {
    name, url, pid: child.pid ?? null, ...plain, recorded: null,
    stop: async () => { await end(child); rmSync(directory, { recursive: true, force: true }); },
  };
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const [program, all] = pinned(0, command, args);
  return spawn(program, all, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Waits for a line of stdout. */
async function lineFrom(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const match = pattern.exec(text);
    if (match !== null) resolve(match);
  });
  child.once('close', (code) => reject(new Error(`bench: a subject ended with ${code} before it was ready`)));
  return promise;
}

async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(url).then(async (answer) => { await answer.body?.cancel(); return true; }, () => false);
    if (answered) return;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  throw new Error(`bench: nothing listens at ${url}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
