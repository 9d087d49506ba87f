/**
 * What an organization's receipt key signs: how long its chain is, where a file of receipts ends, and which key follows which.
 * This makes the texts to sign; signing and verifying happen where the keys are. docs/receipts.md specifies the form.
 */
import { joinFields } from './fields.ts';
import { chainStart } from './receipt.ts';

/**
 * `checkpoint`: the chain from its first record to `last`. `end`: a complete file from `first` to `last`. `pruned`: the records from the first to
 * `last` were removed for their age, and the chain begins after them.
 */
export type CheckpointKind = 'checkpoint' | 'end' | 'pruned';

export interface CheckpointStatement {
  readonly organization: string;
  /** Id of the key that signs. */
  readonly key: string;
  /** Sequence of the first record. */
  readonly first: number;
  /** Hash before the first record. */
  readonly previous: string;
  /** Sequence of the last record; `first - 1` if there is none. */
  readonly last: number;
  /** Hash of the last record; `previous` if there is none. */
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Where every checkpoint of a chain begins. */
export const wholeChain = { first: 1, previous: chainStart } as const;

export interface Checkpoint extends CheckpointStatement {
  /** Ed25519, 64 bytes, base64. */
  readonly signature: string;
}

/** The text that is signed. Its first line names its form, so that no signature of one form serves another. */
export function checkpointText(kind: CheckpointKind, { organization, key, first, previous, last, hash, at }: CheckpointStatement): string {
  return `metergate-${kind}-1\n${joinFields([organization, key, String(first), previous, String(last), hash, at])}`;
}

/** A key of the organization's, as files of receipts carry it. */
export interface ReceiptKey {
  readonly id: string;
  /** Ed25519, 32 raw bytes, base64. */
  readonly publicKey: string;
  /** How it came after the key before it; null for the organization's first. */
  readonly follows: KeyFollows | null;
}

/** Both keys sign that one follows the other, so that whoever trusts one can trust both. Signatures in base64. */
interface KeyFollows {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly signedByPrevious: string;
  readonly signedByItself: string;
}

type KeyNamed = Pick<ReceiptKey, 'id' | 'publicKey'>;

/** What both keys sign when one follows the other. */
export function keyFollowsText(
  organization: string, { from, to, at }: { readonly from: KeyNamed; readonly to: KeyNamed; readonly at: string },
): string {
  return `metergate-key-1\n${joinFields([organization, from.id, from.publicKey, to.id, to.publicKey, at])}`;
}
