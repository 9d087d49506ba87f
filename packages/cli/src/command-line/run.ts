/**
 * Runs the command that a command line names, prints its result and gives the exit code: 0 done, 1 refused, 2 usage. Rules: Interfaces. With `--json`
 * standard output is exactly one JSON document, even for a refusal. Sentences always go to standard error.
 */
import { runCommand, type ArgsDef, type CommandDef } from 'citty';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { closest } from '../config/variables.ts';
import { MasterKeyFault } from '../config/master-key.ts';
import { advised } from './advice.ts';
import { asListed, checkArguments, printable } from './check-arguments.ts';
import { CommandFault, UsageFault, type CommandResult, type CommandTools } from './command.ts';
import { commandHelp, descriptionOf, groupHelp } from './help.ts';

export interface Outcome {
  readonly exitCode: number;
  /** The command ran servers, or failed by our own fault: nothing that is still open may keep the process alive. */
  readonly ended: boolean;
}

/** Commands by their first word, loaded when asked for. */
export type CommandTable = Readonly<Record<string, () => Promise<CommandDef>>>;

export interface Program {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly commands: CommandTable;
}

export async function runProgram(program: Program, words: readonly string[], tools: CommandTools): Promise<Outcome> {
  const wantsJson = words.includes('--json');
  try {
    const special = await specialAnswer(program, words);
    if (special !== null) {
      tools.stdout(special);
      return { exitCode: 0, ended: false };
    }
    const found = await findCommand(program, words);
    const rest = asListed(found.args, found.rest);
    checkArguments(found.name, found.args, rest);
    const { result } = await runCommand(found.command, { rawArgs: rest, data: { ...tools, wantsJson } });
    return say(result as CommandResult, wantsJson, tools);
  } catch (error) {
    const { code, sentence, exitCode } = faultInWords(error);
    return { ...fail({ code, sentence, exitCode, wantsJson }, tools), ended: code === internalCode };
  }
}

function say(result: CommandResult, wantsJson: boolean, tools: CommandTools): Outcome {
  if ('printed' in result) return { exitCode: 0, ended: false };
  if ('ended' in result) return { exitCode: result.ended, ended: true };
  if (isRefusal(result)) {
    return fail({ code: result.refused.code, sentence: advised(result.refused), exitCode: 1, wantsJson }, tools);
  }
  const { json, text } = result;
  tools.stdout(wantsJson ? `${JSON.stringify(json)}\n` : `${typeof text === 'string' ? text : text(tools.columns ?? null)}\n`);
  return { exitCode: result.exitCode ?? 0, ended: false };
}

interface Failure {
  readonly code: string;
  readonly sentence: string;
  readonly exitCode: number;
  readonly wantsJson: boolean;
}

function fail({ code, sentence, exitCode, wantsJson }: Failure, tools: CommandTools): Outcome {
  if (wantsJson) toldIfPossible(() => tools.stdout(`${JSON.stringify({ error: { code, message: sentence } })}\n`));
  // A sentence that begins with the command's name would repeat it.
  tools.stderr(`metergate: ${sentence.replace(/^metergate /, '')}\n`);
  return { exitCode, ended: false };
}

/** Standard output may be what failed: the sentence on standard error says so. */
function toldIfPossible(tell: () => void): void {
  try {
    tell();
  } catch {
    // Nobody reads what is written there.
  }
}

const internalCode = 'internal_error';

function faultInWords(error: unknown): Omit<Failure, 'wantsJson'> {
  if (error instanceof UsageFault) return { code: 'usage', sentence: error.message, exitCode: 2 };
  if (error instanceof CommandFault || error instanceof StoreFault || error instanceof MasterKeyFault) {
    return { code: error.code, sentence: error.message, exitCode: 1 };
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : 'unknown';
  return { code: internalCode, sentence: `an internal fault: ${trace}`, exitCode: 1 };
}

/** Help or version if requested; null: a command is to be run. */
async function specialAnswer(program: Program, words: readonly string[]): Promise<string | null> {
  const beforeDashes = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (beforeDashes.length === 1 && (words[0] === '--version' || words[0] === '-v')) return `${program.version}\n`;
  const asksHelp = words[0] === 'help' || beforeDashes.some((word) => word === '--help' || word === '-h');
  if (!asksHelp) return null;
  const path = words.filter((word) => word !== 'help' && !word.startsWith('-'));
  if (path.length === 0) return groupHelp(program.name, program.description, await loadAll(program.commands));
  const command = await firstCommand(program, path[0]!);
  const name = `${program.name} ${path[0]}`;
  const members = membersOf(command);
  const member = members === null || path[1] === undefined ? null : memberOf(name, members, path[1]);
  if (member !== null) return commandHelp(`${name} ${path[1]}`, await descriptionOf(member), argsOf(member));
  const description = await descriptionOf(command);
  return members === null ? commandHelp(name, description, argsOf(command)) : groupHelp(name, description, members);
}

interface Found {
  readonly name: string;
  readonly command: CommandDef;
  readonly args: ArgsDef;
  /** The words after the command's own. */
  readonly rest: readonly string[];
}

async function findCommand(program: Program, words: readonly string[]): Promise<Found> {
  const [first, second] = words;
  if (first === undefined || first.startsWith('-')) {
    throw new UsageFault(`name a command first. ${program.name} --help lists them.`);
  }
  const command = await firstCommand(program, first);
  const name = `${program.name} ${first}`;
  const members = membersOf(command);
  if (members === null) return { name, command, args: argsOf(command), rest: words.slice(1) };
  if (second === undefined || second.startsWith('-')) {
    throw new UsageFault(`${name} needs one of: ${Object.keys(members).join(', ')}.`);
  }
  const member = memberOf(name, members, second);
  return { name: `${name} ${second}`, command: member, args: argsOf(member), rest: words.slice(2) };
}

async function firstCommand({ name, commands }: Program, word: string): Promise<CommandDef> {
  if (Object.hasOwn(commands, word)) return commands[word]!();
  throw unknownCommand(name, word, Object.keys(commands));
}

function memberOf(name: string, members: Readonly<Record<string, CommandDef>>, word: string): CommandDef {
  if (Object.hasOwn(members, word)) return members[word]!;
  throw unknownCommand(name, word, Object.keys(members));
}

function unknownCommand(name: string, word: string, known: readonly string[]): UsageFault {
  const near = closest(word, known);
  const advice = near === null ? `It has: ${known.join(', ')}.` : `Did you mean ${name} ${near}?`;
  return new UsageFault(`there is no command ${name} ${printable(word)}. ${advice}`);
}

async function loadAll(commands: CommandTable): Promise<Record<string, CommandDef>> {
  const loaded: Record<string, CommandDef> = {};
  for (const [name, load] of Object.entries(commands)) loaded[name] = await load();
  return loaded;
}

/** Groups and arguments are written as plain values in this program, never as functions or promises. */
function membersOf({ subCommands }: CommandDef): Readonly<Record<string, CommandDef>> | null {
  return (subCommands as Readonly<Record<string, CommandDef>> | undefined) ?? null;
}

function argsOf({ args }: CommandDef): ArgsDef {
  return (args as ArgsDef | undefined) ?? {};
}
