/**
 * The whole product on free ports: spawns `metergate start` as a user would, with its own data directory and scripted
 * providers behind it, and offers the command line beside it. Tests see only what operators see. A start that ends before its ready line
 * throws with what the product wrote to stderr.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { assertAtRest, heldBy } from './at-rest.ts';
import { productClock } from './clock.ts';
import { eventually } from './eventually.ts';
import { childrenOf, residentBytesOf } from './process-tree.ts';
import { startScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

const launcher = fileURLToPath(new URL('../../cli/bin/metergate.mjs', import.meta.url));
/** The modules by which the command line runs in the test's own process. */
const commands = new URL('../../cli/src/test-support/run-in-process.ts', import.meta.url);
/** Starting a process on a busy machine takes a while. Milliseconds. */
const startDeadlineMs = 180_000;

/** The provider keys that every system connects; tests look for them in what the providers received. */
export const providerKeys = {
  openai: 'sk-testkit-openai-0000', anthropic: 'sk-ant-testkit-0000', upstream: 'testkit-upstream-0000',
} as const;

/** The result of one run of the command line. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed stdout. @throws SyntaxError if it is not JSON. */
  readonly json: () => unknown;
}

export interface SystemOptions {
  readonly env?: Record<string, string | undefined>;
  /** Arguments after `start`. */
  readonly args?: readonly string[];
  /** Where the system keeps its data; default: a new folder, removed at `stop`. */
  readonly dataDirectory?: string;
  /** Connect the default organization's provider keys at the first start. Default true. */
  readonly connectProviders?: boolean;
  /** Leave the default organization on its first plan. Default false: a plan with rate limits that no test reaches. */
  readonly publishedLimits?: boolean;
  /** The product may have at most this many files and sockets open (Unix). Default: as many as this process. */
  readonly descriptorsMax?: number;
}

/** A running product. */
export interface System {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly opsUrl: string;
  readonly dataDirectory: string;
  readonly pid: number;
  readonly openai: ScriptedProvider;
  readonly anthropic: ScriptedProvider;
  /** The declared upstream's provider; declared only by `declareUpstream`. */
  readonly upstream: ScriptedProvider;
  /** All that the product has written to stderr so far. */
  readonly stderr: () => string;
  readonly stdout: () => string;
  /** Resolves once stderr has this: what was written there before an answer may be read here after it. @throws Error after the deadline. */
  says(words: RegExp): Promise<void>;
  /** `metergate ARGS` beside the running product, in the test's own process: a separate process takes ten times as long. */
  cli(args: readonly string[], stdin?: string): Promise<CliResult>;
  /** A service key of an organization (`default` unless named). */
  createKey(options?: { organization?: string; project?: string }): Promise<{ id: string; key: string; prefix: string }>;
  createOrganization(name: string, plan?: string): Promise<{ id: string; name: string; plan: string }>;
  connectProvider(provider: 'openai' | 'anthropic', organization: string): Promise<void>;
  /** Declares and enables the scripted upstream, with a path in its URL if wanted, or the one at `url`. */
  declareUpstream(options?: { organization?: string; url?: string; path?: string; enabled?: boolean }): Promise<void>;
  /** The organization's records, newest first, once at least `count` of them are there. @throws Error after the deadline. */
  calls(options: { count: number; organization?: string }): Promise<CallRecordJson[]>;
  /** The records of exactly these calls, by request id. */
  callsById(ids: readonly string[], organization?: string): Promise<Map<string, CallRecordJson>>;
  /** Resolves once the gateway holds nothing for calls. Fails if it still does though nothing is under way. */
  assertAtRest(): Promise<void>;
  /** Resident memory of the product's processes, bytes (Linux); null elsewhere. */
  residentBytes(): number | null;
  /** The process in which the platform runs (Linux). @throws Error if there is none */
  platformPid(): number;
  /** SIGTERM, waits for the end, closes the providers, removes the data directory. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The process has ended, however. */
  readonly hasEnded: boolean;
  /** Resolves with the exit code when the process has ended by itself; data and providers stay. */
  exited(): Promise<number | null>;
  /** SIGKILL; data and providers stay. */
  kill9(): Promise<void>;
  /** Starts the product again on the same data and providers, after `kill9` or a `stop` of the process alone. */
  restart(): Promise<System>;
}

/** Starts the product. Ports are free ones, the providers are scripted, all addresses are 127.0.0.1. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const [openai, anthropic, upstream] = await Promise.all([startScriptedProvider(), startScriptedProvider(), startScriptedProvider()]);
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'metergate-test-'));
  const providers = { openai, anthropic, upstream };
  try {
    return await startOn(providers, dataDirectory, options);
  } catch (error) {
    await Promise.all(Object.values(providers).map((provider) => provider.close()));
    if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true });
    throw error;
  }
}

type Providers = { readonly openai: ScriptedProvider; readonly anthropic: ScriptedProvider; readonly upstream: ScriptedProvider };

async function startOn(providers: Providers, dataDirectory: string, options: SystemOptions): Promise<System> {
  const env = productEnv({
    SVC_DATA_DIR: dataDirectory,
    SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0',
    SVC_OPENAI_URL: providers.openai.url, SVC_ANTHROPIC_URL: providers.anthropic.url,
    // Tests count connections and what is open.
    SVC_UPSTREAM_ALLOW: '127.0.0.0/8', SVC_GRACE_SECONDS: '5', SVC_OWN_CALLS: 'off',
    ...(options.connectProviders === false ? {} : { OPENAI_API_KEY: providerKeys.openai, ANTHROPIC_API_KEY: providerKeys.anthropic }),
    ...options.env,
  });
  const running = await Running.start({ providers, dataDirectory, options, env });
  if (options.publishedLimits !== true) {
    const figures = ['--requests-per-minute', '10000000000', '--tokens-per-minute', '10000000000'];
    const lifted = await running.cli(['org', 'set', 'default', '--plan', 'enterprise', ...figures, '--json']);
    if (lifted.code !== 0) throw new Error(`testkit: the limits could not be lifted: ${lifted.stderr}`);
  }
  return running;
}

/** The environment of a product process: what the machine needs, and none of this process's own settings. */
export function productEnv(extra: Record<string, string | undefined>): NodeJS.ProcessEnv {
  // Tests read sentences from standard error, not JSON.
  const env: NodeJS.ProcessEnv = { SVC_LOG_FORMAT: 'text', ...productClock() };
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE', 'LANG']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  for (const [name, value] of Object.entries(extra)) if (value !== undefined) env[name] = value;
  return env;
}

type RunInProcess = (args: readonly string[], env: NodeJS.ProcessEnv, stdin: string, by: { readonly operator: string }) => Promise<CliResult>;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Commands run one after another: one that waits for the store's write lock would block the one in this process that holds it. The event
 * loop turns before each: otherwise a caller that polls would never let the scripted providers in this process answer.
 */
function runHere(args: readonly string[], env: NodeJS.ProcessEnv, stdin: string): Promise<CliResult> {
  const result = turn.then(async () => {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const { runInProcess } = (await import(commands.href)) as { runInProcess: RunInProcess };
    return runInProcess(args, env, stdin, { operator: userInfo().username });
  });
  turn = result.catch(() => {});
  return result;
}

/** Runs `metergate ARGS` to its end with that environment. `of`: the launcher of another checkout. */
export async function runCli(
  args: readonly string[], env: NodeJS.ProcessEnv, stdin: string = '', of: string = launcher,
): Promise<CliResult> {
  const child = spawn(process.execPath, [of, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const out = collect(child);
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: out.stdout(), stderr: out.stderr(), json: () => JSON.parse(out.stdout()) as unknown };
}

interface RunningParts {
  readonly providers: Providers;
  readonly dataDirectory: string;
  readonly options: SystemOptions;
  readonly env: NodeJS.ProcessEnv;
}

class Running implements System {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly opsUrl: string;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly #child: ChildProcess;
  readonly #parts: RunningParts;

  private constructor(child: ChildProcess, parts: RunningParts, out: Collected, ready: ReadyLine) {
    this.#child = child;
    this.#parts = parts;
    this.gatewayUrl = ready.gateway;
    this.platformUrl = ready.platform;
    this.opsUrl = ready.ops;
    this.pid = child.pid ?? 0;
    this.stdout = out.stdout;
    this.stderr = out.stderr;
  }

  static async start(parts: RunningParts): Promise<Running> {
    const command = [process.execPath, launcher, 'start', ...(parts.options.args ?? [])];
    const { descriptorsMax } = parts.options;
    if (descriptorsMax !== undefined) command.unshift('/bin/sh', '-c', `ulimit -n ${descriptorsMax}; exec "$@"`, 'sh');
    const child = spawn(command[0]!, command.slice(1), { env: parts.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const out = collect(child);
    try {
      return new Running(child, parts, out, await readyLine(child, out));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get dataDirectory(): string { return this.#parts.dataDirectory; }
  get openai(): ScriptedProvider { return this.#parts.providers.openai; }
  get anthropic(): ScriptedProvider { return this.#parts.providers.anthropic; }
  get upstream(): ScriptedProvider { return this.#parts.providers.upstream; }

  cli(args: readonly string[], stdin: string = ''): Promise<CliResult> {
    return runHere(args, this.#parts.env, stdin);
  }

  async says(words: RegExp): Promise<void> {
    await eventually(() => words.test(this.stderr()), () => `testkit: ${words} is not on stderr\n${this.stderr()}`);
  }

  async createKey(options: { organization?: string; project?: string } = {}): Promise<{ id: string; key: string; prefix: string }> {
    const project = options.project === undefined ? [] : ['--project', options.project];
    const result = await this.#done(['key', 'create', '--org', options.organization ?? 'default', ...project, '--json']);
    return result.json() as { id: string; key: string; prefix: string };
  }

  async createOrganization(name: string, plan: string = 'scale'): Promise<{ id: string; name: string; plan: string }> {
    const result = await this.#done(['org', 'create', name, '--plan', plan, '--json']);
    return result.json() as { id: string; name: string; plan: string };
  }

  async connectProvider(provider: 'openai' | 'anthropic', organization: string): Promise<void> {
    await this.#done(['provider', 'connect', provider, '--org', organization, '--json'], providerKeys[provider]);
  }

  async declareUpstream(options: { organization?: string; url?: string; path?: string; enabled?: boolean } = {}): Promise<void> {
    const organization = options.organization ?? 'default';
    const url = (options.url ?? this.upstream.url) + (options.path ?? '');
    await this.#done(['upstream', 'declare', '--org', organization, '--url', url, '--json'], providerKeys.upstream);
    if (options.enabled !== false) await this.#done(['upstream', 'enable', '--org', organization, '--json']);
  }

  async calls(options: { count: number; organization?: string }): Promise<CallRecordJson[]> {
    return this.#poll(options.organization ?? 'default', (records) => (records.length >= options.count ? records : null));
  }

  async callsById(ids: readonly string[], organization: string = 'default'): Promise<Map<string, CallRecordJson>> {
    return this.#poll(organization, (records) => {
      const found = new Map(records.map((record) => [record.id as string, record] as const));
      return ids.every((id) => found.has(id)) ? found : null;
    });
  }

  assertAtRest(): Promise<void> {
    return assertAtRest(() => heldBy(this.opsUrl));
  }

  residentBytes(): number | null {
    return process.platform === 'linux' ? residentBytesOf(this.pid) : null;
  }

  platformPid(): number {
    const found = childrenOf(this.pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').startsWith('metergate platform'));
    if (found === undefined) throw new Error('testkit: the product has no platform process');
    return found;
  }

  async stop(): Promise<number | null> {
    const code = await this.#end('SIGTERM');
    await Promise.all(Object.values(this.#parts.providers).map((provider) => provider.close()));
    if (this.#parts.options.dataDirectory === undefined) rmSync(this.dataDirectory, { recursive: true, force: true });
    return code;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async exited(): Promise<number | null> {
    if (!this.hasEnded) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async restart(): Promise<System> {
    if (!this.hasEnded) await this.#end('SIGTERM');
    return Running.start(this.#parts);
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.hasEnded) return this.#child.exitCode;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    const late = setTimeout(() => this.#child.kill('SIGKILL'), startDeadlineMs);
    const [code] = (await closed) as [number | null];
    clearTimeout(late);
    return code;
  }

  async #done(args: readonly string[], stdin: string = ''): Promise<CliResult> {
    const result = await this.cli(args, stdin);
    if (result.code !== 0) throw new Error(`testkit: metergate ${args.slice(0, 2).join(' ')} ended with ${result.code}: ${result.stderr}`);
    return result;
  }

  /** Repeats the query until `enough` returns true. */
  async #poll<Value>(organization: string, enough: (records: CallRecordJson[]) => Value | null): Promise<Value> {
    let listed = 0;
    const look = async (): Promise<Value | null> => {
      const records = (await this.#done(['calls', 'list', '--org', organization, '--limit', '10000', '--json'])).json() as CallRecordJson[];
      listed = records.length;
      return enough(records);
    };
    return await eventually(look, () => `testkit: the awaited calls are not listed; ${listed} are\n${this.stderr()}`) as Value;
  }
}

interface ReadyLine {
  readonly gateway: string;
  readonly platform: string;
  readonly ops: string;
}

interface Collected {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

function collect(child: ChildProcess): Collected {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  return { stdout: () => stdout, stderr: () => stderr };
}

/** Waits for the one line that says where the product listens. */
async function readyLine(child: ChildProcess, out: Collected): Promise<ReadyLine> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadyLine>();
  const look = (): void => {
    const match = /^metergate ready gateway=(\S+) platform=(\S+) ops=(\S+)$/m.exec(out.stdout());
    if (match !== null) resolve({ gateway: match[1] ?? '', platform: match[2] ?? '', ops: match[3] ?? '' });
  };
  child.stdout?.on('data', look);
  child.on('close', (code) => reject(new Error(`testkit: metergate start ended with ${code}: ${out.stderr()}${out.stdout()}`)));
  const late = setTimeout(() => reject(new Error(`testkit: metergate start was not ready in time: ${out.stderr()}`)), startDeadlineMs);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    child.stdout?.removeListener('data', look);
  }
}
