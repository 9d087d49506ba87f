/**
 * The tables of receipts as TypeScript sees them: each organization's chain, its signed checkpoints and the keys that sign them.
 */
import type { ColumnType, Generated } from 'kysely';
import type { Bytes, BytesOrNull, Whole, WholeOrNull } from './column.ts';

/** One row for each organization: where its chain ends. Locking it puts the records of the chain in order. */
export interface ReceiptChainTable {
  readonly organization: string;
  /** Of the last record; 0: none. */
  readonly sequence: Whole;
  readonly hash: Bytes;
  /** The secret that the salts of words are derived from, sealed. Null: destroyed by an erasure, or it could never be sealed. */
  readonly secret_sealed: BytesOrNull;
  /** The key that signs. Null as above. */
  readonly key: string | null;
  /** The latest signed checkpoint; `signed_last` null: nothing is signed yet. */
  readonly signed_last: WholeOrNull;
  readonly signed_hash: BytesOrNull;
  readonly signed_key: string | null;
  readonly signed_at_ms: WholeOrNull;
  readonly signature: BytesOrNull;
  /** The last record that was removed for its age, as it was signed; null: none were removed. */
  readonly pruned_last: Generated<bigint | null>;
  readonly pruned_hash: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
  readonly pruned_key: Generated<string | null>;
  readonly pruned_at_ms: Generated<bigint | null>;
  readonly pruned_signature: ColumnType<Uint8Array | null, Uint8Array | null | undefined, Uint8Array | null>;
}

/** Checkpoints that are kept for good. `kind`: `checkpoint`, or `end` of an erased organization's chain. */
export interface ReceiptCheckpointTable {
  readonly organization: string;
  readonly kind: string;
  readonly last: Whole;
  readonly hash: Bytes;
  readonly key: string;
  readonly at_ms: Whole;
  readonly signature: Bytes;
}

/** `sealed`: the private half; null once a newer key follows, or the organization was erased. Public key and signatures in base64. */
interface ReceiptKeyTable {
  readonly id: string;
  readonly organization: string;
  /** Counts the organization's keys, from 1. */
  readonly number: Whole;
  readonly public_key: string;
  readonly sealed: BytesOrNull;
  readonly at_ms: Whole;
  readonly signed_by_previous: string | null;
  readonly signed_by_itself: string | null;
}

export interface ReceiptSchema {
  readonly receipt_chain: ReceiptChainTable;
  readonly receipt_checkpoint: ReceiptCheckpointTable;
  readonly receipt_key: ReceiptKeyTable;
}
