/**
 * Rotates the master key: rule 18; rules: `master-key rotate`. The command handles where the key is kept, in a file or a
 * variable.
 */
import { parseMasterKey } from '@metergate/store/sealing/master-key.ts';
import type { UseCaseContext } from './context.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

interface RotatedMasterKey {
  /** How many organizations' data keys are sealed under the new key. */
  readonly dataKeys: number;
  /** How many could not be opened with the old one; they are as unreadable as before. */
  readonly unreadable: number;
}

/** `text`: 32 bytes in base64. Refuses `invalid_master_key`. */
export async function rotateMasterKey(context: UseCaseContext, text: string): Promise<RotatedMasterKey | AdministrationRefusal> {
  const key = parseMasterKey(text);
  return isRefusal(key) ? key : context.store.masterKey.rotate(key);
}
