/** Reads parts of an answer from the records, in slices: parts of days, and what no sum holds. */
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { attributionDimensions, subjectLengthMax } from '@metergate/core/report/usage-sum.ts';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { leadsTo, upstreamInPath } from '../engine/upstream-in-path.ts';
import { othersFirst } from '../threads/others-first.ts';
import { readAhead, readAtOnce } from '../threads/read-ahead.ts';
import { attributionsThatFit } from './attributions.ts';
import { partReadingOf, timeOf, type PartColumn, type UsagePart } from './usage-part.ts';
import { attributionFilter, shapeOf, type Span, type UsageQuery, type WordApart } from './usage-query.ts';

export interface RecordParts {
  /** From the records, slice by slice. */
  records(query: UsageQuery, span: Span): AsyncGenerator<readonly UsagePart[], void, undefined>;
  /** The same of calls that have a run or a session. */
  recordsWith(word: WordApart, query: UsageQuery, span: Span): AsyncGenerator<readonly UsagePart[], void, undefined>;
}

/** The period whose records one statement adds up: a tenth of a second of the engine's time in a busy organization. */
const sliceMs = dayLengthMs;

export function recordPartsIn(engine: Engine): RecordParts {
  const { kind } = engine;
  const partsOf = partReadingOf(engine);
  return {
    async *records(query, span) {
      for (const slice of slicesOf(span)) {
        yield await partsOf('calls', recordColumns(query), (sums) => recordsStatement(kind, query, slice, { sums }));
        await othersFirst();
      }
    },
    async *recordsWith(word, query, span) {
      const read = async (slice: Span): Promise<readonly UsagePart[]> => {
        const those = word === 'session' ? withSession[kind] : await withRunOf(engine, query.organization, slice);
        return those === null ? [] : partsOf('calls', recordColumns(query), (sums) => recordsStatement(kind, query, slice, { sums, ...those }));
      };
      for await (const parts of readAhead(slicesOf(span), readAtOnce[kind], read)) {
        yield parts;
        await othersFirst();
      }
    },
  };
}

function slicesOf({ fromMs, toMs }: Span): Span[] {
  const slices: Span[] = [];
  for (let at = fromMs; at < toMs; at = (Math.floor(at / sliceMs) + 1) * sliceMs) {
    slices.push({ fromMs: at, toMs: Math.min(toMs, (Math.floor(at / sliceMs) + 1) * sliceMs) });
  }
  return slices;
}

/** Some of the records. */
interface OnlyThose {
  /** What is true of them. */
  readonly only: RawBuilder<unknown>;
  /** By which index they are found; absent: the engine knows. */
  readonly by?: RawBuilder<unknown>;
}

/** Left to itself SQLite goes through all sessions there ever were, since it need not sort then. */
const withSession: { readonly [Kind in Engine['kind']]: OnlyThose } = {
  sqlite: { only: sql`session is not null`, by: sql` indexed by call_record_with_session` }, postgres: { only: sql`session is not null` },
};

/** The day's records with a run: they are found by the names of its runs, which sums tell. Null: there are none. */
async function withRunOf(engine: Engine, organization: string, { fromMs }: Span): Promise<OnlyThose | null> {
  const found = await engine.rows(sql`select subject from usage_sum
    where organization = ${organization} and dimension = 'run' and day_ms = ${BigInt(dayOf(fromMs))} and subject <> ''`);
  const runs = found.map(([run]) => run as string);
  if (runs.length === 0) return null;
  // A sum's name may have been cut or replaced, and is not the record's then.
  if (runs.some((run) => run.length >= subjectLengthMax || run.includes('\uFFFD'))) return { only: sql`run is not null` };
  return { only: engine.kind === 'postgres' ? sql`run = any(${runs}::text[])` : sql`run in (select value from json_each(${JSON.stringify(runs)}))` };
}

/** Attributions only where their names are asked for: whatever else distinguishes rows makes fewer of them. */
function recordColumns(query: UsageQuery): readonly PartColumn[] {
  const { by } = query;
  const named = attributionDimensions.some((name) => by.includes(name));
  const words = (['run', 'session', 'upstream'] as const).filter((name) => by.includes(name));
  return [...(named ? ['attribution' as const] : []), ...(by.includes('label') ? ['labels' as const] : []), ...words, ...timeOf(query)];
}

function recordsStatement(
  kind: Engine['kind'], query: UsageQuery, { fromMs, toMs }: Span,
  { sums, only, by = sql`` }: { readonly sums: RawBuilder<unknown> } & Partial<OnlyThose>,
): RawBuilder<unknown> {
  const { organization, filter = {} } = query;
  const columns = recordColumns(query);
  const values = columns.map((name) => name === 'upstream' ? upstreamInPath(kind, sql.ref('path'))
    : name === 'start_ms' ? sql.raw(`started_at_ms - started_at_ms % ${shapeOf(query).time === 'hour' ? hourMs : dayLengthMs}`) : sql.ref(name));
  const fits = attributionFilter(query);
  const conditions = [
    ...(Object.keys(fits).length === 0 ? [] : [sql`attribution in (${attributionsThatFit(organization, fits)})`]),
    ...(filter.run === undefined ? [] : [sql`run = ${filter.run}`]),
    ...(filter.session === undefined ? [] : [sql`session = ${filter.session}`]),
    ...(filter.upstream === undefined ? [] : [leadsTo(filter.upstream, sql.ref('path'))]),
    ...(filter.label === undefined ? [] : [hasLabel(kind, filter.label)]),
    ...(only === undefined ? [] : [only]),
  ].map((condition) => sql` and ${condition}`);
  const chosen = sql.join(columns.map((name, index) => sql`${values[index]!} as ${sql.ref(name)}, `), sql``);
  return sql`select ${chosen}${sums} from call_record${by}
    where organization = ${organization} and started_at_ms >= ${BigInt(fromMs)} and started_at_ms < ${BigInt(toMs)}${sql.join(conditions, sql``)}
    ${values.length === 0 ? sql`` : sql`group by ${sql.join(values)}`}`;
}

/** Whether a record's labels hold this one. The plain text search comes first: it is cheap and usually decides. */
export function hasLabel(kind: 'sqlite' | 'postgres', label: string): RawBuilder<boolean> {
  const text = JSON.stringify(label);
  if (kind === 'postgres') return sql<boolean>`(strpos(labels, ${text}) > 0 and cast(labels as jsonb) ? ${label})`;
  return sql<boolean>`(instr(labels, ${text}) > 0 and exists (select 1 from json_each(labels) where value = ${label}))`;
}
