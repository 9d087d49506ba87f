/** Commands run in the test's own process, on a separate store. Much faster, for tests that do not need a process. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Store } from '@metergate/store/store.ts';
import type { CommandTools } from '../command-line/command.ts';
import { runProgram } from '../command-line/run.ts';
import { program } from '../program.ts';
import { ownDirectory } from './own-directory.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard input was read. */
  readonly read: boolean;
}

export interface Given {
  /** Pieces of standard input. */
  readonly stdin?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input and error are a terminal. */
  readonly isTerminal?: boolean;
}

export interface OwnStore {
  readonly directory: string;
  run(args: readonly string[], given?: Given): Promise<Ran>;
  /** The JSON document of a command that must print nothing on standard error. */
  json(args: readonly string[], given?: Given): Promise<unknown>;
  inStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  end(): void;
}

export const operator = 'ada';

/** `nowMs`: when commands are run. `pause`: what they do instead of waiting. */
export async function ownStore(nowMs: () => number = Date.now, pause?: CommandTools['pause']): Promise<OwnStore> {
  const { root: directory, dataDirectory, make, inStore, remove } = ownDirectory();
  await make();
  const run: OwnStore['run'] = async (args, { stdin = [], env = {}, isTerminal = false } = {}) => {
    const said = { stdout: '', stderr: '', read: false };
    const typed = Readable.from((function* () {
      said.read = true;
      for (const piece of stdin) yield Buffer.from(piece);
    })());
    const stream = Object.assign(typed, { isTTY: isTerminal }) as unknown as NodeJS.ReadStream;
    const { exitCode } = await runProgram(program, args, {
      env: { SVC_DATA_DIR: dataDirectory, ...env }, cwd: directory, stdin: stream, isTerminal,
      nowMs, randomBytes: (n) => randomBytes(n), operator, ...(pause === undefined ? {} : { pause }),
      stdout: (text) => { said.stdout += text; }, stderr: (text) => { said.stderr += text; },
    });
    return { code: exitCode, ...said };
  };
  return {
    directory, run,
    async json(args, given) {
      const { code, stdout, stderr } = await run([...args, '--json'], given);
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      return JSON.parse(stdout);
    },
    inStore, end: remove,
  };
}

/** A refusal is one sentence on standard error. */
export function oneSentence({ stderr }: Pick<Ran, 'stderr'>, sentence: RegExp): void {
  assert.match(stderr, /^metergate: [^\n]+\n$/);
  assert.match(stderr, sentence);
}
