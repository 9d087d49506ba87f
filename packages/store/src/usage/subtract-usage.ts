/**
 * Subtracts call records from the sums of usage, inside the transaction that removes them: the same rows in the same order as `applyUsage`
 * adds to. Sums without calls are removed.
 */
import type { UsageFigures, UsageRecord, WholeFigure } from '@metergate/core/report/usage-sum.ts';
import type { Transaction } from 'kysely';
import { deleteRows, insertRows, type BulkColumn, type BulkDelete, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { sumKeys } from './apply-usage.ts';
import { figureColumnNames, subtractedOnConflict } from './figure-columns.ts';
import { orderedUsageAdditionsOf } from './usage-additions.ts';

/** `attributions`: as for `applyUsage`. */
export async function subtractUsage(
  engine: Engine['kind'], transaction: Transaction<Schema>, records: readonly UsageRecord[], attributions: readonly number[],
): Promise<void> {
  const { named, attributed, words } = orderedUsageAdditionsOf(records, attributions);
  await subtractAll(engine, transaction, subtractions[engine].named, named);
  await subtractAll(engine, transaction, subtractions[engine].attributed, attributed);
  await subtractAll(engine, transaction, subtractions[engine].words, words);
}

/** What is left of one sum: its key under its columns' names, and its calls. */
type LeftSum = Readonly<Record<string, string | bigint>> & { readonly calls: bigint };

interface Subtraction<Row> {
  readonly single: BulkDelete<Row>;
  readonly insert: BulkInsert<Row>;
  readonly empty: BulkDelete<LeftSum>;
}

/** A sum of only one call is deleted at once: if a caller gives each call its own name, that is nearly every sum. */
async function subtractAll<Row extends Figured>(
  engine: Engine['kind'], transaction: Transaction<Schema>, { single, insert, empty }: Subtraction<Row>, rows: readonly Row[],
): Promise<void> {
  const names = single.key.map(({ name }) => name);
  const gone = await deleteRows(engine, transaction, single, rows.filter(({ figures }) => figures[0] === 1));
  const used = new Set(gone.map((key) => names.map((name) => key[name]).join('\0')));
  const shared = gone.length === 0 ? rows : rows.filter((row) => !used.has(single.key.map(({ value }) => value(row)).join('\0')));
  const left = await insertRows<Row, LeftSum>(engine, transaction, insert, shared);
  await deleteRows(engine, transaction, empty, left.filter(({ calls }) => calls <= 0n));
}

type Figured = { readonly figures: UsageFigures };
const lessFigures = figureColumnNames.map((name, index): BulkColumn<Figured> =>
  ({ name, kind: 'whole', value: (row) => less(row.figures[index]!) }));

/** Never negative zero. */
function less(figure: WholeFigure): WholeFigure {
  return typeof figure === 'bigint' ? -figure : 0 - figure;
}

/** A missing sum would become negative; it is removed at once, like one that is used up. */
function subtractionsOf(engine: Engine['kind']) {
  const from = <Row extends Figured>(table: string, key: readonly BulkColumn<Row>[]): Subtraction<Row> => {
    const names = key.map(({ name }) => name).join(', ');
    return {
      single: { table, key, only: `${table}.calls <= 1` },
      insert: {
        table, columns: [...key, ...lessFigures],
        after: `on conflict (${names}) do update set ${subtractedOnConflict(engine, table)} returning ${names}, calls`,
      },
      empty: { table, key: key.map(({ name, kind }) => ({ name, kind, value: (row: LeftSum) => row[name]! })) },
    };
  };
  return { named: from('usage_sum', sumKeys.named), attributed: from('attribution_sum', sumKeys.attributed), words: from('word_sum', sumKeys.words) };
}

const subtractions = { sqlite: subtractionsOf('sqlite'), postgres: subtractionsOf('postgres') };
