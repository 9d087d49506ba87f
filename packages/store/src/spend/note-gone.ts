/**
 * Notes in the sums of spend that records were removed for their age. What they spent still counts, so that no cap is refunded. How much of a sum
 * belongs to them is stored beside it, so that the sum can still be checked.
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { subjectOf } from '@metergate/core/report/usage-sum.ts';
import type { Transaction } from 'kysely';
import { deleteRows, insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import {
  addedTo, spendColumns, figuresOf, keptColumns, noSpend, orderedAdditionsOf, spendKey, type Addition, type SpendRecord,
} from './apply-spend.ts';
import { cappedLabels } from './capped-labels.ts';
import { addToLabels, labelAdditionsOf, moneyAlone, type LabelChange } from './label-spend.ts';
import { allDaysMs, longestStartMs } from './spend-days.ts';

/** A record that goes. Its cost is what counts as spent: with `counted` of its correction, if there is one. */
export type GoneRecord = SpendRecord & Pick<CallRecord, 'labels'> & { readonly counted?: bigint };

/**
 * Call this in the transaction that removes the records. Of their subjects, days without a record are removed once every window that holds
 * them was over at `endedMs`.
 */
export async function noteGone(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly GoneRecord[], endedMs: number,
): Promise<void> {
  const additions = orderedAdditionsOf(records);
  const ofLabels = labelAdditionsOf(await labelChangesOf(transaction, records));
  await insertRows(engine, transaction, inserts[engine], additions);
  await addToLabels(engine, transaction, ofLabels);
  const ended = `day_ms > ${allDaysMs} and day_ms < ${longestStartMs(endedMs)} and gone_calls >= calls`;
  for (const [rows, only] of [[additions, ended], [ofLabels, `${ended} and spent_nano = gone_nano`]] as const) {
    await deleteRows(engine, transaction, { table: 'spend_day', key: spendKey.slice(0, 3), only }, rows.filter(({ dayMs }) => dayMs === allDaysMs));
  }
}

/**
 * The sums of usage lose what these records say. Labels with caps keep it beside them; what is counted of corrections is there already, and is now
 * of a removed record.
 */
async function labelChangesOf(transaction: Transaction<Schema>, records: readonly GoneRecord[]): Promise<LabelChange[]> {
  const labelled = records.filter(({ labels }) => labels.length > 0);
  const organizations = [...new Set(labelled.map(({ organization }) => organization))];
  if (organizations.length === 0) return [];
  const capped = await cappedLabels(transaction, organizations);
  return labelled.flatMap((record): LabelChange[] => {
    const { labels, counted = 0n } = record;
    const withCap = labels.filter((label) => capped.get(record.organization)?.has(subjectOf(label)) === true);
    const others = counted === 0n ? [] : labels.filter((label) => !withCap.includes(label));
    const figures = figuresOf(record);
    return [
      { call: { ...record, labels: withCap }, kept: { ...figures, spent: nanoDollars(figures.spent - counted) }, gone: figures },
      { call: { ...record, labels: others }, kept: noSpend, gone: moneyAlone(counted) },
    ];
  });
}

/** If a sum is missing, it is created from the removed records alone. */
function notingGone(engine: Engine['kind']): BulkInsert<Addition> {
  const gone = spendColumns.map(({ name, gone: column }): BulkColumn<Addition> => ({ name: column, kind: 'whole', value: (a) => a.figures[name] }));
  return { table: 'spend_day', columns: [...spendKey, ...keptColumns, ...gone], adds: addedTo(engine, gone.map(({ name }) => name)) };
}

const inserts = { sqlite: notingGone('sqlite'), postgres: notingGone('postgres') } as const;
