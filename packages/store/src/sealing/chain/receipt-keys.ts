/**
 * The keys behind an organization's receipts: an Ed25519 key that signs checkpoints, and the secret from which the salts of words are made.
 * Both are sealed under the organization's data key, like its grant key, and are destroyed with it. Rule 24.
 */
import { createPublicKey, hash, sign, type KeyObject } from 'node:crypto';
import { newId, idPrefix } from '@metergate/core/id.ts';
import { checkpointText, type CheckpointKind, type CheckpointStatement } from '@metergate/core/books/receipt/checkpoint.ts';
import type { Kysely } from 'kysely';
import { followMasterKey } from '../master-key-rotation.ts';
import type { CredentialPlace } from '../vault.ts';
import { privateKeyOf } from '../grant-key.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../context.ts';

const seedBytes = 32;

/** SHA-256 of the text's UTF-8 bytes, in hexadecimal. */
export const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** A key pair that was made just now. */
export interface NewReceiptKey {
  readonly id: string;
  readonly seed: Buffer;
  readonly privateKey: KeyObject;
  /** 32 raw bytes, base64. */
  readonly publicKey: string;
}

/** A new key pair, its private half not sealed yet. */
export function newReceiptKey(randomBytes: StoreContext['randomBytes']): NewReceiptKey {
  const seed = Buffer.from(randomBytes(seedBytes));
  const privateKey = privateKeyOf(seed);
  return { id: newId(idPrefix.receiptKey, randomBytes), seed, privateKey, publicKey: rawPublicKey(privateKey) };
}

/** The 32 bytes of a key's public half, in base64. */
export function rawPublicKey(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(String(x), 'base64url').toString('base64');
}

/** Where a sealed private key belongs: it cannot be opened in any other place. */
export function keyPlace(organization: string, id: string): CredentialPlace {
  return { purpose: 'receipt-key', organization, record: id, version: 1n };
}

/** Where the sealed secret of the salts belongs. */
export function secretPlace(organization: string): CredentialPlace {
  return { purpose: 'receipt-secret', organization, record: 'secret', version: 1n };
}

/** Signs the state of a chain or a file. */
export function signCheckpoint(privateKey: KeyObject, kind: CheckpointKind, statement: CheckpointStatement): Buffer {
  return sign(null, Buffer.from(checkpointText(kind, statement), 'utf8'), privateKey);
}

/** What is needed to add to a chain. */
export interface ChainKeys {
  /** Id of the key that signs; null: nothing can be signed. */
  readonly key: string | null;
  readonly privateKey: KeyObject | null;
  /** 64 hexadecimal characters; null: words cannot be opened again. */
  readonly secret: string | null;
}

/** An organization's keys as its chain names them. What cannot be unsealed is null: records are chained without it all the same. */
export async function unsealChainKeys(
  { vault }: Pick<StoreContext, 'vault'>, db: Kysely<Schema>,
  chain: { readonly organization: string; readonly key: string | null; readonly secret_sealed: Uint8Array | null },
): Promise<ChainKeys> {
  const { organization, key, secret_sealed: secretSealed } = chain;
  if (key === null || secretSealed === null) return { key, privateKey: null, secret: null };
  await followMasterKey(db, vault);
  const row = await db.selectFrom('receipt_key as r').innerJoin('organization_data_key as k', 'k.organization', 'r.organization')
    .select(['r.sealed', 'k.wrapped']).where('r.id', '=', key).executeTakeFirst();
  if (row === undefined) return { key, privateKey: null, secret: null };
  const seed = row.sealed === null ? null : vault.unsealCredential(row.sealed, row.wrapped, keyPlace(organization, key));
  return {
    key, privateKey: seed === null ? null : privateKeyOf(Buffer.from(seed, 'base64url')),
    secret: vault.unsealCredential(secretSealed, row.wrapped, secretPlace(organization)),
  };
}
