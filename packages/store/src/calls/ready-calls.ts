/**
 * What of a batch's records can be made ready before its transaction: the digests of their words, and their columns as PostgreSQL takes them. Both
 * take longer than all else that this thread does for a record, and the transaction holds the chains of its organizations meanwhile. The thread
 * answers questions in between.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { arrayText, postgresRowsMax } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { ChainWriter, ReadyChains } from '../sealing/chain/chain-records.ts';
import { callColumns } from './call-row.ts';

/** Records with what was made ready of them, in their order. */
export interface ReadyCalls {
  readonly records: readonly CallRecord[];
  /** Of their words. */
  readonly digests: readonly string[];
  /** PostgreSQL: for each statement of the insert, the columns of `callColumns`. */
  readonly columns: readonly (readonly string[])[];
}

/** Milliseconds for a hundred of them are two or three. */
const recordsAtOnce = 100;

/** In slices, each in a separate turn of the event loop. On SQLite nobody waits for a chain, and nothing is made ready. */
export async function readyCalls(
  kind: Engine['kind'], parts: { readonly chains: ChainWriter; readonly ready: ReadyChains }, records: readonly CallRecord[],
): Promise<ReadyCalls | null> {
  if (kind === 'sqlite') return null;
  const digests: string[] = [];
  for (let done = 0; done < records.length; done += recordsAtOnce) {
    if (done > 0) await turn();
    for (const record of records.slice(done, done + recordsAtOnce)) digests.push(parts.chains.words(record, parts.ready));
  }
  const columns: string[][] = [];
  for (let done = 0; done < records.length; done += postgresRowsMax) {
    await turn();
    columns.push(await textsOf(records.slice(done, done + postgresRowsMax)));
  }
  return { records, digests, columns };
}

/** Column by column: some are constant and cost nothing, others are texts. */
async function textsOf(records: readonly CallRecord[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { kind, value } of callColumns) {
    texts.push(arrayText(kind, records.map(value)));
    if (texts.length % 10 === 0) await turn();
  }
  return texts;
}

/** What was made ready, if the transaction stores exactly those records; otherwise made now. */
export function readyFor(
  kind: Engine['kind'], parts: { readonly chains: ChainWriter; readonly ready: ReadyChains },
  { found, records }: { readonly found: ReadyCalls | null; readonly records: readonly CallRecord[] },
): ReadyCalls {
  if (found !== null && found.records.length === records.length && found.records.every((record, index) => record === records[index])) return found;
  const columns: string[][] = [];
  if (kind === 'postgres') {
    for (let done = 0; done < records.length; done += postgresRowsMax) {
      const slice = records.slice(done, done + postgresRowsMax);
      columns.push(callColumns.map((column) => arrayText(column.kind, slice.map(column.value))));
    }
  }
  return { records, digests: records.map((record) => parts.chains.words(record, parts.ready)), columns };
}
