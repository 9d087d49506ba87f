/**
 * Replaces the master key of a store: every data key is wrapped again and the fingerprint changed, in one transaction. Rule 18.
 * Whenever the process dies, the store opens with the old key or with the new one. Data sealed under the data keys is not touched. Running
 * servers hold the old key. The new key is stored sealed under it for an hour, and they pick it up at their next poll, so that no call fails.
 * After that hour it is deleted, and the old key opens nothing.
 */
import type { Kysely } from 'kysely';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { createVault, type Vault } from './vault.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from './context.ts';

const handOverMs = 3_600_000;

export interface MasterKey {
  /** `newKey`: 32 bytes. Returns how many data keys it wraps now. Refuses `invalid_master_key` (the key in force). */
  rotate(newKey: Uint8Array): Promise<{ readonly dataKeys: number; readonly unreadable: number } | StoreRefusal>;
  /** Takes over the key of a rotation that happened meanwhile. True: this store works with another key now. */
  follow(): Promise<boolean>;
  /** Removes a handed-over key after its hour. */
  endHandOver(): Promise<void>;
}

export function masterKeyIn({ engine, vault, clock, randomBytes }: StoreContext): MasterKey {
  return {
    rotate: (newKey) => engine.change(async (transaction) => {
      await followMasterKey(transaction, vault);
      const next = createVault(newKey, randomBytes);
      if (next.wrappingKeyId === vault.wrappingKeyId) {
        return refuse('invalid_master_key', 'This is already the current master key. Make another with: openssl rand -base64 32');
      }
      let dataKeys = 0;
      let unreadable = 0;
      for (const { organization, wrapped } of await transaction.selectFrom('organization_data_key').selectAll().execute()) {
        const rewrapped = vault.rewrapped(organization, wrapped, next);
        // An unreadable data key stays unreadable; that is no reason to keep all others under the old key.
        if (rewrapped === null) {
          unreadable += 1;
          continue;
        }
        dataKeys += 1;
        await transaction.updateTable('organization_data_key').set({ wrapped: rewrapped, wrapped_by: next.wrappingKeyId })
          .where('organization', '=', organization).execute();
      }
      const salt = randomBytes(16);
      await transaction.updateTable('store_identity').set({ salt, fingerprint: next.fingerprint(salt) }).execute();
      const sealed = vault.handOver(newKey);
      const until = clock() + handOverMs;
      await transaction.insertInto('master_key_handover').values({ from_key: vault.wrappingKeyId, sealed, until_ms: until })
        .onConflict((conflict) => conflict.column('from_key').doUpdateSet({ sealed, until_ms: until })).execute();
      return { dataKeys, unreadable };
    }, { action: 'rotateMasterKey', organization: null, subject: null }),
    follow: () => engine.read((db) => followMasterKey(db, vault)),
    async endHandOver() {
      const over = BigInt(Math.floor(clock()));
      const rows = await engine.read((db) => db.selectFrom('master_key_handover').select('from_key').where('until_ms', '<=', over).execute());
      if (rows.length === 0) return;
      await engine.write(async (transaction) => {
        await transaction.deleteFrom('master_key_handover').where('until_ms', '<=', over).execute();
      });
    },
  };
}

/**
 * Brings the vault to the key in force by the handed-over keys, through several rotations if need be. Call this in a change
 * before anything is sealed, so that no rotation can come in between. True: the vault has another key now.
 */
export async function followMasterKey(db: Kysely<Schema>, vault: Vault): Promise<boolean> {
  for (let followed = false; ; followed = true) {
    const identity = await db.selectFrom('store_identity').select(['salt', 'fingerprint']).executeTakeFirst();
    if (identity === undefined || vault.fingerprint(identity.salt) === identity.fingerprint) return followed;
    const row = await db.selectFrom('master_key_handover').select('sealed').where('from_key', '=', vault.wrappingKeyId).executeTakeFirst();
    if (row === undefined || !vault.takeOver(row.sealed)) return followed;
  }
}
