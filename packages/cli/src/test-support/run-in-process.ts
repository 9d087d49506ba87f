/**
 * Runs the command line in the test's own process, as `main.ts` runs it in a separate one. Input and output are the same, in a fraction of
 * the time.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { CliResult } from '@metergate/testkit/system.ts';
import { runProgram } from '../command-line/run.ts';
import { program } from '../program.ts';

/** Who runs a command, and when. */
export interface RunBy {
  readonly operator?: string;
  readonly nowMs?: () => number;
  /** The width of the terminal; without one, output goes to none. */
  readonly columns?: number;
}

/** Runs one command that starts no server. `stdin`: what standard input holds; it is not a terminal. */
export async function runInProcess(
  args: readonly string[], env: NodeJS.ProcessEnv, stdin: string = '', { operator = 'operator', nowMs = Date.now, columns }: RunBy = {},
): Promise<CliResult> {
  let [stdout, stderr] = ['', ''];
  const { exitCode } = await runProgram(program, args, {
    env, cwd: process.cwd(), isTerminal: false, columns: columns ?? null,
    stdin: Object.assign(Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), { isTTY: false }) as unknown as NodeJS.ReadStream,
    nowMs, randomBytes: (n) => randomBytes(n), operator,
    stdout: (text) => { stdout += text; },
    stderr: (text) => { stderr += text; },
  });
  return { code: exitCode, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}
