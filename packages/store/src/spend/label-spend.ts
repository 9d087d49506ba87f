/**
 * What labels spent beside the sums of usage, which hold what their records say: what is counted of corrections, and what was removed for its age.
 * It is kept whether or not a label has a cap, except for removed records: of those only labels with a cap keep what they spent (decision 161).
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { subjectOf } from '@metergate/core/report/usage-sum.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import type { Transaction } from 'kysely';
import { insertRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { addSpend, spendColumns, inOrder, keptColumns, noSpend, spendKey, type Addition, type SpendFigures } from './apply-spend.ts';
import { allDaysMs } from './spend-days.ts';

/** What the rows of one call's labels gain. Money may be negative. */
export interface LabelChange {
  readonly call: Pick<CallRecord, 'organization' | 'startedAtMs'> & { readonly labels: readonly string[] };
  readonly kept: SpendFigures;
  /** The part of removed records. */
  readonly gone: SpendFigures;
}

interface LabelAddition extends Addition {
  readonly gone: Addition['figures'];
}

/** In the order of the table's key; each label of a call counts once. */
export function labelAdditionsOf(changes: readonly LabelChange[]): LabelAddition[] {
  const all = new Map<string, LabelAddition>();
  for (const { call: { organization, labels, startedAtMs }, kept, gone } of changes) {
    for (const subject of new Set(labels.map(subjectOf))) {
      for (const dayMs of [dayOf(startedAtMs), allDaysMs]) {
        const name = `${organization}\0${dayMs}\0${subject}`;
        let known = all.get(name);
        if (known === undefined) {
          all.set(name, known = { organization, scope: 'label', subject, dayMs, figures: { ...noSpend }, gone: { ...noSpend } });
        }
        addSpend(known.figures, kept);
        addSpend(known.gone, gone);
      }
    }
  }
  return [...all.values()].sort(inOrder);
}

/** Money alone. */
export function moneyAlone(amount: bigint): SpendFigures {
  return { ...noSpend, spent: nanoDollars(amount) };
}

/** To be called after the rows of other scopes are written, so that two writers meet there first and never deadlock. */
export async function addToLabels(
  engine: Engine['kind'], transaction: Transaction<Schema>, additions: readonly LabelAddition[],
): Promise<void> {
  await insertRows(engine, transaction, inserts[engine], additions);
}

/** Sums saturate at the 64-bit bounds, as those of records do. */
function adding(engine: Engine['kind']): BulkInsert<LabelAddition> {
  const gone = spendColumns.map(({ name, gone: column }): BulkColumn<LabelAddition> =>
    ({ name: column, kind: 'whole', value: (a) => a.gone[name] }));
  const [least, most] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  const sum = (name: string): string => (!name.endsWith('_nano') ? `spend_day.${name} + excluded.${name}`
    : `${most}(${least}(spend_day.${name}, 9223372036854775807 - ${most}(excluded.${name}, 0)),
        -9223372036854775807 - ${least}(excluded.${name}, 0)) + excluded.${name}`);
  const columns = [...keptColumns, ...gone];
  return {
    table: 'spend_day', columns: [...spendKey, ...columns],
    after: `on conflict (organization, scope, subject, day_ms) do update set ${columns.map(({ name }) => `${name} = ${sum(name)}`).join(', ')}`,
  };
}

const inserts = { sqlite: adding('sqlite'), postgres: adding('postgres') } as const;
