/**
 * Moves the beginning of an organization's chain of receipts past records that are older than their age. The cut is signed before a record
 * goes, so that whoever cuts without the key is found. It is made only where the chain was signed already: at a checkpoint, or at its head.
 */
import { verify, createPublicKey, type KeyObject } from 'node:crypto';
import { checkpointText, wholeChain, type Checkpoint } from '@metergate/core/receipt/checkpoint.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import type { Selectable, Transaction } from 'kysely';
import { signCheckpoint, unsealChainKeys } from '../chain/receipt-keys.ts';
import type { StoreContext } from '../context.ts';
import { StoreFault } from '../engine/fault.ts';
import { checkpointsAround, signedHead } from '../receipts/chain-reading.ts';
import type { ReceiptChainTable } from '../schema/receipt-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { OrganizationId } from '@metergate/core/id.ts';

/** Records that one cut looks through. There are checkpoints more often than that. */
const recordsAtOnce = 5_000;

export interface Cut {
  /** Sequence of the last record that may go. */
  readonly last: number;
  /** Every record up to it started before this instant. */
  readonly goneBeforeMs: number;
}

/**
 * Cuts before the first record that started at or after `youngMs`, as near to it as the chain is signed. The chain's row is locked by the
 * caller. Null: nothing to cut, or nothing signed.
 * @throws StoreFault `receipts_differ` where the record at the cut is not the one that was signed.
 */
export async function cutChain(
  context: StoreContext, transaction: Transaction<Schema>, chain: Selectable<ReceiptChainTable>, youngMs: number,
): Promise<Cut | null> {
  const organization = chain.organization as OrganizationId;
  const rows = await transaction.selectFrom('call_record').select(['receipt_sequence', 'receipt_hash', 'started_at_ms'])
    .where('organization', '=', organization).where('receipt_sequence', '>', chain.pruned_last ?? 0n)
    .orderBy('receipt_sequence').limit(recordsAtOnce).execute();
  const young = rows.findIndex(({ started_at_ms: startedAtMs }) => startedAtMs >= BigInt(Math.ceil(youngMs)));
  const old = young === -1 ? rows : rows.slice(0, young);
  const checkpoint = await lastCheckpoint(transaction, organization, old.map(({ receipt_sequence: sequence }) => Number(sequence)));
  if (checkpoint === null) return null;
  const at = old.findIndex(({ receipt_sequence: sequence }) => Number(sequence) === checkpoint.last);
  const { key, privateKey } = await unsealChainKeys(context, transaction, chain);
  if (key === null || privateKey === null) return null;
  if (Buffer.from(old[at]!.receipt_hash!).toString('hex') !== checkpoint.hash || !await isSigned(transaction, checkpoint)) {
    throw new StoreFault('receipts_differ', `The record at sequence ${checkpoint.last} of ${organization} is not the one that was signed, so no `
      + 'record of this organization is removed for its age. Compare with an earlier file of receipts, or with a backup.');
  }
  await signCut(context, transaction, { organization, checkpoint, key, privateKey });
  const last = old.slice(0, at + 1).reduce((latest, { started_at_ms: startedAtMs }) => (startedAtMs > latest ? startedAtMs : latest), 0n);
  const goneBeforeMs = Number(last) + 1;
  // A day that has lost calls is no longer what a bill was compared with.
  await transaction.deleteFrom('correction').where('organization', '=', organization).where('day_ms', '<=', BigInt(dayOf(goneBeforeMs - 1)))
    .execute();
  return { last: checkpoint.last, goneBeforeMs };
}

/** The latest signed place among these sequences. */
async function lastCheckpoint(
  transaction: Transaction<Schema>, organization: OrganizationId, sequences: readonly number[],
): Promise<Checkpoint | null> {
  const [first, last] = [sequences[0], sequences.at(-1)];
  if (first === undefined || last === undefined) return null;
  const head = await signedHead(transaction, organization);
  if (head?.last === last) return head;
  const kept = await checkpointsAround(transaction, organization, { first, last });
  return kept.findLast((each) => each.last >= first && each.last <= last) ?? null;
}

async function isSigned(transaction: Transaction<Schema>, checkpoint: Checkpoint): Promise<boolean> {
  const row = await transaction.selectFrom('receipt_key').select('public_key').where('id', '=', checkpoint.key)
    .where('organization', '=', checkpoint.organization).executeTakeFirst();
  if (row === undefined) return false;
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(row.public_key, 'base64').toString('base64url') }, format: 'jwk',
  });
  return verify(null, Buffer.from(checkpointText('checkpoint', checkpoint), 'utf8'), key, Buffer.from(checkpoint.signature, 'base64'));
}

interface SignedCut {
  readonly organization: OrganizationId;
  readonly checkpoint: Checkpoint;
  readonly key: string;
  readonly privateKey: KeyObject;
}

async function signCut(
  context: StoreContext, transaction: Transaction<Schema>, { organization, checkpoint, key, privateKey }: SignedCut,
): Promise<void> {
  const atMs = Math.floor(context.clock());
  const { last, hash } = checkpoint;
  const signature = signCheckpoint(privateKey, 'pruned', { ...wholeChain, organization, key, last, hash, at: new Date(atMs).toISOString() });
  await transaction.updateTable('receipt_chain').set({
    pruned_last: BigInt(last), pruned_hash: Buffer.from(hash, 'hex'), pruned_key: key, pruned_at_ms: BigInt(atMs), pruned_signature: signature,
  }).where('organization', '=', organization).execute();
  // Where the chain begins now a checkpoint is kept, the head's too; those before it have nothing left to say.
  await transaction.insertInto('receipt_checkpoint').values({
    organization, kind: 'checkpoint', last, hash: Buffer.from(hash, 'hex'), key: checkpoint.key, at_ms: Date.parse(checkpoint.at),
    signature: Buffer.from(checkpoint.signature, 'base64'),
  }).onConflict((conflict) => conflict.columns(['organization', 'kind', 'last']).doNothing()).execute();
  await transaction.deleteFrom('receipt_checkpoint').where('organization', '=', organization).where('kind', '=', 'checkpoint')
    .where('last', '<', BigInt(last)).execute();
}
