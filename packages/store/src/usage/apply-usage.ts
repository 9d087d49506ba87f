/**
 * Adds call records to the sums of usage, inside the transaction that stores the records and their mark. So reports always equal the records.
 * Rules: Journal; rule 5a.
 */
import type { UsageFigures, UsageRecord } from '@metergate/core/report/usage-sum.ts';
import { sendRows, type Adding, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { addedOnConflict, figureColumnNames } from './figure-columns.ts';
import {
  orderedUsageAdditionsOf, usageAdditionsOf, type AttributionAddition, type NamedAddition, type UsageAdditions, type WordAddition,
} from './usage-additions.ts';

/**
 * Adds what `records` used. Call this in the transaction that stores them, with exactly those that it stores. `attributions`: their
 * numbers, in the order of the records.
 */
export function applyUsage(engine: Engine['kind'], send: Send, records: readonly UsageRecord[], attributions: readonly number[]): void {
  // On SQLite nobody else writes meanwhile, so no order is needed.
  const additionsOf = engine === 'sqlite' ? usageAdditionsOf : orderedUsageAdditionsOf;
  sendUsage(engine, send, additionsOf(records, attributions));
}

/** Adds these to their sums; in the order of each table's key, except on SQLite. */
export function sendUsage(engine: Engine['kind'], send: Send, { named, attributed, words }: UsageAdditions): void {
  sendRows(engine, send, inserts[engine].named, named);
  sendRows(engine, send, inserts[engine].attributed, attributed);
  sendRows(engine, send, inserts[engine].words, words);
}

const figures = figureColumnNames.map((name, index): BulkColumn<{ readonly figures: UsageFigures }> =>
  ({ name, kind: 'whole', value: (row) => row.figures[index]! }));

/** The keys of the three tables of sums. */
export const sumKeys = {
  named: [
    { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'dimension', kind: 'text', value: (row) => row.dimension },
    { name: 'day_ms', kind: 'whole', value: (row) => row.dayMs }, { name: 'subject', kind: 'text', value: (row) => row.subject },
  ] satisfies readonly BulkColumn<NamedAddition>[],
  attributed: [
    { name: 'attribution', kind: 'whole', value: (row) => row.attribution }, { name: 'span', kind: 'text', value: (row) => row.span },
    { name: 'start_ms', kind: 'whole', value: (row) => row.startMs },
  ] satisfies readonly BulkColumn<AttributionAddition>[],
  words: [
    { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'dimension', kind: 'text', value: (row) => row.dimension },
    { name: 'subject', kind: 'text', value: (row) => row.subject }, { name: 'day_ms', kind: 'whole', value: (row) => row.dayMs },
    { name: 'attribution', kind: 'whole', value: (row) => row.attribution },
  ] satisfies readonly BulkColumn<WordAddition>[],
};

function addsTo(engine: Engine['kind'], table: string, key: readonly { readonly name: string }[]): Adding {
  return { key: key.map(({ name }) => name).join(', '), set: addedOnConflict(engine, table) };
}

function insertsOf(engine: Engine['kind']) {
  const into = <Row extends { readonly figures: UsageFigures }>(table: string, key: readonly BulkColumn<Row>[]): BulkInsert<Row> => ({
    table, columns: [...key, ...figures],
    adds: addsTo(engine, table, key),
  });
  const words: BulkInsert<WordAddition> = into('word_sum', sumKeys.words);
  const wordsAdd = addsTo(engine, 'word_sum', sumKeys.words);
  return {
    named: {
      ...into<NamedAddition>('usage_sum', sumKeys.named), values: (row) => [row.organization, row.dimension, row.dayMs, row.subject, ...row.figures],
    } satisfies BulkInsert<NamedAddition>,
    attributed: {
      ...into<AttributionAddition>('attribution_sum', sumKeys.attributed), values: (row) => [row.attribution, row.span, row.startMs, ...row.figures],
    } satisfies BulkInsert<AttributionAddition>,
    words: {
      ...words, columns: [...words.columns, { name: 'hours', kind: 'whole', value: (row) => row.hours }],
      values: (row) => [row.organization, row.dimension, row.subject, row.dayMs, row.attribution, ...row.figures, row.hours],
      // If the hours of some calls are not known, neither are those of the sum.
      adds: { ...wordsAdd, set: `${wordsAdd.set}, hours = word_sum.hours | excluded.hours` },
    } satisfies BulkInsert<WordAddition>,
  };
}

const inserts = { sqlite: insertsOf('sqlite'), postgres: insertsOf('postgres') };
