/**
 * The key an organization's run-budget grants are signed with: Ed25519, made from 32 random bytes. Rule 15.
 * The public half is readable; the seed is sealed under the organization's data key, and goes with it.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { sealFor } from './data-key.ts';
import type { CredentialPlace } from './vault.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from './context.ts';

type KeyContext = Pick<StoreContext, 'vault' | 'clock' | 'randomBytes'>;

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const seedBytes = 32;

/** Makes the signing key of an organization, in the transaction that makes the organization or stamps it again. */
export async function makeGrantKey(
  { vault, clock, randomBytes }: KeyContext, transaction: Transaction<Schema>, organization: OrganizationId,
): Promise<void> {
  const id = newId(idPrefix.grantKey, randomBytes);
  const seed = Buffer.from(randomBytes(seedBytes));
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  const sealed = await sealFor(transaction, vault, { credential: seed.toString('base64url'), place: seedPlace(organization, id) });
  await transaction.insertInto('grant_key').values({ id, organization, public_key: String(x), sealed, created_at_ms: clock() })
    .onConflict((conflict) => conflict.column('organization').doNothing()).execute();
}

/** The private key of a seed. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
}

/** Where the seed is sealed to. */
export function seedPlace(organization: OrganizationId, id: string): CredentialPlace {
  return { purpose: 'grant-key', organization, record: id, version: 1n };
}
