/**
 * Reads the sums that make up an answer, with one statement over one key range for each source. The results are parts: figures with as many
 * dimensions as the question needs. Partial days are read from the records, in slices.
 */
import { attributionDimensions, subjectOf, type AttributionDimension, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import { dayLengthMs } from '@metergate/core/time/utc-day.ts';
import { sql, type RawBuilder } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { StoreFault } from '../engine/fault.ts';
import { othersFirst } from '../threads/others-first.ts';
import { attributionsThatFit, type AttributionFilter } from './attributions.ts';
import { figuresOfRow, summedFigures, type FigureRow, type FigureSource } from './figure-columns.ts';
import { setDimension } from './label-sets.ts';
import { hourlyLabels, labelMonths, namedHours } from './usage-additions.ts';
import { leadsTo, upstreamInPath } from '../engine/upstream-in-path.ts';
import { shapeOf, type Span, type UsageQuery } from './usage-query.ts';

/** Figures of some calls. What the question does not need is null. */
export interface UsagePart {
  readonly attribution: bigint | null;
  /** The attribution's names that the question needs, in the order of `attributionDimensions`; null: look them up by its number. */
  readonly names: Readonly<Record<string, string>> | null;
  /** The subject of a named sum in its one dimension. */
  readonly subject: string | null;
  /** JSON array; null: none, or not asked for. */
  readonly labels: string | null;
  readonly run: string | null;
  readonly session: string | null;
  readonly upstream: string | null;
  /** The first instant of the day, month or hour that they started in. */
  readonly startMs: number | null;
  readonly figures: UsageFigures;
}

type PartRow = FigureRow & {
  readonly attribution?: bigint; readonly subject?: string; readonly labels?: string | null; readonly run?: string | null;
  readonly session?: string | null; readonly upstream?: string | null;
  readonly start_ms?: bigint;
};

export interface UsageParts {
  /** Sums by day of one dimension, or of `day` itself. */
  named(query: UsageQuery, dimension: string, span: Span): Promise<readonly UsagePart[]>;
  attributed(query: UsageQuery, spanName: 'day' | 'hour', span: Span): Promise<readonly UsagePart[]>;
  words(query: UsageQuery, span: Span): Promise<readonly UsagePart[]>;
  /** Sums of all calls by hour. */
  namedHours(query: UsageQuery, span: Span): Promise<readonly UsagePart[]>;
  /** Sums of labels by hour. */
  labelHours(query: UsageQuery, span: Span): Promise<readonly UsagePart[]>;
  /** Calls with the filter's label and others, by these whole days or months; `labels` has the others. */
  labelSets(query: UsageQuery, unit: 'day' | 'month', starts: readonly number[]): Promise<readonly UsagePart[]>;
  /** Sums of labels only, by whole months. */
  labelMonths(query: UsageQuery, span: Span): Promise<readonly UsagePart[]>;
  /** From the records, slice by slice. */
  records(query: UsageQuery, span: Span): AsyncGenerator<readonly UsagePart[], void, undefined>;
}

/** The period whose records one statement adds up: a tenth of a second of the engine's time in a busy organization. */
const sliceMs = dayLengthMs;
/** Days or months of sets that one statement reads. */
const startsAtOnce = 40;

export function usagePartsIn({ engine }: Pick<StoreContext, 'engine'>): UsageParts {
  const { kind } = engine;

  /** `statement`: given the sums, the whole select. */
  async function partsOf(source: FigureSource, statement: (sums: RawBuilder<unknown>) => RawBuilder<unknown>): Promise<readonly UsagePart[]> {
    const run = (halved: boolean) => engine.read((db) => (statement(summedFigures(kind, source, halved)) as RawBuilder<PartRow>).execute(db));
    const { rows } = await run(false).catch((fault: unknown) => {
      if (kind === 'sqlite' && fault instanceof StoreFault && fault.code === 'store_failed') return run(true);
      throw fault;
    });
    return rows.map((row) => ({
      attribution: row.attribution ?? null, names: row.attribution === undefined ? row as unknown as Readonly<Record<string, string>> : null,
      subject: row.subject ?? null, labels: row.labels ?? null, run: row.run ?? null, session: row.session ?? null, upstream: row.upstream ?? null,
      startMs: row.start_ms === undefined ? null : Number(row.start_ms), figures: figuresOfRow(row),
    })).filter(({ figures }) => figures[0] !== 0);
  }

  return {
    named(query, dimension, { fromMs, toMs }) {
      const { organization, filter = {} } = query;
      const byTime = shapeOf(query).time !== null;
      const word = filter.label ?? filter.run;
      // A name is looked up on each existing day, since the key begins with the day.
      const from = word === undefined ? sql`usage_sum as s where s.organization = ${organization} and s.dimension = ${dimension}`
        : sql`(select day_ms from usage_sum where organization = ${organization} and dimension = 'day') as d
          join usage_sum as s on s.organization = ${organization} and s.dimension = ${dimension} and s.day_ms = d.day_ms
          where s.subject = ${subjectOf(word)}`;
      return partsOf('sums', (sums) => sql`select s.subject as subject${byTime ? sql`, s.day_ms as start_ms` : sql``}, ${sums} from ${from}
        and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)} group by s.subject${byTime ? sql`, s.day_ms` : sql``}`);
    },
    namedHours({ organization }, { fromMs, toMs }) {
      return partsOf('sums', (sums) => sql`select s.subject as subject, s.day_ms as start_ms, ${sums} from usage_sum as s
        where s.organization = ${organization} and s.dimension = ${namedHours} and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)}
        group by s.subject, s.day_ms`);
    },
    labelHours: (query, span) => partsOf('sums', (sums) => labelHoursStatement(query, span, sums)),
    async labelSets(query, unit, starts) {
      const found: UsagePart[] = [];
      for (let at = 0; at < starts.length; at += startsAtOnce) {
        const dimensions = starts.slice(at, at + startsAtOnce).map((ms) => setDimension[unit](ms));
        for (const part of await partsOf('sums', (sums) => setsStatement(kind, query, dimensions, sums))) found.push(part);
      }
      return besideLabel(found, query.filter!.label!);
    },
    attributed(query, spanName, { fromMs, toMs }) {
      const columns = [...namesAsked(query), ...(shapeOf(query).time === null ? [] : ['start_ms'])];
      return partsOf('sums', (sums) => sql`select ${selected(columns)}${sums} from attribution as a join attribution_sum as s on s.attribution = a.id
        where a.organization = ${query.organization}${thoseOf(query)} and s.span = ${spanName}
          and s.start_ms >= ${BigInt(fromMs)} and s.start_ms < ${BigInt(toMs)}${grouped(columns)}`);
    },
    words: (query, span) => partsOf('sums', (sums) => wordsStatement(query, span, sums)),
    labelMonths(query, { fromMs, toMs }) {
      const columns = ['subject', ...namesAsked(query)];
      const { organization, filter = {} } = query;
      const label = filter.label === undefined ? sql`` : sql` and w.subject = ${subjectOf(filter.label)}`;
      return partsOf('sums', (sums) => sql`select ${selected(columns)}${sums} from word_sum as w join attribution as a on a.id = w.attribution
        where w.organization = ${organization} and w.dimension = ${labelMonths}${label}
          and w.day_ms >= ${BigInt(fromMs)} and w.day_ms < ${BigInt(toMs)}${thoseOf(query)}${grouped(columns)}`);
    },
    async *records(query, { fromMs, toMs }) {
      for (let at = fromMs; at < toMs;) {
        const end = Math.min(toMs, (Math.floor(at / sliceMs) + 1) * sliceMs);
        yield await partsOf('calls', (sums) => recordsStatement(kind, query, { fromMs: at, toMs: end }, sums));
        at = end;
        await othersFirst();
      }
    },
  };
}

/** The attributions' names that distinguish rows. */
function namesAsked({ by }: Pick<UsageQuery, 'by'>): string[] {
  return attributionDimensions.filter((dimension) => by.includes(dimension));
}

const tables: Readonly<Record<string, string>> = { subject: 'w.subject', start_ms: 'start_ms' };

function columnOf(name: string): RawBuilder<unknown> {
  return sql.ref(tables[name] ?? `a.${name}`);
}

function selected(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql`${columnOf(name)} as ${sql.ref(name)}, `), sql``);
}

function grouped(columns: readonly string[]): RawBuilder<unknown> {
  return columns.length === 0 ? sql`` : sql` group by ${sql.join(columns.map(columnOf))}`;
}

function thoseOf(query: UsageQuery): RawBuilder<unknown> {
  return sql.join(Object.entries(attributionFilter(query)).map(([name, value]) => sql` and ${sql.ref(`a.${name}`)} = ${subjectOf(value)}`), sql``);
}

function wordsStatement(query: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>): RawBuilder<unknown> {
  const { organization, filter = {} } = query;
  const shape = shapeOf(query);
  const [dimension] = shape.words;
  const word = filter[dimension!];
  const columns = ['subject', ...namesAsked(query), ...(shape.time === null ? [] : ['start_ms'])];
  const range = (column: string) => sql`${sql.ref(column)} >= ${BigInt(fromMs)} and ${sql.ref(column)} < ${BigInt(toMs)}`;
  const from = word !== undefined
    ? sql`(select *, day_ms as start_ms from word_sum) as w join attribution as a on a.id = w.attribution
        where w.organization = ${organization} and w.dimension = ${dimension} and w.subject = ${subjectOf(word)}
        and ${range('w.day_ms')}`
    // A cross join makes SQLite begin with the days: without knowing the range it would look through all days of each name.
    : sql`(select subject, day_ms from usage_sum
        where organization = ${organization} and dimension = ${dimension} and ${range('day_ms')}) as s
      cross join (select *, day_ms as start_ms from word_sum) as w join attribution as a on a.id = w.attribution
      where w.organization = ${organization} and w.dimension = ${dimension} and w.subject = s.subject and w.day_ms = s.day_ms`;
  return sql`select ${selected(columns)}${sums} from ${from}${thoseOf(query)}${grouped(columns)}`;
}

/** Sums of labels by hour, of all labels or of the filter's. */
function labelHoursStatement({ organization, filter = {} }: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>): RawBuilder<unknown> {
  const range = (column: string) => sql`${sql.ref(column)} >= ${BigInt(fromMs)} and ${sql.ref(column)} < ${BigInt(toMs)}`;
  // A label is looked up in each existing hour, since the key begins with the hour.
  const from = filter.label === undefined
    ? sql`usage_sum as s where s.organization = ${organization} and s.dimension = ${hourlyLabels} and ${range('s.day_ms')}`
    : sql`(select hour_ms from hour_sum where organization = ${organization} and figure = 'calls' and ${range('hour_ms')}) as h
      join usage_sum as s on s.organization = ${organization} and s.dimension = ${hourlyLabels} and s.day_ms = h.hour_ms
      where s.subject = ${subjectOf(filter.label)}`;
  return sql`select s.subject as subject, s.day_ms as start_ms, ${sums} from ${from} group by s.day_ms, s.subject`;
}

/** Calls that have the filter's label together with others. Grouped in the order of the key, so that no engine has to sort the sums. */
function setsStatement(
  kind: 'sqlite' | 'postgres', query: UsageQuery, dimensions: readonly string[], sums: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const names = namesAsked(query);
  const time = shapeOf(query).time === null ? sql`` : sql`min(w.day_ms) as start_ms, `;
  const has = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  const attributed = names.length > 0 || Object.keys(attributionFilter(query)).length > 0;
  return sql`select ${selected(['subject', ...names])}${time}${sums} from word_sum as w
    ${attributed ? sql`join attribution as a on a.id = w.attribution` : sql``}
    where w.organization = ${query.organization} and w.dimension in (${sql.join([...dimensions])})
      and ${has}(w.subject, ${JSON.stringify(query.filter!.label!)}) > 0${thoseOf(query)}
    group by w.dimension, ${sql.join(['subject', ...names].map(columnOf))}`;
}

/** Parts whose subject is a set of labels, with what stands beside this label. Most sets come again on other days, and are taken apart once. */
function besideLabel(parts: readonly UsagePart[], label: string): UsagePart[] {
  const others = new Map<string, string | null>();
  for (const { subject } of parts) if (!others.has(subject!)) others.set(subject!, othersIn(subject!, label));
  return parts.flatMap((part) => {
    const labels = others.get(part.subject!)!;
    return labels === null ? [] : { ...part, subject: null, labels };
  });
}

/** The labels of a set without this one, as JSON; null: it has no other, or not this one. */
function othersIn(set: string, label: string): string | null {
  const labels = (JSON.parse(set) as string[]).map(subjectOf);
  const others = labels.filter((other) => other !== subjectOf(label));
  return others.length === labels.length || others.length === 0 ? null : JSON.stringify(others);
}

function recordsStatement(kind: 'sqlite' | 'postgres', query: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>): RawBuilder<unknown> {
  const { organization, filter = {}, by } = query;
  const { time } = shapeOf(query);
  const start = time === 'hour' ? sql`, started_at_ms - started_at_ms % 3600000 as start_ms`
    : time !== null ? sql`, started_at_ms - started_at_ms % 86400000 as start_ms` : sql``;
  const columns = ['attribution', ...(by.includes('label') ? ['labels'] : []), ...(by.includes('run') ? ['run'] : []),
    ...(by.includes('session') ? ['session'] : [])].map((name) => sql.ref(name));
  const upstream = by.includes('upstream') ? [upstreamInPath(kind, sql.ref('path'))] : [];
  const fits = attributionFilter(query);
  const conditions = [
    ...(Object.keys(fits).length === 0 ? [] : [sql`attribution in (${attributionsThatFit(organization, fits)})`]),
    ...(filter.run === undefined ? [] : [sql`run = ${filter.run}`]),
    ...(filter.session === undefined ? [] : [sql`session = ${filter.session}`]),
    ...(filter.upstream === undefined ? [] : [leadsTo(filter.upstream, sql.ref('path'))]),
    ...(filter.label === undefined ? [] : [hasLabel(kind, filter.label)]),
  ].map((condition) => sql` and ${condition}`);
  return sql`select ${sql.join([...columns, ...upstream.map((name) => sql`${name} as upstream`)])}${start}, ${sums} from call_record
    where organization = ${organization} and started_at_ms >= ${BigInt(fromMs)} and started_at_ms < ${BigInt(toMs)}${sql.join(conditions, sql``)}
    group by ${sql.join([...columns, ...upstream])}${time === null ? sql`` : sql`, start_ms`}`;
}

/** Whether a record's labels hold this one. The plain text search comes first: it is cheap and usually decides. */
export function hasLabel(kind: 'sqlite' | 'postgres', label: string): RawBuilder<boolean> {
  const text = JSON.stringify(label);
  if (kind === 'postgres') return sql<boolean>`(strpos(labels, ${text}) > 0 and cast(labels as jsonb) ? ${label})`;
  return sql<boolean>`(instr(labels, ${text}) > 0 and exists (select 1 from json_each(labels) where value = ${label}))`;
}

/** The part of a filter that applies to attributions. */
export function attributionFilter({ filter = {} }: Pick<UsageQuery, 'filter'>): AttributionFilter {
  const named = attributionDimensions.map((dimension) => [dimension, filter[dimension]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { readonly [D in AttributionDimension]?: string };
}
