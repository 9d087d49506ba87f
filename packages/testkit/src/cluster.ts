/**
 * Several gateway nodes on one PostgreSQL store, as an operator runs them: each `metergate gateway` a separate process with its own
 * data directory. The providers are one scripted upstream, whose answers name their own cost, so that money is exact.
 * The test opens the store beside them, as a command does, to make settings and read results.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startScriptedProvider, type ReceivedRequest, type ScriptedAnswer, type ScriptedProvider } from './scripted-provider.ts';
import { productEnv } from './system.ts';

/** This checkout's command. */
export const ownLauncher = fileURLToPath(new URL('../../cli/bin/metergate.mjs', import.meta.url));
const startDeadlineMs = 180_000;

/** What all nodes of a cluster share. */
export interface Cluster {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly upstream: ScriptedProvider;
  /** Starts one more node; `databaseUrl`: another way to the same store. */
  node(options?: {
    readonly databaseUrl?: string; readonly dataDirectory?: string; readonly env?: Readonly<Record<string, string>>;
  }): Promise<ClusterNode>;
  /**
   * Starts `metergate ARGS`, a server, with the cluster's environment, and waits for its ready line. `env` undefined: not set. `launcher`: the
   * command of another version; default: this one's.
   */
  process(args: readonly string[], env?: Readonly<Record<string, string | undefined>>, launcher?: string): Promise<ClusterProcess>;
  /** Stops every process that still runs, and the upstream. Returns the exit codes of those that were not killed. */
  stop(): Promise<(number | null)[]>;
}

export interface ClusterProcess {
  /** The URLs of the ready line, by their names. */
  readonly urls: Readonly<Record<string, string>>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal to the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM'): void;
  /** Resolves with the exit code once it has ended. */
  readonly ended: Promise<number | null>;
}

export interface ClusterNode extends ClusterProcess {
  readonly gatewayUrl: string;
  readonly dataDirectory: string;
  /** One figure of `/metrics`. */
  metric(name: string): Promise<number>;
}

/** An answer that says it cost `dollars`. */
function costing(dollars: number): ScriptedAnswer {
  return {
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({ model: 'm', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: dollars } }),
  };
}

/** The body of a call whose answer will cost `dollars` and come after `afterMs`. */
export function wanting(dollars: number, afterMs: number = 0): string {
  return JSON.stringify({ model: 'm', dollars, afterMs });
}

/** Answers each call with the cost that its body names, after the delay that it names. */
function costAsAsked({ body }: ReceivedRequest): ScriptedAnswer | Promise<ScriptedAnswer> {
  const { dollars, afterMs } = JSON.parse(body.toString()) as { dollars: number; afterMs: number };
  return afterMs === 0 ? costing(dollars) : pass(afterMs).then(() => costing(dollars));
}

/** The database must exist; a process of the test makes its schema if it has none. */
export async function startCluster(databaseUrl: string): Promise<Cluster> {
  const masterKey = new Uint8Array(randomBytes(32));
  const upstream = await startScriptedProvider();
  upstream.respond(costAsAsked);
  const directories: string[] = [];
  const running: { child: ChildProcess; process: ClusterProcess }[] = [];
  const launch = async (
    args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}, launcher: string = ownLauncher,
  ): Promise<ClusterProcess> => {
    const processEnv = productEnv({
      SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: Buffer.from(masterKey).toString('base64'), SVC_UPSTREAM_ALLOW: '127.0.0.0/8',
      SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', SVC_GRACE_SECONDS: '5', ...env,
    });
    // An older version refuses to start with a setting that it does not know.
    if (launcher !== ownLauncher) delete processEnv['SVC_LOG_FORMAT'];
    const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: processEnv });
    const started = await ready(child, args);
    running.push({ child, process: started });
    return started;
  };
  return {
    databaseUrl, masterKey, upstream, process: launch,
    async node(options = {}) {
      const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'metergate-node-'));
      directories.push(dataDirectory);
      const started = await launch(['gateway'], {
        ...options.env, SVC_DATA_DIR: dataDirectory, SVC_DATABASE_URL: options.databaseUrl ?? databaseUrl,
      });
      return { ...started, dataDirectory, gatewayUrl: started.urls['gateway']!, metric: (name) => metric(started.urls['ops']!, name) };
    },
    async stop() {
      const codes: (number | null)[] = [];
      for (const { child, process: each } of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        each.signal('SIGCONT');
        each.signal('SIGTERM');
        codes.push(await each.ended);
      }
      await upstream.close();
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
      return codes;
    },
  };
}

async function metric(opsUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
  if (found === null) throw new Error(`testkit: there is no metric ${name}`);
  return Number(found[1]);
}

async function ready(child: ChildProcess, args: readonly string[]): Promise<ClusterProcess> {
  let stdout = '';
  let stderr = '';
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const line = /^metergate ready (.+)$/m.exec(stdout);
    if (line !== null) resolve(Object.fromEntries(line[1]!.split(' ').map((part) => part.split('=') as [string, string])));
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  void ended.then((code) => reject(new Error(`testkit: metergate ${args.join(' ')} ended with ${code}: ${stderr}`)));
  const late = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`testkit: metergate ${args.join(' ')} was not ready in time: ${stderr}`));
  }, startDeadlineMs);
  try {
    const urls = await promise;
    return { urls, ended, stdout: () => stdout, stderr: () => stderr, signal: (signal) => void child.kill(signal) };
  } finally {
    clearTimeout(late);
  }
}
