/**
 * The chain of an organization that is being erased: its end is signed while the key exists, then key and secret are destroyed. The chain
 * stays and still verifies: figures are hashed as they are, and the digests of words reveal nothing without the secret.
 */
import { wholeChain } from '@metergate/core/books/receipt/checkpoint.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { signCheckpoint, unsealChainKeys } from './receipt-keys.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../context.ts';

/** Call this in the erasure's first transaction, before the data key goes. */
export async function endChain(context: StoreContext, transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  const chain = await transaction.selectFrom('receipt_chain').selectAll().where('organization', '=', organization).executeTakeFirst();
  if (chain === undefined) return;
  const { key, privateKey } = await unsealChainKeys(context, transaction, chain);
  if (key !== null && privateKey !== null) {
    const atMs = Math.floor(context.clock());
    const hash = Buffer.from(chain.hash);
    const first = chain.pruned_last === null || chain.pruned_hash === null ? wholeChain
      : { first: Number(chain.pruned_last) + 1, previous: Buffer.from(chain.pruned_hash).toString('hex') };
    const statement = {
      ...first, organization, key, last: Number(chain.sequence), hash: hash.toString('hex'), at: new Date(atMs).toISOString(),
    };
    const signature = signCheckpoint(privateKey, 'end', statement);
    await transaction.insertInto('receipt_checkpoint')
      .values({ organization, kind: 'end', last: chain.sequence, hash, key, at_ms: atMs, signature }).execute();
  }
  await transaction.updateTable('receipt_key').set({ sealed: null }).where('organization', '=', organization).execute();
  await transaction.updateTable('receipt_chain').set({ key: null, secret_sealed: null }).where('organization', '=', organization).execute();
}
