/**
 * Moves the beginning of an organization's chain of receipts past records that are older than the retention. The cut is signed before a record
 * goes, so that a cut made without the key is detected. A cut is made only where the chain is already signed: at a checkpoint or at its head.
 */
import { verify, createPublicKey, type KeyObject } from 'node:crypto';
import { checkpointText, wholeChain, type Checkpoint } from '@metergate/core/books/receipt/checkpoint.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import type { Selectable, Transaction } from 'kysely';
import { signCheckpoint, unsealChainKeys } from '../sealing/chain/receipt-keys.ts';
import type { StoreContext } from '../sealing/context.ts';
import { StoreFault } from '../engine/fault.ts';
import { checkpointsAround, hashBefore, signedHead, type ChainSpan } from '../receipts/chain-reading.ts';
import type { ReceiptChainTable } from '../schema/receipt-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { OrganizationId } from '@metergate/core/id.ts';

/** Records that one cut looks at. Shipped records have checkpoints closer together than that. */
const recordsAtOnce = 5_000;

interface Cut {
  /** Sequence of the last record that may go. */
  readonly last: number;
  /** Every record up to it started before this instant. */
  readonly goneBeforeMs: number;
}

/**
 * Cuts before the first record that started at or after `youngMs`, at the nearest signed place. The chain's row must be locked by the
 * caller. Null: nothing to cut, or nothing signed.
 * @throws StoreFault `receipts_differ` if the record at the cut is not the one that was signed.
 */
export async function cutChain(
  context: StoreContext, transaction: Transaction<Schema>, chain: Selectable<ReceiptChainTable>, youngMs: number,
): Promise<Cut | null> {
  const organization = chain.organization as OrganizationId;
  const found = await oldSpan(transaction, chain, youngMs);
  if (found === null) return null;
  const { checkpoint, latestMs } = found;
  const { key, privateKey } = await unsealChainKeys(context, transaction, chain);
  if (key === null || privateKey === null) return null;
  if (await hashBefore(transaction, organization, checkpoint.last + 1) !== checkpoint.hash || !await isSigned(transaction, checkpoint)) {
    throw new StoreFault('receipts_differ', `The record at sequence ${checkpoint.last} of ${organization} is not the one that was signed, so no `
      + 'record of this organization is removed for its age. Compare with an earlier file of receipts, or with a backup.');
  }
  await signCut(context, transaction, { organization, checkpoint, key, privateKey });
  const goneBeforeMs = latestMs + 1;
  // A day that has lost calls no longer matches what the bill was compared with.
  await transaction.deleteFrom('correction').where('organization', '=', organization).where('day_ms', '<=', BigInt(dayOf(goneBeforeMs - 1)))
    .execute();
  return { last: checkpoint.last, goneBeforeMs };
}

/** How far the chain may be cut, and when the latest of those records started. */
interface OldSpan {
  readonly checkpoint: Checkpoint;
  readonly latestMs: number;
}

/** The records from the chain's beginning to the last signed place before the first young one. Null: there is no such place. */
async function oldSpan(transaction: Transaction<Schema>, chain: Selectable<ReceiptChainTable>, youngMs: number): Promise<OldSpan | null> {
  const organization = chain.organization as OrganizationId;
  const begin = chain.pruned_last ?? 0n;
  const rows = await transaction.selectFrom('call_record').select(['receipt_sequence', 'started_at_ms'])
    .where('organization', '=', organization).where('receipt_sequence', '>', begin)
    .orderBy('receipt_sequence').limit(recordsAtOnce).execute();
  const young = rows.findIndex(({ started_at_ms: startedAtMs }) => Number(startedAtMs) >= youngMs);
  const old = young === -1 ? rows : rows.slice(0, young);
  const last = Number(old.at(-1)?.receipt_sequence ?? 0n);
  const near = old.length === 0 ? null : await signedPlace(transaction, organization, { first: Number(begin) + 1, last });
  if (near !== null) {
    const going = old.filter(({ receipt_sequence: sequence }) => Number(sequence) <= near.last);
    return { checkpoint: near, latestMs: Math.max(...going.map(({ started_at_ms: startedAtMs }) => Number(startedAtMs))) };
  }
  // A batch with more records than that was stored at once; its last record is signed.
  const next = old.length < recordsAtOnce ? null : await nextPlace(transaction, organization, last);
  if (next === null) return null;
  const { latest } = await transaction.selectFrom('call_record').select((get) => get.fn.max('started_at_ms').as('latest'))
    .where('organization', '=', organization).where('receipt_sequence', '>', begin).where('receipt_sequence', '<=', BigInt(next.last))
    .executeTakeFirstOrThrow();
  return Number(latest) >= youngMs ? null : { checkpoint: next, latestMs: Number(latest) };
}

/** The latest signed place in the span. */
async function signedPlace(transaction: Transaction<Schema>, organization: OrganizationId, { first, last }: ChainSpan): Promise<Checkpoint | null> {
  const head = await signedHead(transaction, organization);
  if (head?.last === last) return head;
  const kept = await checkpointsAround(transaction, organization, { first, last });
  return kept.findLast((each) => each.last >= first && each.last <= last) ?? null;
}

/** The first signed place after a sequence. */
async function nextPlace(transaction: Transaction<Schema>, organization: OrganizationId, after: number): Promise<Checkpoint | null> {
  const kept = await checkpointsAround(transaction, organization, { first: after + 1, last: after + 1 });
  const head = await signedHead(transaction, organization);
  return kept.find(({ last }) => last > after) ?? (head !== null && head.last > after ? head : null);
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
  // Keeps a checkpoint where the chain now begins, even if that is the head; earlier checkpoints are of no more use.
  await transaction.insertInto('receipt_checkpoint').values({
    organization, kind: 'checkpoint', last, hash: Buffer.from(hash, 'hex'), key: checkpoint.key, at_ms: Date.parse(checkpoint.at),
    signature: Buffer.from(checkpoint.signature, 'base64'),
  }).onConflict((conflict) => conflict.columns(['organization', 'kind', 'last']).doNothing()).execute();
  await transaction.deleteFrom('receipt_checkpoint').where('organization', '=', organization).where('kind', '=', 'checkpoint')
    .where('last', '<', BigInt(last)).execute();
}
