/**
 * Figures that hold more than a day, each compared by one statement and so at one moment: months of labels with their days, all days of spend with
 * each of them.
 */
import { sql } from 'kysely';
import type { OrganizationId } from '@metergate/core/id.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import type { Engine } from '../../engine/engine.ts';
import { allDaysMs } from '../../spend/spend-days.ts';
import { spendColumns } from '../../spend/apply-spend.ts';
import { figureColumnNames } from '../../usage/figure-columns.ts';
import { setDimension } from '../../usage/label-sets.ts';
import { labelMonths } from '../../usage/usage-additions.ts';

/** In words that a person can look up. */
export interface TotalDifference {
  readonly kind: 'label month' | 'spend of all days' | 'run';
  readonly place: string;
  readonly kept: string;
  readonly derived: string;
}

const raw = sql.raw;
const shownMax = 20;
type TextRow = Readonly<Record<'place' | 'kept' | 'derived', string>>;

/** The text of several columns: both engines write whole numbers alike. */
export const textOfColumns = (columns: readonly string[]): string => columns.map((column) => `cast(${column} as text)`).join(` || ' ' || `);

/** Sums of labels and of their sets by month are those of their days; where no day is kept any more, nothing is compared. */
export async function proveMonth(engine: Engine, organization: OrganizationId, monthMs: number): Promise<readonly TotalDifference[]> {
  const [from, to] = [BigInt(monthMs), BigInt(monthAfter(monthMs))];
  const sums = raw(figureColumnNames.map((name) => `sum(${name}) as ${name}`).join(', '));
  const differs = raw(figureColumnNames.map((name) => `coalesce(m.${name}, 0) <> coalesce(d.${name}, 0)`).join(' or '));
  const kept = raw(textOfColumns(figureColumnNames.map((name) => `coalesce(m.${name}, 0)`)));
  const derived = raw(textOfColumns(figureColumnNames.map((name) => `coalesce(d.${name}, 0)`)));
  const of = (month: string, days: ReturnType<typeof sql>) => engine.read((db) => sql<TextRow>`
    select coalesce(d.subject, m.subject) as place, ${kept} as kept, ${derived} as derived from (
      select subject, attribution, ${sums} from word_sum where organization = ${organization} and ${days} and day_ms >= ${from} and day_ms < ${to}
      group by subject, attribution) as d
    full join (select subject, attribution, ${raw(figureColumnNames.join(', '))} from word_sum
      where organization = ${organization} and dimension = ${month} and day_ms = ${from}) as m
      on m.subject = d.subject and m.attribution = d.attribution
    where ${differs} limit ${shownMax}`.execute(db));
  const labels = await of(labelMonths, sql`dimension = 'label'`);
  const sets = await of(setDimension.month(monthMs), sql`dimension >= 'sets/' and dimension < 'sets0'`);
  const month = new Date(monthMs).toISOString().slice(0, 7);
  return [...labels.rows, ...sets.rows].map((row) => ({ kind: 'label month', ...row, place: `${month} ${row.place}` }));
}

/** The row of all days, which windows of all time go by, is the sum of the others, each without what is removed for its age. */
export async function proveAllDays(engine: Engine, organization: OrganizationId): Promise<readonly TotalDifference[]> {
  const names = spendColumns.map(({ kept }) => kept);
  const left = raw(spendColumns.map(({ kept, gone }) => `${kept} - ${gone} as ${kept}`).join(', '));
  const sums = raw(spendColumns.map(({ kept, gone }) => `sum(${kept} - ${gone}) as ${kept}`).join(', '));
  const all = BigInt(allDaysMs);
  const { rows } = await engine.read((db) => sql<TextRow>`
    select coalesce(d.scope, a.scope) || ' ' || coalesce(d.subject, a.subject) as place,
      ${raw(textOfColumns(names.map((name) => `coalesce(a.${name}, 0)`)))} as kept,
      ${raw(textOfColumns(names.map((name) => `coalesce(d.${name}, 0)`)))} as derived
    from (select scope, subject, ${sums} from spend_day
      where organization = ${organization} and day_ms <> ${all} group by scope, subject) as d
    full join (select scope, subject, ${left} from spend_day where organization = ${organization} and day_ms = ${all}) as a
      on a.scope = d.scope and a.subject = d.subject
    where ${raw(names.map((name) => `coalesce(a.${name}, 0) <> coalesce(d.${name}, 0)`).join(' or '))} limit ${shownMax}`.execute(db));
  return rows.map((row) => ({ kind: 'spend of all days', ...row }));
}
