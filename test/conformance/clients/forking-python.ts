/**
 * A Python for each environment that is used, which imports what a program imports and then forks for it: a client is run several times, and
 * some take ten times as long to be imported as to make a call.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** How a client's program ended. `code`: null if it was killed. */
export interface EndedProgram {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** When a client that does not end is killed. */
export const endedMs = 120_000;

/** What is imported finds this: LiteLLM would otherwise ask for its list of prices elsewhere. */
const atImport = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
const program = fileURLToPath(new URL('run-forked.py', import.meta.url));
const pythons = new Map<string, ForkingPython>();

/** The one of this interpreter, started when it is first wanted. */
export function forkingPython(interpreter: string): ForkingPython {
  const running = pythons.get(interpreter);
  if (running?.runs === true) return running;
  const started = new ForkingPython(interpreter);
  pythons.set(interpreter, started);
  return started;
}

/** Call it after the last test. */
export async function endPythons(): Promise<void> {
  await Promise.all([...pythons.values()].map((python) => python.end()));
  pythons.clear();
}

class ForkingPython {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;

  constructor(interpreter: string) {
    // A group of its own, so that the one forked last is ended with it.
    this.#process = spawn(interpreter, [program], {
      env: { PATH: process.env['PATH'], ...atImport }, stdio: ['pipe', 'pipe', 'inherit'], detached: true,
    });
    this.#process.stdout.setEncoding('utf8');
    this.#process.stdin.on('error', () => { /* the end of the process says it */ });
  }

  get runs(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** One program at a time, in that folder and with that environment alone. */
  async run(code: string, folder: string, env: Readonly<Record<string, string>>): Promise<EndedProgram> {
    const [out, err] = [join(folder, 'stdout'), join(folder, 'stderr')];
    const limit = setTimeout(() => this.#kill(), endedMs);
    this.#process.stdin.write(`${JSON.stringify({ code, folder, env, out, err })}\n`);
    const [line] = (await Promise.race([once(this.#process.stdout, 'data'), once(this.#process, 'close')])) as [string | number | null];
    clearTimeout(limit);
    if (typeof line !== 'string') return { code: null, stdout: '', stderr: `The Python that runs the clients has ended (${line}).` };
    return { code: Number(line), stdout: readFileSync(out, 'utf8'), stderr: readFileSync(err, 'utf8') };
  }

  async end(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.stdin.end();
    if (this.runs) await closed;
  }

  #kill(): void {
    try {
      process.kill(-this.#process.pid!, 'SIGKILL');
    } catch { /* it has ended */ }
  }
}
