/** A command's settings. The store is separate, because a server's own process does not open it. @throws CommandFault `bad_setting` */
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/read-config.ts';
import { CommandFault, type CommandTools } from './command.ts';

export function settingsOf({ env, cwd }: Pick<CommandTools, 'env' | 'cwd'>): Config {
  const read = readConfig(env, cwd);
  if ('refusal' in read) throw new CommandFault('bad_setting', read.refusal);
  return read.config;
}
