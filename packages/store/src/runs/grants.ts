/**
 * Run-budget grants: signed here with the organization's own Ed25519 key, so that the private key never leaves the store.
 * Rule 15. The key is made with the organization, so that every node holds its public half before the first grant;
 * the private half is sealed under the organization's data key, and goes with it.
 */
import { sign, type KeyObject } from 'node:crypto';
import { newId, type OrganizationId } from '@metergate/core/id.ts';
import { grantText, signedGrant, type GrantPayload } from '@metergate/core/run/grant.ts';
import type { Transaction } from 'kysely';
import { StoreFault } from '../engine/fault.ts';
import { makeGrantKey, privateKeyOf, seedPlace } from '../sealing/grant-key.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export type NewGrant = Pick<GrantPayload, 'organization' | 'run' | 'max' | 'expiresAtMs'>;

/** A signed grant. `id`: the run it is for. */
interface MintedGrant {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly grant: string;
}

export interface Grants {
  /**
   * Refuses `unknown_organization`, `invalid_grant`. @throws StoreFault if the signing key cannot be unsealed.
   */
  mint(grant: NewGrant): Promise<MintedGrant | StoreRefusal>;
}

export function grantsIn(context: StoreContext): Grants {
  const { engine, randomBytes } = context;
  return {
    async mint(grant) {
      const payloadFor = (key: string): GrantPayload => ({ ...grant, key, nonce: newId('', randomBytes) });
      if (!isSignable(payloadFor('key'))) {
        return refuse('invalid_grant', 'A grant is for a run id of 1 to 128 visible ASCII characters and an amount of US dollars '
          + 'above 0 with at most six decimal places.');
      }
      const refusal = await keyMade(context, grant.organization);
      if (refusal !== null) return refusal;
      // A write although it changes nothing, because the audit trail records writes.
      return engine.write(async (transaction) => {
        const { id, privateKey } = await signingKey(context, transaction, grant.organization);
        const text = grantText(payloadFor(id));
        return { organization: grant.organization, id: grant.run, grant: signedGrant(text, sign(null, Buffer.from(text, 'latin1'), privateKey)) };
      }, { action: 'mintGrant', organization: grant.organization, subject: grant.run });
    },
  };
}

/** Makes the key if the organization has none. Null: it has one now. */
async function keyMade({ background: engine, vault, clock, randomBytes }: StoreContext, organization: OrganizationId): Promise<StoreRefusal | null> {
  const found = await engine.read((db) => db.selectFrom('grant_key').select('id').where('organization', '=', organization).executeTakeFirst());
  if (found !== undefined) return null;
  return engine.change<null>(async (transaction, revision) => {
    if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
    await makeGrantKey({ vault, clock, randomBytes }, transaction, organization);
    return null;
  }, () => null);
}

async function signingKey(
  { vault }: StoreContext, transaction: Transaction<Schema>, organization: OrganizationId,
): Promise<{ readonly id: string; readonly privateKey: KeyObject }> {
  await followMasterKey(transaction, vault);
  const row = await transaction.selectFrom('grant_key as g').innerJoin('organization_data_key as k', 'k.organization', 'g.organization')
    .select(['g.id', 'g.sealed', 'k.wrapped']).where('g.organization', '=', organization).executeTakeFirst();
  const seed = row === undefined ? null : vault.unsealCredential(row.sealed, row.wrapped, seedPlace(organization, row.id));
  if (row === undefined || seed === null) {
    throw new StoreFault('store_unreadable',
      "The organization's key for signing grants cannot be read, so no grant can be minted. Restore the store from a backup.");
  }
  return { id: row.id, privateKey: privateKeyOf(Buffer.from(seed, 'base64url')) };
}

function isSignable(payload: GrantPayload): boolean {
  try {
    grantText(payload);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
