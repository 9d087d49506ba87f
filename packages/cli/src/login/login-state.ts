/**
 * What a login wrote, so that a logout can take it back: kept for its owner alone, and written before the first settings file is. Decision 196.
 * It holds what stood in the places of our settings, and the key, which is needed to end it.
 */
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CommandFault } from '../command-line/command.ts';
import { codeOf, missingDirectories, replaceFile } from './files/config-file.ts';

const written = z.object({
  tool: z.string(), path: z.string(),
  /** False: the login made it. */
  existed: z.boolean(),
  before: z.string().regex(/^[0-9a-f]{64}$/), after: z.string().regex(/^[0-9a-f]{64}$/),
  splices: z.array(z.object({ at: z.number().int().min(0), removed: z.string(), inserted: z.string() })),
  /** Of a JSON file: what was set, and what stood there. */
  json: z.array(z.object({ path: z.array(z.string()), was: z.unknown().optional(), value: z.unknown() })).nullable(),
  /** Directories that were made for it, outermost first. */
  directories: z.array(z.string()),
});
export type Written = z.output<typeof written>;

const state = z.object({
  version: z.literal(1), platform: z.string(), gatewayUrl: z.string(), organization: z.string(), person: z.string(),
  keyId: z.string(), prefix: z.string(), key: z.string(), expiresAt: z.string().nullable(),
  providers: z.array(z.string()), upstreams: z.array(z.object({ name: z.string(), provider: z.string().nullable() })), files: z.array(written),
  /** Directories that were made for this file itself, outermost first. */
  directories: z.array(z.string()),
});
export type LoginState = z.output<typeof state>;

type Env = Readonly<Record<string, string | undefined>>;

export function statePath(home: string, env: Env): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'metergate', 'login.json');
}

/** Null: nobody is logged in. @throws CommandFault for one that cannot be read: nothing is then removed by guess */
export function readState(path: string): LoginState | null {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  try {
    return state.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${codeOf(error)})` : '';
    throw new CommandFault('login_unreadable', `What the last login wrote cannot be read from ${path}${why}. Nothing was changed.`);
  }
}

/** @throws CommandFault */
export function keepState(path: string, kept: LoginState): void {
  try {
    const directories = [...kept.directories, ...missingDirectories(path)];
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(path), 0o700);
    replaceFile(path, `${JSON.stringify({ ...kept, directories }, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new CommandFault('file_not_written', `${path} cannot be written (${codeOf(error)}). No settings were changed.`);
  }
}

export function dropState(path: string, { directories }: LoginState): void {
  rmSync(path, { force: true });
  for (const folder of directories.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}
