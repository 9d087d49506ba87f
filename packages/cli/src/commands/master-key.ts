/**
 * `metergate master-key rotate`: replaces the master key with one from standard input. Rule 18; rules: Interfaces. If the key is in a file, the file
 * changes with the store. A running server picks the new key up by itself.
 */
import { rotateMasterKey } from '@metergate/platform/use-cases/master-key.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { parseMasterKey } from '@metergate/store/sealing/master-key.ts';
import { command, CommandFault, commandGroup } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { readSecret } from '../command-line/secret-input.ts';
import { beginPendingMasterKey, type PendingMasterKey } from '../config/pending-master-key.ts';
import { masterKeyFile, unwritableKeyFile } from '../config/master-key.ts';
import type { Config } from '../config/config.ts';

const rotate = command({
  description: 'Replace the master key with one read from standard input',
  takesAway: true,
  args: {},
  run: (_values, tools) => onStore(tools, async (context, config) => {
    const text = await readSecret(tools, 'New master key, 32 bytes in base64');
    const key = parseMasterKey(text);
    if (isRefusal(key)) return key;
    const pending = config.masterKey === null ? begun(config, key) : null;
    // If this throws, it is not known whether the store has the new key: both files stay, and the next command finds out.
    const rotated = await rotateMasterKey(context, text);
    if (isRefusal(rotated)) {
      pending?.cancel();
      return rotated;
    }
    pending?.commit();
    const next = pending === null ? 'Set SVC_MASTER_KEY to the new key before you start anything again.'
      : 'The key file holds the new key.';
    const keys = rotated.dataKeys === 1 ? '1 data key is' : `${rotated.dataKeys} data keys are`;
    const lost = rotated.unreadable === 0 ? ''
      : ` The keys of ${countOf(rotated.unreadable, 'organization')} could not be read before and cannot be now.`;
    return { json: rotated, text: `The master key is rotated: ${keys} sealed under the new one.${lost}\n${next}` };
  }),
});

function begun(config: Config, key: Uint8Array): PendingMasterKey {
  let pending: PendingMasterKey | null;
  try {
    pending = beginPendingMasterKey(config, key);
  } catch (error) {
    throw new CommandFault('master_key_unwritable', unwritableKeyFile(masterKeyFile(config), (error as NodeJS.ErrnoException).code));
  }
  if (pending === null) throw new CommandFault('rotation_under_way', 'Another rotation of the master key is under way. Try again when it has ended.');
  return pending;
}

export const masterKey = commandGroup('Rotate the master key', { rotate });
