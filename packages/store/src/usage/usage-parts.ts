/**
 * Reads the sums that make up an answer, with one statement over one key range for each source. The results are parts: figures with as many
 * dimensions as the question needs. Partial days are read from the records, in slices.
 */
import { attributionDimensions, subjectOf, type AttributionDimension, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { dayLengthMs } from '@metergate/core/time/utc-day.ts';
import { sql, type RawBuilder } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { StoreFault } from '../engine/fault.ts';
import type { RowValue } from '../engine/send.ts';
import { othersFirst } from '../threads/others-first.ts';
import { attributionsThatFit, type AttributionFilter } from './attributions.ts';
import { figuresOfRow, summedFigures, type FigureSource } from './figure-columns.ts';
import { setDimension } from './label-sets.ts';
import { hourlyLabels, labelMonths, namedHours } from './usage-additions.ts';
import { leadsTo, upstreamInPath } from '../engine/upstream-in-path.ts';
import { shapeOf, type Span, type UsageQuery } from './usage-query.ts';

/** Figures of some calls. What the question does not need is null. */
export interface UsagePart {
  readonly attribution: number | null;
  /** The attribution's names that the question needs; null: look them up by its number. */
  readonly names: { readonly [D in AttributionDimension]?: string } | null;
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

/** What a statement selects before its sums. */
type PartColumn = AttributionDimension | 'attribution' | 'subject' | 'labels' | 'run' | 'session' | 'upstream' | 'start_ms';

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

  /** `columns`: what the statement selects before the sums. `statement`: given the sums, the whole select. */
  async function partsOf(
    source: FigureSource, columns: readonly PartColumn[], statement: (sums: RawBuilder<unknown>) => RawBuilder<unknown>,
  ): Promise<readonly UsagePart[]> {
    const run = (halved: boolean) => engine.rows(statement(summedFigures(kind, source, halved)));
    try {
      return partsIn(await run(false), columns, false);
    } catch (fault) {
      if (kind !== 'sqlite' || !(fault instanceof StoreFault) || fault.code !== 'store_failed') throw fault;
    }
    return partsIn(await run(true), columns, true);
  }

  return {
    named(query, dimension, { fromMs, toMs }) {
      const { organization, filter = {} } = query;
      const columns = ['subject', ...timeOf(query)] as const;
      const word = filter.label ?? filter.run;
      // A name is looked up on each existing day, since the key begins with the day.
      const from = word === undefined ? sql`usage_sum as s where s.organization = ${organization} and s.dimension = ${dimension}`
        : sql`(select day_ms from usage_sum where organization = ${organization} and dimension = 'day') as d
          join usage_sum as s on s.organization = ${organization} and s.dimension = ${dimension} and s.day_ms = d.day_ms
          where s.subject = ${subjectOf(word)}`;
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns, ofNamed)}${sums} from ${from}
        and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)}${grouped(columns, ofNamed)}`);
    },
    namedHours({ organization }, { fromMs, toMs }) {
      const columns = ['subject', 'start_ms'] as const;
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns, ofNamed)}${sums} from usage_sum as s
        where s.organization = ${organization} and s.dimension = ${namedHours} and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)}
        ${grouped(columns, ofNamed)}`);
    },
    labelHours: (query, span) => partsOf('sums', ['subject', 'start_ms'], (sums) => labelHoursStatement(query, span, sums)),
    async labelSets(query, unit, starts) {
      const found: UsagePart[] = [];
      const columns = ['subject', ...namesAsked(query), ...timeOf(query)] as const;
      for (let at = 0; at < starts.length; at += startsAtOnce) {
        const dimensions = starts.slice(at, at + startsAtOnce).map((ms) => setDimension[unit](ms));
        for (const part of await partsOf('sums', columns, (sums) => setsStatement(kind, query, dimensions, sums))) found.push(part);
      }
      return besideLabel(found, query.filter!.label!);
    },
    attributed(query, spanName, { fromMs, toMs }) {
      const columns = [...namesAsked(query), ...timeOf(query)];
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns)}${sums} from attribution as a
        join attribution_sum as s on s.attribution = a.id
        where a.organization = ${query.organization}${thoseOf(query)} and s.span = ${spanName}
          and s.start_ms >= ${BigInt(fromMs)} and s.start_ms < ${BigInt(toMs)}${grouped(columns)}`);
    },
    words: (query, span) => partsOf('sums', wordColumns(query), (sums) => wordsStatement(query, span, sums)),
    labelMonths(query, { fromMs, toMs }) {
      const columns = ['subject', ...namesAsked(query)] as const;
      const { organization, filter = {} } = query;
      const label = filter.label === undefined ? sql`` : sql` and w.subject = ${subjectOf(filter.label)}`;
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns)}${sums} from word_sum as w
        join attribution as a on a.id = w.attribution where w.organization = ${organization} and w.dimension = ${labelMonths}${label}
          and w.day_ms >= ${BigInt(fromMs)} and w.day_ms < ${BigInt(toMs)}${thoseOf(query)}${grouped(columns)}`);
    },
    async *records(query, { fromMs, toMs }) {
      for (let at = fromMs; at < toMs;) {
        const end = Math.min(toMs, (Math.floor(at / sliceMs) + 1) * sliceMs);
        yield await partsOf('calls', recordColumns(query), (sums) => recordsStatement(kind, query, { fromMs: at, toMs: end }, sums));
        at = end;
        await othersFirst();
      }
    },
  };
}

function partsIn(rows: readonly (readonly RowValue[])[], columns: readonly PartColumn[], halved: boolean): UsagePart[] {
  const at = (name: PartColumn): number => columns.indexOf(name);
  const [attribution, start] = [at('attribution'), at('start_ms')];
  const [subject, labels, run, session, upstream] = [at('subject'), at('labels'), at('run'), at('session'), at('upstream')];
  const named = attributionDimensions.filter((name) => columns.includes(name));
  const parts: UsagePart[] = [];
  for (const row of rows) {
    const figures = figuresOfRow(row, columns.length, halved);
    if (figures[0] === 0) continue;
    parts.push({
      attribution: numberIn(row, attribution), names: named.length === 0 ? null : namesIn(row, named, columns),
      subject: textIn(row, subject), labels: textIn(row, labels), run: textIn(row, run), session: textIn(row, session),
      upstream: textIn(row, upstream), startMs: numberIn(row, start), figures,
    });
  }
  return parts;
}

/** `place`: negative if the row has no such column. */
function textIn(row: readonly RowValue[], place: number): string | null {
  return place < 0 ? null : row[place] as string | null;
}

function numberIn(row: readonly RowValue[], place: number): number | null {
  return place < 0 ? null : Number(row[place]);
}

function namesIn(row: readonly RowValue[], named: readonly AttributionDimension[], columns: readonly PartColumn[]): UsagePart['names'] {
  const names: { [D in AttributionDimension]?: string } = {};
  for (const name of named) names[name] = row[columns.indexOf(name)] as string;
  return names;
}

/** The attributions' names that distinguish rows. */
function namesAsked({ by }: Pick<UsageQuery, 'by'>): AttributionDimension[] {
  return attributionDimensions.filter((dimension) => by.includes(dimension));
}

/** The time of the sums, if it distinguishes rows. */
function timeOf(query: Pick<UsageQuery, 'by' | 'filter'>): 'start_ms'[] {
  return shapeOf(query).time === null ? [] : ['start_ms'];
}

type ColumnNames = { readonly [Name in PartColumn]?: string };
const ofWords: ColumnNames = { subject: 'w.subject', start_ms: 'start_ms' };
const ofNamed: ColumnNames = { subject: 's.subject', start_ms: 's.day_ms' };

function columnOf(name: PartColumn, tables: ColumnNames): RawBuilder<unknown> {
  return sql.ref(tables[name] ?? `a.${name}`);
}

/** `tables`: where columns are that no attribution has. */
function selected(columns: readonly PartColumn[], tables = ofWords): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql`${columnOf(name, tables)} as ${sql.ref(name)}, `), sql``);
}

function grouped(columns: readonly PartColumn[], tables = ofWords): RawBuilder<unknown> {
  return columns.length === 0 ? sql`` : sql` group by ${sql.join(columns.map((name) => columnOf(name, tables)))}`;
}

function thoseOf(query: UsageQuery): RawBuilder<unknown> {
  return sql.join(Object.entries(attributionFilter(query)).map(([name, value]) => sql` and ${sql.ref(`a.${name}`)} = ${subjectOf(value)}`), sql``);
}

function wordColumns(query: UsageQuery): readonly PartColumn[] {
  return ['subject', ...namesAsked(query), ...timeOf(query)];
}

function wordsStatement(query: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>): RawBuilder<unknown> {
  const { organization, filter = {} } = query;
  const shape = shapeOf(query);
  const [dimension] = shape.words;
  const word = filter[dimension!];
  const columns = wordColumns(query);
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
  // In the order of the key, so that no engine has to sort.
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
    group by w.dimension, ${sql.join((['subject', ...names] as const).map((name) => columnOf(name, ofWords)))}`;
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

/** Attributions only where their names are asked for: whatever else distinguishes rows makes fewer of them. */
function recordColumns(query: UsageQuery): readonly PartColumn[] {
  const { by } = query;
  const named = attributionDimensions.some((name) => by.includes(name));
  const words = (['run', 'session', 'upstream'] as const).filter((name) => by.includes(name));
  return [...(named ? ['attribution' as const] : []), ...(by.includes('label') ? ['labels' as const] : []), ...words, ...timeOf(query)];
}

function recordsStatement(kind: 'sqlite' | 'postgres', query: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>): RawBuilder<unknown> {
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
  ].map((condition) => sql` and ${condition}`);
  const chosen = sql.join(columns.map((name, index) => sql`${values[index]!} as ${sql.ref(name)}, `), sql``);
  return sql`select ${chosen}${sums} from call_record
    where organization = ${organization} and started_at_ms >= ${BigInt(fromMs)} and started_at_ms < ${BigInt(toMs)}${sql.join(conditions, sql``)}
    ${values.length === 0 ? sql`` : sql`group by ${sql.join(values)}`}`;
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
