/**
 * The ground of a command that works on the store: settings read, store opened, work done, store closed. What stops it on the
 * way is a fault in one sentence. @throws CommandFault, StoreFault, MasterKeyFault
 */
import type { Ground } from '@metergate/platform/ground.ts';
import type { AuditIntent } from '@metergate/store/audit-trail.ts';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/read-config.ts';
import { openExistingStore } from '../open-store.ts';
import { CommandFault, type CommandTools } from './command.ts';

/** All settings, or a fault `bad_setting`. */
export function settingsOf({ env, cwd }: Pick<CommandTools, 'env' | 'cwd'>): Config {
  const read = readConfig(env, cwd);
  if ('refusal' in read) throw new CommandFault('bad_setting', read.refusal);
  return read.config;
}

export async function onStore<Result>(tools: CommandTools, work: (ground: Ground, config: Config) => Promise<Result>): Promise<Result> {
  const config = settingsOf(tools);
  const store = await openExistingStore(config);
  try {
    return await work({ store: store.acting(intentOf(tools)), randomBytes: tools.randomBytes, nowMs: tools.nowMs() }, config);
  } finally {
    await store.close();
  }
}

/** Who, what and on what: the operator, the command's words, its arguments. */
function intentOf({ words = '', given = {} }: Pick<CommandTools, 'words' | 'given'>): AuditIntent {
  const text = (name: string): string | null => (typeof given[name] === 'string' ? given[name] : null);
  return {
    actor: { kind: 'command', id: null }, action: words, organization: text('org'), subject: text('id'),
    // An erased organization's name is one of the words that go.
    detail: words === 'org erase' ? {} : given,
  };
}
