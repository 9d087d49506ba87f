/** `metergate seed`: an empty store filled with organizations, keys and calls, for trials and benchmarks. Rules: Interfaces. */
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { openStore } from '@metergate/store/store.ts';
import { seedMax, seedStore } from '@metergate/platform/use-cases/seed.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, CommandFault, type CommandTools } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { settingsOf } from '../command-line/settings-of.ts';
import { createProgress } from '../command-line/progress.ts';
import { givenWholeNumber } from '../command-line/value-forms.ts';
import type { Config } from '../config/config.ts';
import { masterKeyForStart } from '../config/master-key.ts';
import { withMasterKey } from '../config/pending-master-key.ts';
import { StartFault } from '../config/start-fault.ts';
import { ensureDataDirectory, lockDataDirectory } from '../start/data-directory.ts';

export const seed = command({
  description: 'Fill an empty store with made-up organizations, keys and calls, for trials and benchmarks',
  args: {
    organizations: { type: 'string', required: true, valueHint: 'N', description: 'How many; default is one of them' },
    keys: { type: 'string', required: true, valueHint: 'N', description: 'How many in all, at least one for each organization' },
    calls: { type: 'string', required: true, valueHint: 'N', description: 'How many in all, spread over the past 90 days' },
  },
  run: async ({ organizations, keys, calls }, tools) => {
    const wanted = {
      organizations: givenWholeNumber('organizations', organizations, { min: 1, max: seedMax.organizations }),
      keys: givenWholeNumber('keys', keys, { min: 0, max: seedMax.keys }), calls: givenWholeNumber('calls', calls, { min: 0, max: seedMax.calls }),
    };
    const config = settingsOf(tools);
    const progress = createProgress(tools, { what: 'calls', total: wanted.calls });
    const made = await onFreshStore(config, tools, async (context) => seedStore(context, wanted, (done) => progress.at(done)));
    progress.end();
    if (isRefusal(made)) return made;
    const by = `${countOf(made.keys, 'key')} of ${countOf(made.organizations, 'organization')}`;
    return { json: made, text: `Made up ${countOf(made.calls, 'call')} of the past 90 days, by ${by}.` };
  },
});

/** Creates the data directory, the master key and the store if absent, as a start does. No other process may have them open. */
async function onFreshStore<Result>(
  config: Config, { randomBytes, nowMs }: CommandTools, work: (context: Parameters<typeof seedStore>[0]) => Promise<Result>,
): Promise<Result> {
  let lock: { release(): void } | null = null;
  try {
    if (parseDatabaseUrl(config.databaseUrl).kind === 'sqlite') {
      ensureDataDirectory(config.dataDirectory);
      lock = lockDataDirectory(config.dataDirectory);
    }
    const { opened: store } = await withMasterKey(config, masterKeyForStart(config), (masterKey) =>
      openStore({ url: config.databaseUrl, masterKey, clock: nowMs, randomBytes, create: true }));
    try {
      return await work({ store, randomBytes, nowMs: nowMs() });
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StartFault) throw new CommandFault('not_started', error.message);
    throw error;
  } finally {
    lock?.release();
  }
}
