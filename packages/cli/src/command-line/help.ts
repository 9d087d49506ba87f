/**
 * A command or a group → its help page, plain text.
 */
import type { ArgsDef, CommandDef } from 'citty';
import { hintOf } from './check-arguments.ts';

/** Help for one command: its usage, and each argument. */
export function commandHelp(name: string, description: string, args: ArgsDef): string {
  const entries = Object.entries(args);
  const usage = entries.map(([key, definition]) => {
    const hint = hintOf(key, definition);
    const text = definition.type === 'positional' ? hint : definition.type === 'boolean' ? `--${key}` : `--${key} ${hint}`;
    return definition.required === true ? text : `[${text}]`;
  });
  const rows = entries.map(([key, definition]): [string, string] => {
    const hint = hintOf(key, definition);
    const left = definition.type === 'positional' ? hint : definition.type === 'boolean' ? `--${key}` : `--${key} ${hint}`;
    return [left, definition.description ?? ''];
  });
  return [`${name}: ${description}`, '', ...usageLines(name, usage), '', ...columns(rows), ''].join('\n');
}

const usageWidthMax = 100;

/** The usage line, never broken within an argument; the rest continues on the next line, indented. */
function usageLines(name: string, usage: readonly string[]): string[] {
  const lines = [`  ${name}`];
  for (const each of usage) {
    const longer = `${lines.at(-1)} ${each}`;
    if (longer.length <= usageWidthMax) lines[lines.length - 1] = longer;
    else lines.push(`      ${each}`);
  }
  return lines;
}

/** Help for a group: its commands. */
export async function groupHelp(name: string, description: string, members: Readonly<Record<string, CommandDef>>): Promise<string> {
  const rows: [string, string][] = [];
  for (const [key, member] of Object.entries(members)) rows.push([`${name} ${key}`, await descriptionOf(member)]);
  return [`${name}: ${description}`, '', ...columns(rows), '', `More about a command: ${name} COMMAND --help`, ''].join('\n');
}

export async function descriptionOf({ meta }: CommandDef): Promise<string> {
  return (await (typeof meta === 'function' ? meta() : meta))?.description ?? '';
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}
