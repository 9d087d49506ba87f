/**
 * A report of any length, read in shares of its rows, so that no more of it is in memory than an answer has. Which rows come together is decided by
 * their names. Each row is read once; calls that are recorded meanwhile may be in some rows and not in others. Decision 271.
 */
import type { UsageShare } from '@metergate/store/usage/usage-query.ts';
import type { UseCaseContext } from '../context.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { rowsMax, type UsagePartAsked } from '../usage.ts';

/** The rows of a part of the report. Null: there are more than `atOnce`. */
export type ReadUsagePart<Row> = (part: UsagePartAsked) => Promise<Row[] | AdministrationRefusal | null>;

/** Into how many a share is divided that holds too many rows, and into how many a report is at most: more than any store has rows for. */
const division = 8;
const sharesMax = division ** 7;

/** At most `atOnce` rows at a time, each time in the order of `read`. Refuses what the first reading refuses. */
export async function inShares<Row>(
  { randomBytes }: Pick<UseCaseContext, 'randomBytes'>, read: ReadUsagePart<Row>, atOnce = rowsMax,
): Promise<{ readonly batches: AsyncIterable<Row[]> } | AdministrationRefusal> {
  // As a share too: what is read as one is read piece by piece.
  const share: UsageShare = { index: 0, of: 1, seed: Buffer.from(randomBytes(4)).readUInt32LE() };
  const first = await read({ share, atOnce });
  if (isRefusal(first)) return first;
  return { batches: first === null ? divided(read, { share, atOnce }) : batchOf(first) };
}

async function* batchOf<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows;
}

async function* divided<Row>(read: ReadUsagePart<Row>, { share, atOnce }: Required<UsagePartAsked>): AsyncGenerator<Row[]> {
  for (let at = 0; at < division; at += 1) {
    const part = { index: share.index + share.of * at, of: share.of * division, seed: share.seed };
    if (part.of > sharesMax) throw new Error('usage: many rows have names that no share parts');
    const rows = await read({ share: part, atOnce });
    // The organization was there when the first rows were read.
    if (isRefusal(rows)) throw new Error(rows.refused.message);
    if (rows === null) yield* divided(read, { share: part, atOnce });
    else if (rows.length > 0) yield rows;
  }
}
