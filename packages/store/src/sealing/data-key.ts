/**
 * The wrapped data key of an organization, inside a change. Rule 18.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { StoreFault } from '../engine/fault.ts';
import { followMasterKey } from './master-key-rotation.ts';
import type { CredentialPlace, Vault } from './vault.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * Seals a credential for its place under the organization's data key.
 * @throws StoreFault if that key is missing or cannot be unwrapped: nothing new can be sealed then.
 */
export async function sealFor(
  transaction: Transaction<Schema>, vault: Vault, { credential, place }: { readonly credential: string; readonly place: CredentialPlace },
): Promise<Uint8Array> {
  await followMasterKey(transaction, vault);
  const row = await transaction.selectFrom('organization_data_key').select('wrapped')
    .where('organization', '=', place.organization as OrganizationId).executeTakeFirst();
  const sealed = row === undefined ? null : vault.sealCredential(credential, row.wrapped, place);
  if (sealed === null) {
    throw new StoreFault('store_unreadable',
      "The organization's data key cannot be read, so nothing can be sealed for it. Restore the store from a backup.");
  }
  return sealed;
}
