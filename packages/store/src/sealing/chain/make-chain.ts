/**
 * The chain of an organization that has none yet: an empty one, with the key that signs its checkpoints and the secret of its salts.
 */
import { chainStart } from '@metergate/core/books/receipt/receipt.ts';
import type { Transaction } from 'kysely';
import { followMasterKey } from '../master-key-rotation.ts';
import { keyPlace, newReceiptKey, secretPlace, type NewReceiptKey } from './receipt-keys.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../context.ts';

type ChainContext = Pick<StoreContext, 'vault' | 'clock' | 'randomBytes'>;

/**
 * Makes it if there is none; changes nothing else. If the organization's data key is gone or cannot be unwrapped, the chain has
 * no key: records are counted and hashed all the same, and nothing can be signed.
 */
export async function makeChain(context: ChainContext, transaction: Transaction<Schema>, organization: string): Promise<void> {
  const key = newReceiptKey(context.randomBytes);
  const sealed = await sealedFor(context, transaction, { organization, key });
  const { numInsertedOrUpdatedRows } = await transaction.insertInto('receipt_chain').values({
    organization, sequence: 0, hash: Buffer.from(chainStart, 'hex'), secret_sealed: sealed?.secret ?? null, key: sealed === null ? null : key.id,
    signed_last: null, signed_hash: null, signed_key: null, signed_at_ms: null, signature: null,
  }).onConflict((conflict) => conflict.column('organization').doNothing()).executeTakeFirst();
  if (sealed === null || numInsertedOrUpdatedRows !== 1n) return;
  await transaction.insertInto('receipt_key').values({
    id: key.id, organization, number: 1, public_key: key.publicKey, sealed: sealed.key, at_ms: context.clock(),
    signed_by_previous: null, signed_by_itself: null,
  }).execute();
}

async function sealedFor(
  { vault, randomBytes }: ChainContext, transaction: Transaction<Schema>,
  { organization, key }: { readonly organization: string; readonly key: NewReceiptKey },
): Promise<{ readonly key: Uint8Array; readonly secret: Uint8Array } | null> {
  await followMasterKey(transaction, vault);
  const row = await transaction.selectFrom('organization_data_key').select('wrapped').where('organization', '=', organization).executeTakeFirst();
  if (row === undefined) return null;
  const seed = vault.sealCredential(key.seed.toString('base64url'), row.wrapped, keyPlace(organization, key.id));
  const secret = vault.sealCredential(Buffer.from(randomBytes(32)).toString('hex'), row.wrapped, secretPlace(organization));
  return seed === null || secret === null ? null : { key: seed, secret };
}
