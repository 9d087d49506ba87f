/** Whether the store still has every receipt that was exported from it. A store restored to an earlier moment lacks some. */
import type { Store } from '@metergate/store/store.ts';
import { countOf } from '../command-line/counts.ts';
import { chainBehind, readKnownHeads, type ChainBehind } from '../receipts/known-heads.ts';
import { finding, type Finding } from './finding.ts';

export interface ReceiptsLook {
  readonly findings: readonly Finding[];
  /** The first organization whose chain ends before what was seen of it; null: none does. */
  readonly storeBehind: { readonly organization: string; readonly store: number; readonly file: number } | null;
}

/** Empty if no receipts were ever exported or verified here. */
export async function examineReceipts(store: Store, dataDirectory: string): Promise<ReceiptsLook> {
  const heads = readKnownHeads(dataDirectory);
  const found: ChainBehind[] = [];
  for (const head of heads) {
    const behind = await chainBehind(store, head);
    if (behind !== null) found.push(behind);
  }
  const first = found.find(({ shorter }) => shorter);
  return {
    findings: heads.length > 0 && found.length === 0 ? [finding('receipts', 'ok', `The store holds every receipt that was exported here, of ${
      countOf(heads.length, 'organization')}.`)] : found.map(behindFinding),
    storeBehind: first === undefined ? null : { organization: first.organization, store: first.store, file: first.file },
  };
}

function behindFinding({ organization, store, file, shorter }: ChainBehind): Finding {
  return finding('receipts', 'fail', shorter
    ? `The chain of ${organization} ends at ${store}, and a file of receipts went to ${file}: the store was restored to an earlier moment. `
      + 'Records since then are only in that file.'
    : `The chain of ${organization} has another receipt at ${file} than a file of receipts had: the store was restored to an earlier moment, `
      + 'and went on from there.');
}
