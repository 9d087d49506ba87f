/** Receipts as administration sees them: a file of receipts, the receipt of one call, the keys and their rotation. Rule 24; rules: Interfaces. */
import { hash } from 'node:crypto';
import type { ReceiptLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { receiptFiguresOf, linkText, noDigest, receiptWordsOf } from '@metergate/core/books/receipt/receipt.ts';
import type { Checkpoint, ReceiptKey } from '@metergate/core/books/receipt/checkpoint.ts';
import type { ChainSpan } from '@metergate/store/receipts/chain-reading.ts';
import type { OpenChain, Receipts } from '@metergate/store/receipts/receipts.ts';
import type { UseCaseContext } from '../context.ts';
import type { CallExport } from '../exports.ts';
import { findFigures, findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { pemOf } from './public-key-pem.ts';
import { receiptPieces, signedBeginning } from './receipt-pieces.ts';

export interface ReceiptsQuery {
  /** Id or name; for an erased organization only its id. */
  readonly organization: string;
  /** Receipts of the calls that started from this moment on, and those between them in the chain. */
  readonly fromMs?: number;
  /** Before this moment. */
  readonly toMs?: number;
}

/** A file of receipts to be generated, and what is in it. */
interface ReceiptExport extends ChainSpan {
  readonly organization: string;
  readonly file: CallExport;
}

export const receiptFileType = 'application/x-ndjson';

/** Refuses `no_receipts`. A difference found while the file is being generated is thrown then. */
export async function exportReceipts(context: UseCaseContext, query: ReceiptsQuery): Promise<ReceiptExport | AdministrationRefusal> {
  const { fromMs, toMs } = query;
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    return refuseInput('invalid_input', 'The export must end after it begins; the end is exclusive.');
  }
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const { receipts } = context.store;
  const chain = await receipts.open(organization.id);
  const wanted = await spanOf(receipts, chain, query);
  if (isRefusal(wanted)) return wanted;
  const name = `metergate-receipts-${wanted.first}-to-${wanted.last}.jsonl`;
  return {
    organization: organization.id, ...wanted,
    file: { contentType: receiptFileType, fileName: name, pieces: receiptPieces({ receipts, chain }, wanted) },
  };
}

async function spanOf(
  receipts: Receipts, chain: OpenChain, { fromMs, toMs }: ReceiptsQuery,
): Promise<ChainSpan | AdministrationRefusal> {
  const signed = (chain.end ?? chain.head)?.last ?? 0;
  if (signed === 0) {
    return refuseInput('no_receipts', chain.end === null ? 'This organization has no receipts yet: there is one for each call from now on.'
      : 'This organization is erased, and it never had receipts.');
  }
  const first = (signedBeginning(chain)?.last ?? 0) + 1;
  if (first > signed) return refuseInput('no_receipts', 'Every call with a receipt was removed because of its age.');
  if (fromMs === undefined && toMs === undefined) return { first, last: signed };
  if (chain.end !== null) {
    return refuseInput('invalid_input',
      'This organization is erased, and nothing can be signed for it any more. Export its whole chain, without a time range.');
  }
  const span = await receipts.spanOfTime(chain.organization, { fromMs: fromMs ?? 0, toMs: toMs ?? farFutureMs });
  if (span === null || span.first > signed) return refuseInput('no_receipts', 'No call in this time range has a receipt.');
  if (span.last < first) return refuseInput('no_receipts', 'The calls in this time range were removed because of their age.');
  return { first: Math.max(first, span.first), last: Math.min(span.last, signed) };
}

const farFutureMs = 8_640_000_000_000_000;

export type ShownReceipt = Omit<ReceiptLine, 'type'> & {
  readonly call: string;
  readonly organization: string;
  /** Hash of the receipt before it. */
  readonly previous: string;
  /** Whether the stored record gives this hash. */
  readonly matches: boolean;
  /** The signed checkpoint that covers it; null: nothing after it is signed. */
  readonly checkpoint: Checkpoint | null;
};

/** `within`: a call of this organization only, by id or name. Refuses `unknown_call`, `no_receipts`. */
export async function showReceipt(context: UseCaseContext, call: string, within?: string): Promise<ShownReceipt | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findFigures(context, within);
  if (isRefusal(organization)) return organization;
  const { receipts } = context.store;
  const found = await receipts.find(call, organization?.id);
  if (found === null) {
    return refuseInput('no_receipts', 'There is no receipt for this call: it is unknown, was removed because of its age, or is older than receipts.');
  }
  const { record, sequence, hash: kept, wordsDigest } = found;
  const chain = await receipts.open(record.organization);
  const previous = await receipts.hashBefore(record.organization, sequence) ?? '';
  const salt = wordsDigest === noDigest ? null : chain.salt(record);
  const figures = receiptFiguresOf(record);
  const checkpoints = await receipts.checkpointsAround(record.organization, { first: sequence, last: sequence });
  const covering = [...checkpoints, chain.head].find((each) => each !== null && each.last >= sequence) ?? null;
  return {
    call: record.id, organization: record.organization, sequence, previous, hash: kept, figures,
    words: salt === null ? null : { salt, ...receiptWordsOf(record) }, wordsDigest,
    matches: hash('sha256', linkText({ sequence, previous, wordsDigest }, figures), 'hex') === kept, checkpoint: covering,
  };
}

interface ShownReceiptKeys {
  readonly organization: string;
  /** The key that signs now; for an erased organization the last that did. */
  readonly key: string;
  /** SubjectPublicKeyInfo, Ed25519. */
  readonly pem: string;
  /** Every key, oldest first, as files of receipts carry them. */
  readonly keys: readonly ReceiptKey[];
}

/** The public keys that verify an organization's receipts, also those of an erased one. Refuses `unknown_organization`. */
export async function showReceiptKeys(context: UseCaseContext, idOrName: string): Promise<ShownReceiptKeys | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  return shownKeys(organization.id, (await context.store.receipts.open(organization.id)).keys);
}

/** Makes a new key sign from now on. */
export async function rotateReceiptKey(context: UseCaseContext, idOrName: string): Promise<ShownReceiptKeys | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  await context.store.receipts.rotateKey(organization.id);
  return shownKeys(organization.id, (await context.store.receipts.open(organization.id)).keys);
}

function shownKeys(organization: string, keys: readonly ReceiptKey[]): ShownReceiptKeys | AdministrationRefusal {
  const last = keys.at(-1);
  if (last === undefined) return refuseInput('no_receipts', 'This organization has no key for signing receipts.');
  return { organization, key: last.id, pem: pemOf(last.publicKey), keys };
}

