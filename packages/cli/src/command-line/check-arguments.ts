/**
 * Checks the words after a command. Throws a `UsageFault` that names the first wrong one: an unknown option, a missing value, a value too
 * many. It runs first, because the library that parses the command line is lenient.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { ArgDef, ArgsDef } from 'citty';
import { closest } from '../config/variables.ts';
import { UsageFault } from './command.ts';

/** `name`: the command with its group, as people write it: `metergate org create`. @throws UsageFault */
export function checkArguments(name: string, args: ArgsDef, words: readonly string[]): void {
  const given = new Set<string>();
  const loose: string[] = [];
  for (const token of tokensOf(args, words)) {
    if (token.kind === 'positional') loose.push(token.value);
    if (token.kind === 'option') checkOption({ name, args, token, given });
  }
  checkPositionals(name, args, loose);
  for (const [key, definition] of Object.entries(args)) {
    if (definition.type !== 'positional' && definition.required === true && !given.has(key)) {
      throw new UsageFault(`${name} needs --${key} ${hintOf(key, definition)}.`);
    }
  }
}

/**
 * The words, with each value of an option that lists its values spelled as listed. The specification writes the plans `Free` and `Scale`, and
 * nobody should have to know that the option writes them small.
 */
export function asListed(args: ArgsDef, words: readonly string[]): string[] {
  const spelled = [...words];
  for (const token of tokensOf(args, words)) {
    if (token.kind !== 'option' || token.value === undefined || !Object.hasOwn(args, token.name)) continue;
    const definition = args[token.name]!;
    const typed = token.value.toLowerCase();
    const listed = definition.type === 'enum' ? definition.options?.find((option) => option.toLowerCase() === typed) : undefined;
    if (listed === undefined) continue;
    if (token.inlineValue) spelled[token.index] = `${token.rawName}=${listed}`;
    else spelled[token.index + 1] = listed;
  }
  return spelled;
}

function tokensOf(args: ArgsDef, words: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [key, definition] of Object.entries(args)) {
    if (definition.type === 'positional') continue;
    const short = letterOf(definition);
    options[key] = { type: definition.type === 'boolean' ? 'boolean' : 'string', ...(short === null ? {} : { short }) };
  }
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption(
  { name, args, token, given }: { readonly name: string; readonly args: ArgsDef; readonly token: OptionToken; readonly given: Set<string> },
): void {
  const definition = Object.hasOwn(args, token.name) ? args[token.name] : undefined;
  const written = definition !== undefined && (token.rawName.startsWith('--') || token.rawName === `-${letterOf(definition)}`);
  if (definition === undefined || definition.type === 'positional' || !written) {
    const near = closest(token.name, Object.keys(args).filter((key) => args[key]!.type !== 'positional'));
    const advice = near === null ? `See: ${name} --help` : `Did you mean --${near}?`;
    throw new UsageFault(`${name} has no option ${printable(token.rawName)}. ${advice}`);
  }
  if (given.has(token.name)) throw new UsageFault(`${name} takes --${token.name} once.`);
  given.add(token.name);
  if (definition.type === 'boolean') {
    if (token.value !== undefined) throw new UsageFault(`--${token.name} takes no value.`);
  } else if (token.value === undefined || token.value === '' || (token.inlineValue === false && /^-./.test(token.value))) {
    const instead = token.value === undefined || token.value === '' ? '' : `. ${printable(token.value)} is read as an option.`
      + ` If it is meant as the value: --${token.name}=${printable(token.value)}`;
    throw new UsageFault(`--${token.name} needs a value: --${token.name} ${hintOf(token.name, definition)}${instead}`);
  } else if (definition.type === 'enum' && definition.options?.includes(token.value) === false) {
    throw new UsageFault(`--${token.name} must be one of ${definition.options.join(', ')}.`);
  }
}

function checkPositionals(name: string, args: ArgsDef, loose: readonly string[]): void {
  const wanted = Object.entries(args).filter(([, { type }]) => type === 'positional');
  for (const [index, [key, definition]] of wanted.entries()) {
    if (definition.required === true && (loose[index] ?? '') === '') throw new UsageFault(`${name} needs ${hintOf(key, definition)}.`);
  }
  const extra = loose[wanted.length];
  if (extra !== undefined) throw new UsageFault(`${name} does not take the argument ${printable(extra)}. See: ${name} --help`);
}

/** The option's one-letter form; null: it has none. */
function letterOf(definition: ArgDef): string | null {
  return 'alias' in definition && typeof definition.alias === 'string' && definition.alias.length === 1 ? definition.alias : null;
}

/** The placeholder for the value in help and sentences. */
export function hintOf(key: string, definition: ArgDef): string {
  return definition.valueHint ?? key.toUpperCase();
}

/** May be a key, a credential or a grant in the wrong place: it begins like ours or a provider's, or is longer than people type. */
const secretForm = /svc_(?:live|tap|mgmt)_|\bsk-|rbg1\.|\S{33,}/;

/** A word that someone typed, fit for a sentence. Sentences end up in logs: of a possible secret they show only the beginning. */
export function printable(word: string): string {
  const shown = word.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
  return secretForm.test(shown) ? `${shown.slice(0, 4)}…` : shown.slice(0, 60);
}
