/**
 * Runs compared with what their calls add up to. A run may have millions of calls, so it is compared with the sums of its days, which are compared
 * with the records before; only one that differs from those is compared with its records, or each of them where the sums are not to be trusted. Each
 * statement reads at one moment.
 */
import { sql, type RawBuilder } from 'kysely';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Engine } from '../../engine/engine.ts';
import { textOfColumns, type TotalDifference } from './prove-totals.ts';

/** How far the runs of an organization are compared. */
export type RunsPlace =
  /** All of them, by their ids. */
  | { readonly after: string }
  /** Those that had calls since a day, by that day: a run may come several times. */
  | { readonly dayMs: number; readonly after: string };

export interface RunsLook {
  readonly differences: readonly TotalDifference[];
  /** Where the next look begins; null: there are no more. */
  readonly next: RunsPlace | null;
}

/** Runs that are compared by one statement. */
const runsAtOnce = 200;
/** Records are read of those that differ from the sums, and of so many at once. */
const readAtOnce = 5;

/** Where a comparison begins. `sinceMs`: the first instant of a day; null: all runs are compared. */
export function firstRuns(sinceMs: number | null): RunsPlace {
  return sinceMs === null ? { after: '' } : { dayMs: sinceMs, after: '' };
}

/** Whether a run may be right if it agrees with the sums of its days; those that were wrong and stayed so are wrong by as much as the run, maybe. */
type TrustedSums = (run: string) => boolean;

/** The next runs. */
export async function proveRuns(
  engine: Engine, organization: OrganizationId, { place, trusted }: { readonly place: RunsPlace; readonly trusted: TrustedSums },
): Promise<RunsLook> {
  const { ids, next } = await picked(engine, organization, place);
  const untrusted = ids.filter((id) => !trusted(id));
  const summed = ids.filter(trusted);
  const suspects = summed.length === 0 ? [] : await compared(engine, { organization, ids: summed, sums: ofDays(organization, summed) });
  const read = [...untrusted, ...suspects.map((each) => each.place)];
  const differences: TotalDifference[] = [];
  for (let from = 0; from < read.length; from += readAtOnce) {
    const some = read.slice(from, from + readAtOnce);
    differences.push(...await compared(engine, { organization, ids: some, sums: ofRecords(organization, some) }));
  }
  return { differences, next };
}

interface Picked {
  readonly ids: readonly string[];
  readonly next: RunsPlace | null;
}

async function picked(engine: Engine, organization: OrganizationId, place: RunsPlace): Promise<Picked> {
  if (!('dayMs' in place)) {
    const rows = await engine.read((db) => db.selectFrom('run').select('id').where('organization', '=', organization).where('id', '>', place.after)
      .orderBy('id').limit(runsAtOnce).execute());
    return { ids: rows.map(({ id }) => id), next: rows.length < runsAtOnce ? null : { after: rows.at(-1)!.id } };
  }
  const rows = await engine.read((db) => db.selectFrom('usage_sum').select(['day_ms', 'subject']).where('organization', '=', organization)
    .where('dimension', '=', 'run').where(sql<boolean>`(day_ms, subject) > (${BigInt(place.dayMs)}, ${place.after})`)
    .orderBy('day_ms').orderBy('subject').limit(runsAtOnce).execute());
  const last = rows.at(-1);
  return {
    ids: [...new Set(rows.map(({ subject }) => subject))],
    next: last === undefined || rows.length < runsAtOnce ? null : { dayMs: Number(last.day_ms), after: last.subject },
  };
}

const counted = ['spent', 'unknown', 'unpriced', 'gaps'] as const;
const kept = ['r.spent_nano', 'r.unknown_calls', 'r.unpriced_calls', 'r.gap_calls'] as const;

function ofDays(organization: OrganizationId, ids: readonly string[]): RawBuilder<unknown> {
  return sql`select subject as id, sum(cost_nano) as spent, sum(unknown_calls) as unknown, sum(unpriced_calls) as unpriced, sum(gap_calls) as gaps
    from word_sum where organization = ${organization} and dimension = 'run' and subject in (${sql.join(ids)}) group by subject`;
}

function ofRecords(organization: OrganizationId, ids: readonly string[]): RawBuilder<unknown> {
  return sql`select run as id, sum(cost_nano) as spent, count(case when usage in ('unknown', 'partial') and settled_by is null then 1 end) as unknown,
      count(case when cost_source = 'unpriced' then 1 end) as unpriced, count(cost_gaps) as gaps
    from call_record where organization = ${organization} and run in (${sql.join(ids)}) group by run`;
}

interface Compared {
  readonly organization: OrganizationId;
  readonly ids: readonly string[];
  /** Rows of `id` and of what is counted; a run without a row has nothing. */
  readonly sums: RawBuilder<unknown>;
}

/** Those of these runs that differ. Runs that began before the oldest record that is left spent what nobody can add up any more. */
async function compared(engine: Engine, { organization, ids, sums }: Compared): Promise<readonly TotalDifference[]> {
  const derived = counted.map((name) => `coalesce(c.${name}, 0)`);
  const { rows } = await engine.read((db) => sql<Omit<TotalDifference, 'kind'>>`
    select r.id as place, ${sql.raw(textOfColumns(kept))} as kept, ${sql.raw(textOfColumns(derived))} as derived
    from run as r left join (${sums}) as c on c.id = r.id
    where r.organization = ${organization} and r.id in (${sql.join(ids)})
      and (${sql.raw(derived.map((name, index) => `${kept[index]} <> ${name}`).join(' or '))})
      and not exists (select 1 from retention as g where g.organization = r.organization and g.gone_before_ms > r.started_at_ms)
    order by r.id`.execute(db));
  return rows.map((row) => ({ kind: 'run', ...row }));
}
