/**
 * Provider keys: one per provider and organization, sealed. Spec: Provider key connection; rule 18.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { type ProviderConnection } from '@metergate/core/account/settings.ts';
import { wires, type Provider } from '@metergate/core/wire/wire.ts';
import type { Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';
import type { ChangeCheck } from './change-check.ts';
import { sealFor } from '../sealing/data-key.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { credentialRefusal } from '../engine/names.ts';
import { stampOrganization, unknownOrganization } from './organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { CredentialPlace, Vault } from '../sealing/vault.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface ProviderConnections {
  /**
   * Connects the key, in place of an earlier one. Null: done. Refuses `unknown_organization`, `invalid_credential`, and what `check` refuses; it gets
   * the version of the key that is connected, or null.
   */
  connect(organization: OrganizationId, provider: Provider, credential: string, check?: ChangeCheck<number | null>): Promise<StoreRefusal | null>;
  /** Another one with each key that is connected; null: none is. */
  version(organization: OrganizationId, provider: Provider): Promise<number | null>;
  /** Destroys the key. Null: done. Refuses `unknown_organization`, `provider_not_connected`. */
  disconnect(organization: OrganizationId, provider: Provider): Promise<StoreRefusal | null>;
  /** The connection with its key; `missing` for an unknown organization too. */
  state(organization: OrganizationId, provider: Provider): Promise<ProviderConnection>;
}

export function providerConnectionsIn({ engine, vault }: StoreContext): ProviderConnections {
  return {
    connect: async (organization, provider, credential, check) => credentialRefusal('A provider key', credential)
      ?? engine.change<null>(async (transaction, revision) => {
        if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
        const refusal = check?.(await versionIn(transaction, organization, provider)) ?? null;
        if (refusal !== null) return refusal;
        const place = providerKeyPlace(organization, provider, revision);
        const sealed = await sealFor(transaction, vault, { credential, place });
        await transaction.insertInto('provider_connection').values({ organization, provider, sealed, version: revision })
          .onConflict((conflict) => conflict.columns(['organization', 'provider']).doUpdateSet({ sealed, version: revision })).execute();
        return null;
      }, { action: 'connectProvider', organization, subject: provider }),
    disconnect: (organization, provider) => engine.change<null>(async (transaction, revision) => {
      if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
      const { numDeletedRows } = await transaction.deleteFrom('provider_connection')
        .where('organization', '=', organization).where('provider', '=', provider).executeTakeFirstOrThrow();
      return numDeletedRows === 1n ? null
        : refuse('provider_not_connected', `No ${wires[provider].displayName} key is connected for this organization.`);
    }, { action: 'disconnectProvider', organization, subject: provider }),
    version: (organization, provider) => engine.read((db) => versionIn(db, organization, provider)),
    state: (organization, provider) => engine.read(async (db) => {
      await followMasterKey(db, vault);
      const row = await db.selectFrom('provider_connection')
        .leftJoin('organization_data_key', 'organization_data_key.organization', 'provider_connection.organization')
        .select(['sealed', 'version', 'wrapped'])
        .where('provider_connection.organization', '=', organization).where('provider', '=', provider).executeTakeFirst();
      return row === undefined ? { state: 'missing' } : connectionOf(vault, { organization, provider, ...row });
    }),
  };
}

async function versionIn(db: Kysely<Schema>, organization: OrganizationId, provider: Provider): Promise<number | null> {
  const row = await db.selectFrom('provider_connection').select('version')
    .where('organization', '=', organization).where('provider', '=', provider).executeTakeFirst();
  return row === undefined ? null : Number(row.version);
}

/** What is stored of one connection; null if nothing is. */
interface StoredConnection {
  readonly organization: OrganizationId;
  readonly provider: Provider;
  readonly sealed: Uint8Array | null;
  readonly version: bigint | null;
  readonly wrapped: Uint8Array | null;
}

/** Unseals a connection; what cannot be unsealed is `unreadable`, never an error. */
export function connectionOf(vault: Vault, { organization, provider, sealed, version, wrapped }: StoredConnection): ProviderConnection {
  if (sealed === null || version === null) return { state: 'missing' };
  const credential = wrapped === null ? null : vault.unsealCredential(sealed, wrapped, providerKeyPlace(organization, provider, version));
  return credential === null ? { state: 'unreadable' } : { state: 'connected', credential };
}

function providerKeyPlace(organization: OrganizationId, provider: Provider, version: bigint): CredentialPlace {
  return { purpose: 'provider-key', organization, record: provider, version };
}
