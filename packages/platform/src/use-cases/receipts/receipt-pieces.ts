/**
 * A span of an organization's chain → a file of receipts, piece by piece. Nothing is signed unless it was checked: every record is hashed
 * again and compared with its receipt, from the last signed checkpoint before the span to the first one after it. So somebody who can write
 * in the store, but has no key, gets no signature for an altered record.
 */
import type { ExportPiece } from '../exports.ts';
import { hash } from 'node:crypto';
import { checkpointText, keyFollowsText, type Checkpoint, type CheckpointKind, type ReceiptKey } from '@metergate/core/books/receipt/checkpoint.ts';
import { formatLine, receiptFileFormat, type ReceiptLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { chainStart, receiptFiguresOf, linkText, noDigest, receiptWordsOf, wordsText } from '@metergate/core/books/receipt/receipt.ts';
import type { ChainedCall, ChainSpan } from '@metergate/store/receipts/chain-reading.ts';
import type { OpenChain, Receipts } from '@metergate/store/receipts/receipts.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import { isSigned } from './check-receipts.ts';

const receiptsAtOnce = 500;

interface ReceiptSource {
  readonly receipts: Receipts;
  readonly chain: OpenChain;
}

/** The span must lie within what is signed. @throws StoreFault `receipts_differ`, naming the first record that differs from its receipt. */
export async function* receiptPieces(
  { receipts, chain }: ReceiptSource, span: ChainSpan,
): AsyncGenerator<ExportPiece> {
  const pruned = signedBeginning(chain);
  // What came before the beginning is gone, and only its signature vouches for it.
  const previous = pruned?.last === span.first - 1 ? pruned.hash : await receipts.hashBefore(chain.organization, span.first);
  if (previous === null || span.first <= (pruned?.last ?? 0)) throw differs(span.first - 1);
  yield piece([formatLine({
    type: 'head', format: receiptFileFormat, organization: chain.organization, first: span.first, previous, keys: chain.keys,
  }), ...(pruned?.last === span.first - 1 ? [formatLine({ type: 'pruned', ...pruned })] : [])], 0);
  const { before: kept, within, after } = await checkpointsOf({ receipts, chain }, span);
  const before = kept !== null && kept.last > (pruned?.last ?? 0) ? kept : null;
  const begin = before ?? pruned ?? { last: 0, hash: chainStart };
  const walk = new CheckedWalk(chain, before, begin);
  let end = begin.hash;
  for await (const page of pagesOf(receipts, chain, { first: begin.last + 1, last: after.last })) {
    const lines: string[] = [];
    for (const call of page) {
      const line = walk.take(call);
      if (line.sequence < span.first || line.sequence > span.last) continue;
      lines.push(formatLine(line));
      end = line.hash;
      const checkpoint = within.get(line.sequence);
      if (checkpoint !== undefined) lines.push(formatLine({ type: 'checkpoint', ...walk.agreed(checkpoint, 'checkpoint') }));
    }
    yield piece(lines, lines.length);
    await othersFirst();
  }
  walk.agreed(after, chain.end === null ? 'checkpoint' : 'end');
  yield piece([formatLine({ type: 'end', ...endFor(chain, { ...span, previous, hash: end }) })], 0);
}

function piece(lines: readonly string[], calls: number): ExportPiece {
  return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8'), calls, cost: 0n, place: null };
}

/** For an erased organization the end that was signed during the erasure, since nothing else can be signed for it. */
function endFor(chain: OpenChain, statement: ChainSpan & { readonly previous: string; readonly hash: string }): Checkpoint {
  const end = chain.end ?? chain.signEnd(statement);
  if (end === null) {
    throw new StoreFault('store_unreadable',
      "The organization's key for signing receipts cannot be read, so no file can be signed. Restore the store from a backup.");
  }
  return end;
}

interface Checkpoints {
  /** The last before the span; null: there is none. */
  readonly before: Checkpoint | null;
  /** Checkpoints by their last sequence. */
  readonly within: ReadonlyMap<number, Checkpoint>;
  /** The first that covers the whole span. */
  readonly after: Checkpoint;
}

async function checkpointsOf({ receipts, chain }: ReceiptSource, span: ChainSpan): Promise<Checkpoints> {
  const kept = await receipts.checkpointsAround(chain.organization, span);
  const after = chain.end ?? kept.find(({ last }) => last >= span.last) ?? chain.head;
  if (after === null || after.last < span.last) throw differs(span.last);
  const before = kept.findLast(({ last }) => last < span.first) ?? null;
  return { before, within: new Map(kept.filter(({ last }) => last >= span.first && last <= span.last).map((each) => [each.last, each])), after };
}

async function* pagesOf(receipts: Receipts, { organization }: OpenChain, { first, last }: ChainSpan): AsyncGenerator<readonly ChainedCall[]> {
  for (let next = first; next <= last;) {
    const page = await receipts.page(organization, { first: next, last, limit: receiptsAtOnce });
    if (page.length === 0) throw differs(next);
    yield page;
    next = page.at(-1)!.sequence + 1;
  }
}

/** Records in the order of the chain, each checked against its receipt. */
class CheckedWalk {
  readonly #chain: OpenChain;
  #hash: string;
  #sequence: number;

  /** `before`: the checkpoint that the walk begins after, if any. */
  constructor(chain: OpenChain, before: Checkpoint | null, begin: { readonly last: number; readonly hash: string }) {
    this.#chain = chain;
    if (!followEachOther(chain)) throw differs(1);
    if (before !== null && !isSignedByOne(chain.keys, before, 'checkpoint')) throw differs(before.last);
    this.#hash = begin.hash;
    this.#sequence = begin.last;
  }

  take({ record, sequence, hash: kept, wordsDigest }: ChainedCall): ReceiptLine {
    const salt = wordsDigest === noDigest ? null : this.#chain.salt(record);
    const words = salt === null ? null : { salt, ...receiptWordsOf(record) };
    const figures = receiptFiguresOf(record);
    const link = sha256(linkText({ sequence, previous: this.#hash, wordsDigest }, figures));
    if (sequence !== this.#sequence + 1 || link !== kept) throw differs(this.#sequence + 1);
    if (words !== null && sha256(wordsText(words.salt, words)) !== wordsDigest) throw differs(sequence);
    this.#hash = kept;
    this.#sequence = sequence;
    return { type: 'receipt', sequence, figures, words, wordsDigest, hash: kept };
  }

  /** The checkpoint, if it matches the record taken last and its signature is valid. */
  agreed(checkpoint: Checkpoint, kind: CheckpointKind): Checkpoint {
    if (checkpoint.last !== this.#sequence || checkpoint.hash !== this.#hash || !isSignedByOne(this.#chain.keys, checkpoint, kind)) {
      throw differs(this.#sequence);
    }
    return checkpoint;
  }
}

/**
 * Where the chain begins after its earlier records were removed for their age; null: with its first. @throws StoreFault `receipts_differ` if
 * that is not signed.
 */
export function signedBeginning({ pruned, keys }: Pick<OpenChain, 'pruned' | 'keys'>): Checkpoint | null {
  if (pruned !== null && !isSignedByOne(keys, pruned, 'pruned')) throw differs(pruned.last);
  return pruned;
}

function followEachOther({ organization, keys }: OpenChain): boolean {
  return keys.every((to, index) => {
    const from = keys[index - 1];
    if (from === undefined || to.follows === null) return from === undefined && to.follows === null;
    const text = keyFollowsText(organization, { from, to, at: to.follows.at });
    return isSigned({ text, publicKey: from.publicKey, signature: to.follows.signedByPrevious })
      && isSigned({ text, publicKey: to.publicKey, signature: to.follows.signedByItself });
  });
}

function isSignedByOne(keys: readonly ReceiptKey[], checkpoint: Checkpoint, kind: CheckpointKind): boolean {
  const key = keys.find(({ id }) => id === checkpoint.key);
  return key !== undefined && isSigned({ text: checkpointText(kind, checkpoint), publicKey: key.publicKey, signature: checkpoint.signature });
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function differs(sequence: number): StoreFault {
  return new StoreFault('receipts_differ', `The records in the store are not those that their receipts are of, from sequence ${sequence} on. `
    + 'No file was signed. Compare with an earlier file of receipts, or with a backup.');
}
