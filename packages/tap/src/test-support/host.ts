/**
 * A host: a separate process with a provider client, the tap and a script; and how it ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface HostOptions {
  readonly env?: Record<string, string>;
  /** Where the tap is loaded from; its source by default. */
  readonly tap?: string;
  readonly node?: string;
  /**
   * For endpoints that do not answer. Otherwise time passes a twentieth as fast in the host: what it delivers at its end is judged by what arrives,
   * and not by how soon a busy machine starts a thread.
   */
  readonly inRealTime?: boolean;
  /** Run with `require` instead of `import`. */
  readonly commonJs?: boolean;
  /** Called with each line of stdout; may signal the process. */
  readonly onLine?: (line: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** The client of every script: `call(n)` makes n calls one after another, ids `call_1`, `call_2`, … */
const client = `let made = 0;
const client = { chat: { completions: { create: async (request) => ({
  id: 'call_' + (made += 1), object: 'chat.completion', model: 'model-1',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'CANARY-answer',
    tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: 'CANARY-arguments' } }] } }],
  usage: { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 1 } },
}) } } };
const call = async (count = 1) => {
  for (let at = 0; at < count; at += 1) {
    await client.chat.completions.create({ model: 'asked', messages: [{ role: 'user', content: 'CANARY-prompt' }] });
  }
};
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

/** Otherwise each host would strip the types of the tap's sources again: three quarters of its processor time. */
const compileCache: Record<string, string> = process.env['NODE_COMPILE_CACHE'] === undefined ? {}
  : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

const slowTime = `data:text/javascript,${encodeURIComponent(`
  const { now } = performance;
  const { wait } = Atomics;
  performance.now = () => now.call(performance) / 20;
  Atomics.wait = (cells, at, value, ms) => wait(cells, at, value, ms === undefined ? ms : ms * 20);
`)}`;

/** Runs a script that has `tap`, `client`, `call` and `later`. Keys and endpoint of this process's environment do not reach it. */
export async function runHost(script: string, options: HostOptions = {}): Promise<Ended> {
  const source = options.tap ?? new URL('../tap.ts', import.meta.url).href;
  const load = options.commonJs === true ? `const { tap } = require(${JSON.stringify(source)});` : `import { tap } from ${JSON.stringify(source)};`;
  const body = options.commonJs === true ? `(async () => {\n${script}\n})();` : script;
  const kind = options.commonJs === true ? 'commonjs' : 'module';
  const startedAt = performance.now();
  const time = options.inRealTime === true ? [] : ['--import', slowTime];
  const child = spawn(options.node ?? process.execPath, [...time, `--input-type=${kind}`, '--eval', `${load}\n${client}\n${body}`], {
    env: { PATH: process.env['PATH'] ?? '', NODE_NO_WARNINGS: '1', ...compileCache, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (stdout + text).split('\n').slice(stdout.split('\n').length - 1, -1);
    stdout += text;
    for (const line of lines) options.onLine?.(line, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr, durationMs: performance.now() - startedAt };
}
