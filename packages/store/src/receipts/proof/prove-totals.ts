/**
 * Figures that hold more than a day, each compared by one statement and so at one moment: months of labels with their days, all days of spend with
 * each of them, runs with their records.
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
const text = (columns: readonly string[]): string => columns.map((column) => `cast(${column} as text)`).join(` || ' ' || `);

/** Sums of labels and of their sets by month are those of their days; where no day is kept any more, nothing is compared. */
export async function proveMonth(engine: Engine, organization: OrganizationId, monthMs: number): Promise<readonly TotalDifference[]> {
  const [from, to] = [BigInt(monthMs), BigInt(monthAfter(monthMs))];
  const sums = raw(figureColumnNames.map((name) => `sum(${name}) as ${name}`).join(', '));
  const differs = raw(figureColumnNames.map((name) => `coalesce(m.${name}, 0) <> coalesce(d.${name}, 0)`).join(' or '));
  const kept = raw(text(figureColumnNames.map((name) => `coalesce(m.${name}, 0)`)));
  const derived = raw(text(figureColumnNames.map((name) => `coalesce(d.${name}, 0)`)));
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
      ${raw(text(names.map((name) => `coalesce(a.${name}, 0)`)))} as kept, ${raw(text(names.map((name) => `coalesce(d.${name}, 0)`)))} as derived
    from (select scope, subject, ${sums} from spend_day
      where organization = ${organization} and day_ms <> ${all} group by scope, subject) as d
    full join (select scope, subject, ${left} from spend_day where organization = ${organization} and day_ms = ${all}) as a
      on a.scope = d.scope and a.subject = d.subject
    where ${raw(names.map((name) => `coalesce(a.${name}, 0) <> coalesce(d.${name}, 0)`).join(' or '))} limit ${shownMax}`.execute(db));
  return rows.map((row) => ({ kind: 'spend of all days', ...row }));
}

/** The runs after `after` by their ids, as many as are compared at once, and the last of them; null: there are no more. */
export async function proveRuns(
  engine: Engine, organization: OrganizationId, { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly differences: readonly TotalDifference[]; readonly last: string | null }> {
  // Runs that began before the oldest record that is left spent what nobody can add up any more.
  const { rows } = await engine.read((db) => sql<TextRow & { readonly isSame: bigint | number }>`
    select r.id as place, ${raw(text(['r.spent_nano', 'r.unknown_calls', 'r.unpriced_calls', 'r.gap_calls']))} as kept,
      ${raw(text(['c.spent', 'c.unknown', 'c.unpriced', 'c.gaps']))} as derived,
      case when (r.spent_nano = c.spent and r.unknown_calls = c.unknown and r.unpriced_calls = c.unpriced and r.gap_calls = c.gaps)
        or exists (select 1 from retention as g where g.organization = r.organization and g.gone_before_ms > r.started_at_ms)
        then 1 else 0 end as "isSame"
    from run as r join (select picked.id, coalesce(sum(c.cost_nano), 0) as spent,
        count(case when c.usage in ('unknown', 'partial') and c.settled_by is null then 1 end) as unknown,
        count(case when c.cost_source = 'unpriced' then 1 end) as unpriced, count(c.cost_gaps) as gaps
      from (select id from run where organization = ${organization} and id > ${after} order by id limit ${limit}) as picked
      left join call_record as c on c.organization = ${organization} and c.run = picked.id group by picked.id) as c
      on c.id = r.id
    where r.organization = ${organization} order by r.id`.execute(db));
  return {
    differences: rows.filter(({ isSame }) => Number(isSame) === 0)
      .map(({ place, kept, derived }) => ({ kind: 'run', place, kept, derived })),
    last: rows.length < limit ? null : rows.at(-1)!.place,
  };
}
