/**
 * Runs the command line in the test's own process, as `main.ts` runs it in a separate one. Input and output are the same, in a fraction of
 * the time. Like the launcher it runs what was built of these very sources, else the sources: reading a few files of the build takes a quarter
 * of the time that reading six hundred sources does.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CliResult } from '@metergate/testkit/system.ts';
import type { runProgram } from '../command-line/run.ts';
import type { program } from '../program.ts';

/** Who runs a command, and when. */
export interface RunBy {
  readonly operator?: string;
  readonly nowMs?: () => number;
  /** The width of the terminal; without one, output goes to none. */
  readonly columns?: number;
}

interface Commands {
  readonly runProgram: typeof runProgram;
  readonly program: typeof program;
}

let commands: Promise<Commands> | null = null;

/** Once a process: a build that is made meanwhile is of the same sources. */
async function load(): Promise<Commands> {
  const { builtMain } = await import(new URL('../../bin/built-product.mjs', import.meta.url).href) as { builtMain: (cli: string) => string | null };
  const main = builtMain(fileURLToPath(new URL('../..', import.meta.url)));
  const [{ runProgram: run }, { program: all }] = main === null
    ? await Promise.all([import('../command-line/run.ts'), import('../program.ts')])
    : await Promise.all(['run.js', 'program.js'].map((name) => import(new URL(name, pathToFileURL(main)).href))) as [Commands, Commands];
  return { runProgram: run, program: all };
}

/** Runs one command that starts no server. `stdin`: what standard input holds; it is not a terminal. */
export async function runInProcess(
  args: readonly string[], env: NodeJS.ProcessEnv, stdin: string = '', { operator = 'operator', nowMs = Date.now, columns }: RunBy = {},
): Promise<CliResult> {
  let [stdout, stderr] = ['', ''];
  const { runProgram: run, program: all } = await (commands ??= load());
  const { exitCode } = await run(all, args, {
    env, cwd: process.cwd(), isTerminal: false, columns: columns ?? null,
    stdin: Object.assign(Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), { isTTY: false }) as unknown as NodeJS.ReadStream,
    nowMs, randomBytes: (n) => randomBytes(n), operator,
    stdout: (text) => { stdout += text; },
    stderr: (text) => { stderr += text; },
  });
  return { code: exitCode, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}
