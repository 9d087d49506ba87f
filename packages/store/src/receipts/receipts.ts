/**
 * Receipts: an organization's chain opened for reading and signing, its keys, their rotation. Rule 24.
 * `chain-records.ts` adds records to the chain as they are stored.
 */
import { sign, type KeyObject } from 'node:crypto';
import type { OrganizationId } from '@metergate/core/id.ts';
import { monthText, type MonthStatement } from '@metergate/core/books/month/month-file.ts';
import { keyFollowsText, type Checkpoint, type CheckpointStatement, type ReceiptKey } from '@metergate/core/books/receipt/checkpoint.ts';
import { saltText } from '@metergate/core/books/receipt/receipt.ts';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { StoreFault } from '../engine/fault.ts';
import type { ReceiptChainTable } from '../schema/receipt-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { sealFor } from '../sealing/data-key.ts';
import type { StoreContext } from '../sealing/context.ts';
import {
  chainedCallOf, checkpointsAround, endOf, hashBefore, keysIn, pageOfChain, prunedIn, signedHead, spanOfTime, type ChainedCall, type ChainSpan,
} from './chain-reading.ts';
import { hasId } from '../calls/call-by-id.ts';
import { makeChain } from '../sealing/chain/make-chain.ts';
import { keyPlace, newReceiptKey, rawPublicKey, sha256, signCheckpoint, unsealChainKeys } from '../sealing/chain/receipt-keys.ts';

/** A chain at one moment. */
export interface OpenChain {
  readonly organization: OrganizationId;
  /** Records in the chain. */
  readonly length: number;
  /** How far it is signed; null: not at all. */
  readonly head: Checkpoint | null;
  /** The signed checkpoint at the last record that was removed for its age; null: the chain begins with its first record. */
  readonly pruned: Checkpoint | null;
  /** Oldest first. Empty: nothing in this chain can ever be signed. */
  readonly keys: readonly ReceiptKey[];
  /** For an erased organization: the end that was signed during the erasure. */
  readonly end: Checkpoint | null;
  /** The salt of one call's words; null: it was destroyed. */
  salt(call: { readonly organization: OrganizationId; readonly id: string }): string | null;
  /** Signs the end of a file; null: the key is gone or cannot be unsealed. */
  signEnd(statement: Omit<CheckpointStatement, 'organization' | 'key' | 'at'>): Checkpoint | null;
  /** Signs a closed month; null as above. */
  signMonth(statement: Omit<MonthStatement, 'organization' | 'key'>): { readonly key: string; readonly signature: string } | null;
}

export interface Receipts {
  /** Makes an empty chain if the organization has none. */
  open(organization: OrganizationId): Promise<OpenChain>;
  /** How many records the chain has, and its hash at one of them; null hash: there is no such record. Null: no such organization. */
  standing(organization: string, sequence: number): Promise<{ readonly length: number; readonly hash: string | null } | null>;
  spanOfTime(organization: OrganizationId, time: { readonly fromMs: number; readonly toMs: number }): Promise<ChainSpan | null>;
  checkpointsAround(organization: OrganizationId, span: ChainSpan): Promise<Checkpoint[]>;
  hashBefore(organization: OrganizationId, first: number): Promise<string | null>;
  /** At most `limit` records of the span, from its first on. */
  page(organization: OrganizationId, span: ChainSpan & { readonly limit: number }): Promise<ChainedCall[]>;
  /** `within`: of this organization only. Null: no such record, or it has no receipt. */
  find(call: string, within?: OrganizationId): Promise<ChainedCall | null>;
  /** A new key signs from now on; both keys sign the change. The old one's private half is destroyed. @throws StoreFault if it cannot be read. */
  rotateKey(organization: OrganizationId): Promise<ReceiptKey>;
}

type ChainRow = Selectable<ReceiptChainTable>;

export function receiptsIn(context: StoreContext): Receipts {
  const { engine, background } = context;
  // What was shown must not change, so the disk has it first: others' commits can be read a moment before.
  const shown = async <T>(query: (db: Kysely<Schema>) => Promise<T>): Promise<T> => {
    const found = await engine.read(query);
    await engine.forced();
    return found;
  };
  return {
    async open(organization) {
      const chain = await engine.read((db) => chainRow(db, organization)) ?? await background.write(async (transaction) => {
        await makeChain(context, transaction, organization);
        return (await chainRow(transaction, organization))!;
      });
      return shown((db) => openChain(context, db, chain));
    },
    standing: (organization, sequence) => shown(async (db) => {
      if (organization.includes('\0')) return null;
      const chain = await chainRow(db, organization as OrganizationId);
      const known = chain ?? await db.selectFrom('organization').select('id').where('id', '=', organization).executeTakeFirst();
      if (known === undefined) return null;
      const length = Number(chain?.sequence ?? 0n);
      return { length, hash: sequence > length ? null : await hashBefore(db, organization as OrganizationId, sequence + 1) };
    }),
    spanOfTime: (organization, time) => shown((db) => spanOfTime(db, organization, time)),
    checkpointsAround: (organization, span) => shown((db) => checkpointsAround(db, organization, span)),
    hashBefore: (organization, first) => shown((db) => hashBefore(db, organization, first)),
    page: (organization, span) => shown((db) => pageOfChain(db, organization, span)),
    find: (call, within) => shown(async (db) => {
      if (call.includes('\0')) return null;
      let query = db.selectFrom('call_record').selectAll().where(hasId(call));
      if (within !== undefined) query = query.where('organization', '=', within);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : chainedCallOf(row);
    }),
    rotateKey: (organization) => engine.write((transaction) => rotate(context, transaction, organization),
      { action: 'rotateReceiptKey', organization, subject: organization }),
  };
}

function chainRow(db: Kysely<Schema>, organization: OrganizationId): Promise<ChainRow | undefined> {
  return db.selectFrom('receipt_chain').selectAll().where('organization', '=', organization).executeTakeFirst();
}

async function openChain(context: StoreContext, db: Kysely<Schema>, chain: ChainRow): Promise<OpenChain> {
  const organization = chain.organization as OrganizationId;
  const { key, privateKey, secret } = await unsealChainKeys(context, db, chain);
  const keys = await keysIn(db, organization);
  // A public key that does not match the sealed private key was put there by somebody else.
  const signer = key === null || privateKey === null || keys.at(-1)?.publicKey !== rawPublicKey(privateKey) ? null : { key, privateKey };
  return {
    organization, length: Number(chain.sequence), head: await signedHead(db, organization), keys,
    pruned: await prunedIn(db, organization),
    end: await endOf(db, organization),
    salt: (call) => secret === null ? null : sha256(saltText(secret, call)),
    signEnd: (statement) => signer === null ? null
      : signed(signer.privateKey, { ...statement, organization, key: signer.key, at: new Date(Math.floor(context.clock())).toISOString() }),
    signMonth: (statement) => signer === null ? null : {
      key: signer.key,
      signature: sign(null, Buffer.from(monthText({ ...statement, organization, key: signer.key }), 'utf8'), signer.privateKey).toString('base64'),
    },
  };
}

function signed(privateKey: KeyObject, statement: CheckpointStatement): Checkpoint {
  return { ...statement, signature: signCheckpoint(privateKey, 'end', statement).toString('base64') };
}

async function rotate(context: StoreContext, transaction: Transaction<Schema>, organization: OrganizationId): Promise<ReceiptKey> {
  await makeChain(context, transaction, organization);
  const locked = transaction.selectFrom('receipt_chain').selectAll().where('organization', '=', organization);
  const chain = await (context.engine.kind === 'postgres' ? locked.forUpdate() : locked).executeTakeFirstOrThrow();
  const { key: oldId, privateKey: oldPrivate } = await unsealChainKeys(context, transaction, chain);
  const old = await transaction.selectFrom('receipt_key').selectAll().where('id', '=', oldId ?? '').executeTakeFirst();
  if (oldPrivate === null || old === undefined) {
    throw new StoreFault('store_unreadable',
      "The organization's key for signing receipts cannot be read, so no other can follow it. Restore the store from a backup.");
  }
  await keepHead(transaction, chain);
  const next = newReceiptKey(context.randomBytes);
  const atMs = Math.floor(context.clock());
  const at = new Date(atMs).toISOString();
  const text = Buffer.from(keyFollowsText(organization, { from: { id: old.id, publicKey: old.public_key }, to: next, at }), 'utf8');
  const [signedByPrevious, signedByItself] = [oldPrivate, next.privateKey].map((key) => sign(null, text, key).toString('base64')) as [string, string];
  const sealed = await sealFor(transaction, context.vault, { credential: next.seed.toString('base64url'), place: keyPlace(organization, next.id) });
  await transaction.updateTable('receipt_key').set({ sealed: null }).where('id', '=', old.id).execute();
  await transaction.insertInto('receipt_key').values({
    id: next.id, organization, number: old.number + 1n, public_key: next.publicKey, sealed, at_ms: atMs,
    signed_by_previous: signedByPrevious, signed_by_itself: signedByItself,
  }).execute();
  await transaction.updateTable('receipt_chain').set({ key: next.id }).where('organization', '=', organization).execute();
  return { id: next.id, publicKey: next.publicKey, follows: { at, signedByPrevious, signedByItself } };
}

/** The latest checkpoint of the old key stays for good. */
async function keepHead(transaction: Transaction<Schema>, chain: ChainRow): Promise<void> {
  const { organization, signed_last: last, signed_hash: hash, signed_key: key, signed_at_ms: atMs, signature } = chain;
  if (last === null || last === 0n || hash === null || key === null || atMs === null || signature === null) return;
  await transaction.insertInto('receipt_checkpoint').values({ organization, kind: 'checkpoint', last, hash, key, at_ms: atMs, signature })
    .onConflict((conflict) => conflict.columns(['organization', 'kind', 'last']).doNothing()).execute();
}
