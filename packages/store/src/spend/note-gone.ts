/**
 * Notes in the sums of spend that records were removed for their age. What they spent still counts, so that no cap is refunded. How much of a sum
 * belongs to them is stored beside it, so that the sum can still be checked.
 */
import type { Transaction } from 'kysely';
import { deleteRows, insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { orderedAdditionsOf, spendColumns, spendKey, type Addition, type SpendRecord } from './apply-spend.ts';

/**
 * Call this in the transaction that removes the records. Sums of windows that ended by `endedMs` go once none of their records is left.
 */
export async function noteGone(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly SpendRecord[], endedMs: number,
): Promise<void> {
  const additions = orderedAdditionsOf(records);
  const left = await insertRows<Addition, LeftSpend>(engine, transaction, inserts[engine], additions);
  const empty = new Set(left.filter(({ calls, gone_calls: gone }) => gone >= calls).map(({ scope, subject, window, start_ms: startMs }) =>
    nameOf({ scope, subject, window, startMs: Number(startMs) })));
  await deleteRows(engine, transaction, { table: 'spend_sum', key: spendKey },
    additions.filter((each) => each.endMs !== null && each.endMs <= endedMs && empty.has(nameOf(each))));
}

interface LeftSpend {
  readonly scope: string;
  readonly subject: string;
  readonly window: string;
  readonly start_ms: bigint;
  readonly calls: bigint;
  readonly gone_calls: bigint;
}

/** Within an organization. */
function nameOf({ scope, subject, window, startMs }: { readonly [Name in 'scope' | 'subject' | 'window']: string } & { readonly startMs: number }) {
  return `${scope}\0${window}\0${startMs}\0${subject}`;
}

/** A missing sum is made of the removed records only. */
function notingGone(least: 'min' | 'least'): BulkInsert<Addition> {
  const gone: readonly BulkColumn<Addition>[] = [
    { name: 'gone_nano', kind: 'whole', value: (a) => a.spent }, { name: 'gone_calls', kind: 'whole', value: (a) => a.calls },
    { name: 'gone_unknown_calls', kind: 'whole', value: (a) => a.unknownCalls }, { name: 'gone_gap_calls', kind: 'whole', value: (a) => a.gapCalls },
  ];
  const after = `on conflict (organization, scope, subject, "window", start_ms) do update set
    gone_nano = ${least}(spend_sum.gone_nano, 9223372036854775807 - excluded.gone_nano) + excluded.gone_nano,
    gone_calls = spend_sum.gone_calls + excluded.gone_calls,
    gone_unknown_calls = spend_sum.gone_unknown_calls + excluded.gone_unknown_calls,
    gone_gap_calls = spend_sum.gone_gap_calls + excluded.gone_gap_calls
    returning scope, subject, "window", start_ms, calls, gone_calls`;
  return { table: 'spend_sum', columns: [...spendColumns, ...gone], after };
}

const inserts = { sqlite: notingGone('min'), postgres: notingGone('least') } as const;
