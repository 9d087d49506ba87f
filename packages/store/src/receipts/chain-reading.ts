/** Reads an organization's chain: its end, its keys, its checkpoints, and its records in order. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { wholeChain, type Checkpoint, type ReceiptKey } from '@metergate/core/books/receipt/checkpoint.ts';
import { chainStart } from '@metergate/core/books/receipt/receipt.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql, type Kysely, type Selectable } from 'kysely';
import { callRecordOf } from '../calls/call-row.ts';
import type { ReceiptCheckpointTable } from '../schema/receipt-schema.ts';
import type { CallRecordTable, Schema } from '../schema/schema.ts';

/** A record with its place, hashes in hexadecimal. */
export interface ChainedCall {
  readonly record: CallRecord;
  readonly sequence: number;
  readonly hash: string;
  readonly wordsDigest: string;
}

/** Sequences, both inclusive. */
export interface ChainSpan {
  readonly first: number;
  readonly last: number;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const instant = (ms: bigint): string => new Date(Number(ms)).toISOString();

/** Oldest first. */
export async function keysIn(db: Kysely<Schema>, organization: OrganizationId): Promise<ReceiptKey[]> {
  const rows = await db.selectFrom('receipt_key').selectAll().where('organization', '=', organization).orderBy('number').execute();
  return rows.map(({ id, public_key: publicKey, at_ms: atMs, signed_by_previous: signedByPrevious, signed_by_itself: signedByItself }) => ({
    id, publicKey,
    follows: signedByPrevious === null || signedByItself === null ? null : { at: instant(atMs), signedByPrevious, signedByItself },
  }));
}

/** The latest signed checkpoint; null if nothing is signed. */
export async function signedHead(db: Kysely<Schema>, organization: OrganizationId): Promise<Checkpoint | null> {
  const row = await db.selectFrom('receipt_chain').selectAll().where('organization', '=', organization).executeTakeFirst();
  if (row === undefined || row.signed_last === null || row.signed_hash === null || row.signed_key === null
    || row.signed_at_ms === null || row.signature === null) return null;
  return checkpointOf({
    organization, kind: 'checkpoint', last: row.signed_last, hash: row.signed_hash, key: row.signed_key, at_ms: row.signed_at_ms,
    signature: row.signature,
  });
}

/** The last record that was removed for its age, which the chain now begins after; null: it begins with its first record. */
export async function prunedIn(db: Kysely<Schema>, organization: OrganizationId): Promise<Checkpoint | null> {
  const row = await db.selectFrom('receipt_chain').selectAll().where('organization', '=', organization).executeTakeFirst();
  if (row === undefined || row.pruned_last === null || row.pruned_hash === null || row.pruned_key === null || row.pruned_at_ms === null
    || row.pruned_signature === null) return null;
  return checkpointOf({
    organization, kind: 'pruned', last: row.pruned_last, hash: row.pruned_hash, key: row.pruned_key, at_ms: row.pruned_at_ms,
    signature: row.pruned_signature,
  });
}

/** The end of an erased organization's chain. Nothing more is removed from that chain, so its beginning does not move either. */
export async function endOf(db: Kysely<Schema>, organization: OrganizationId): Promise<Checkpoint | null> {
  const row = await db.selectFrom('receipt_checkpoint').selectAll().where('organization', '=', organization).where('kind', '=', 'end')
    .executeTakeFirst();
  if (row === undefined) return null;
  const pruned = await prunedIn(db, organization);
  return { ...checkpointOf(row), ...(pruned === null ? {} : { first: pruned.last + 1, previous: pruned.hash }) };
}

/** Stored checkpoints at the records of the span, and the next one on either side if there is one. In the order of the chain. */
export async function checkpointsAround(db: Kysely<Schema>, organization: OrganizationId, { first, last }: ChainSpan): Promise<Checkpoint[]> {
  const kept = db.selectFrom('receipt_checkpoint').selectAll().where('organization', '=', organization).where('kind', '=', 'checkpoint');
  const before = await kept.where('last', '<', BigInt(first)).orderBy('last', 'desc').limit(1).execute();
  const within = await kept.where('last', '>=', BigInt(first)).where('last', '<=', BigInt(last)).orderBy('last').execute();
  const after = await kept.where('last', '>', BigInt(last)).orderBy('last').limit(1).execute();
  return [...before, ...within, ...after].map(checkpointOf);
}

/** The smallest span that holds the receipts of all calls that started in the period; null: there are none. */
export async function spanOfTime(
  db: Kysely<Schema>, organization: OrganizationId, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ChainSpan | null> {
  const row = await db.selectFrom('call_record').where('organization', '=', organization)
    .where('started_at_ms', '>=', BigInt(Math.ceil(fromMs))).where('started_at_ms', '<', BigInt(Math.ceil(toMs)))
    .select([sql<bigint | null>`min(receipt_sequence)`.as('first'), sql<bigint | null>`max(receipt_sequence)`.as('last')]).executeTakeFirst();
  return row === undefined || row.first === null || row.last === null ? null : { first: Number(row.first), last: Number(row.last) };
}

/** The hash before a sequence; null: the record before it is missing, and the chain does not begin there. */
export async function hashBefore(db: Kysely<Schema>, organization: OrganizationId, first: number): Promise<string | null> {
  if (first === 1) return chainStart;
  const row = await db.selectFrom('call_record').select('receipt_hash').where('organization', '=', organization)
    .where('receipt_sequence', '=', BigInt(first - 1)).executeTakeFirst();
  if (row !== undefined && row.receipt_hash !== null) return hex(row.receipt_hash);
  const pruned = await prunedIn(db, organization);
  return pruned?.last === first - 1 ? pruned.hash : null;
}

/** At most `limit` records of the span, from its first on. */
export async function pageOfChain(
  db: Kysely<Schema>, organization: OrganizationId, { first, last, limit }: ChainSpan & { readonly limit: number },
): Promise<ChainedCall[]> {
  const rows = await db.selectFrom('call_record').selectAll().where('organization', '=', organization)
    .where('receipt_sequence', '>=', BigInt(first)).where('receipt_sequence', '<=', BigInt(last))
    .orderBy('receipt_sequence').limit(limit).execute();
  return rows.map(chainedCallOf).filter((call) => call !== null);
}

/** Null: the record is older than receipts. */
export function chainedCallOf(row: Selectable<CallRecordTable>): ChainedCall | null {
  const { receipt_sequence: sequence, receipt_hash: hash, receipt_words: words } = row;
  if (sequence === null || hash === null || words === null) return null;
  return { record: callRecordOf(row), sequence: Number(sequence), hash: hex(hash), wordsDigest: hex(words) };
}

function checkpointOf(row: Selectable<ReceiptCheckpointTable>): Checkpoint {
  const { organization, key, last, hash, at_ms: atMs, signature } = row;
  return { ...wholeChain, organization, key, last: Number(last), hash: hex(hash), at: instant(atMs), signature: base64(signature) };
}
