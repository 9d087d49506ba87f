/**
 * The type of a command: its arguments, and a function from checked arguments to its result. A command never prints and never sets an exit
 * code. `run.ts` does both, once. Rules: Interfaces.
 */
import { defineCommand, type ArgsDef, type CommandDef } from 'citty';
import type { AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { Environment } from '../config/variables.ts';

/** The world as commands see it. */
export interface CommandTools {
  readonly env: Environment;
  /** Absolute; what relative paths are relative to. */
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: (text: string) => void;
  /** The same for bytes; resolves when more may come. Absent: as text. */
  readonly stdoutBytes?: (bytes: Uint8Array) => Promise<void>;
  readonly stderr: (text: string) => void;
  /** Width of the terminal in columns; null or absent: standard output is not a terminal. */
  readonly columns?: number | null;
  /** Secrets may be shown only to a person. */
  readonly isTerminal: boolean;
  /** Wall time, milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Resolves after so many milliseconds; absent: by the machine's clock. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly randomBytes: (n: number) => Uint8Array;
  /** Who runs the command, as the machine knows them: for the audit trail. Null: not known. */
  readonly operator?: string | null;
  /** `--json`: a program reads the answer. */
  readonly wantsJson?: boolean;
  /** The command's arguments as given; secrets come on standard input, never here. */
  readonly given?: Readonly<Record<string, string | boolean>>;
}

/** Done: one JSON document, and the same for people. `exitCode`: 0 unless something bad was found. */
export interface CommandAnswer {
  readonly json: unknown;
  /** A function gets the width of the terminal; null if there is none. */
  readonly text: string | ((width: number | null) => string);
  readonly exitCode?: 0 | 1;
}

/** The command ran a server and has printed everything. */
interface Ended {
  readonly ended: number;
}

/** The command has printed everything itself. */
interface Printed {
  readonly printed: true;
}

export type CommandResult = CommandAnswer | AdministrationRefusal | Ended | Printed;

/** Wrong usage: one sentence, exit code 2. */
export class UsageFault extends Error {}

/** Why a command could not do its work, from outside the store: one sentence, exit code 1. */
export class CommandFault extends Error {
  readonly code: string;

  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

const jsonArgument = { json: { type: 'boolean', description: 'Print one JSON document' } } as const;
const yesArgument = { yes: { type: 'boolean', description: 'Accepted for scripts; this command never asks' } } as const;

/** Values of arguments as a command gets them: required ones are never absent. */
export type Values<Args extends ArgsDef> = {
  readonly [Name in keyof Args]: Args[Name] extends { type: 'boolean' } ? boolean
    : Args[Name] extends { required: true } ? string : string | undefined;
};

/**
 * Defines one command. Positional arguments carry `required` like the others; `--json` is added by itself, except for a command that
 * runs servers and gives no answer. `takesAway`: it removes, ends or replaces something without asking, and accepts `--yes` all the same, so that
 * a script need not know which commands ask. `description`: an imperative phrase without a period.
 */
export function command<const Args extends ArgsDef>({ description, args, answers = true, takesAway = false, run }: {
  readonly description: string;
  readonly args: Args;
  readonly answers?: boolean;
  readonly takesAway?: boolean;
  readonly run: (values: Values<Args>, tools: CommandTools) => Promise<CommandResult>;
}): CommandDef {
  return defineCommand({
    meta: { description },
    args: { ...args, ...(takesAway ? yesArgument : {}), ...(answers ? jsonArgument : {}) } as ArgsDef,
    run: ({ args: values, data }) =>
      run(values as unknown as Values<Args>, { ...(data as CommandTools), given: givenOf(args, values as Record<string, unknown>) }),
  });
}

function givenOf(args: ArgsDef, values: Readonly<Record<string, unknown>>): Record<string, string | boolean> {
  const given = Object.keys(args).map((name) => [name, values[name]] as const);
  return Object.fromEntries(given.filter((pair): pair is readonly [string, string | boolean] =>
    typeof pair[1] === 'string' || typeof pair[1] === 'boolean'));
}

/** A word that only groups commands: `org`, `key`. */
export function commandGroup(description: string, subCommands: Readonly<Record<string, CommandDef>>): CommandDef {
  return defineCommand({ meta: { description }, subCommands: { ...subCommands } });
}
