/** Records against their receipts, page by page: each links to the one before it, and the last one is where the chain ends. */
import { recordLinkText } from '@metergate/core/books/receipt/record-texts.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Engine } from '../../engine/engine.ts';
import { hashBefore, pageOfChain, prunedIn } from '../chain-reading.ts';
import { sha256 } from '../../sealing/chain/receipt-keys.ts';

interface ChainLook {
  /** Records up to this sequence are whole. */
  readonly through: number;
  /** The first sequence at which the record is missing or is not the one that got the receipt; null: none was found. */
  readonly broken: number | null;
  /** The end was reached. */
  readonly isWhole: boolean;
  /** The sequence that was looked for as the end. */
  readonly end: number;
}

/** `upTo`: the last sequence that is compared, if the chain is that long; null: its end of this moment. */
interface ChainPart {
  readonly after: number;
  readonly upTo: number | null;
  readonly limit: number;
}

/** The next page after `after`. */
export async function proveChain(engine: Engine, organization: OrganizationId, { after, upTo, limit }: ChainPart): Promise<ChainLook> {
  return engine.read(async (db) => {
    const head = await db.selectFrom('receipt_chain').select(['sequence', 'hash']).where('organization', '=', organization).executeTakeFirst();
    const last = Number(head?.sequence ?? 0n);
    const start = Math.max(after, (await prunedIn(db, organization))?.last ?? 0);
    const end = Math.min(last, upTo ?? last);
    if (start >= end) return { through: start, broken: null, isWhole: true, end };
    let previous = await hashBefore(db, organization, start + 1);
    if (previous === null) return { through: start, broken: start, isWhole: false, end };
    const page = await pageOfChain(db, organization, { first: start + 1, last: end, limit });
    let through = start;
    for (const { record, sequence, hash, wordsDigest } of page) {
      if (sequence !== through + 1 || sha256(recordLinkText({ sequence, previous, wordsDigest }, record)) !== hash) {
        return { through, broken: through + 1, isWhole: false, end };
      }
      [through, previous] = [sequence, hash];
    }
    if (page.length < limit && through < end) return { through, broken: through + 1, isWhole: false, end };
    if (through === last && previous !== Buffer.from(head!.hash).toString('hex')) {
      return { through: through - 1, broken: through, isWhole: false, end };
    }
    return { through, broken: null, isWhole: through === end, end };
  });
}
