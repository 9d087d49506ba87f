/**
 * Reads the sums that make up an answer, with one statement over one key range for each source. The results are parts: figures with as many
 * dimensions as the question needs. Partial days are read from the records (`record-parts.ts`).
 */
import { attributionDimensions, subjectOf, type AttributionDimension, type WordDimension } from '@metergate/core/report/usage-sum.ts';
import { sql, type RawBuilder } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { readAhead, readAtOnce } from '../threads/read-ahead.ts';
import { attributionsThatFit } from './attributions.ts';
import { setDimension } from './label-sets.ts';
import { recordPartsIn, type RecordParts } from './record-parts.ts';
import { hourlyLabels, labelMonths, namedHours } from './usage-additions.ts';
import { partReadingOf, timeOf, type PartColumn, type UsagePart } from './usage-part.ts';
import { attributionFilter, shapeOf, type Span, type UsageQuery } from './usage-query.ts';

export interface UsageParts extends RecordParts {
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
}

/** Days or months of sets that one statement reads. A server reads while what it sent before is put together here. */
const startsAtOnce = { sqlite: 40, postgres: 16 } as const;

export function usagePartsIn({ engine }: Pick<StoreContext, 'engine'>): UsageParts {
  const { kind } = engine;
  const partsOf = partReadingOf(engine);
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
      // With its day each sum is a part by itself.
      const alone = timeOf(query).length > 0;
      return partsOf(alone ? 'rows' : 'sums', columns, (sums) => sql`select ${selected(columns, ofNamed)}${sums} from ${from}
        and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)}${alone ? sql`` : grouped(kind, columns, ofNamed)}`);
    },
    namedHours({ organization }, { fromMs, toMs }) {
      const columns = ['subject', 'start_ms'] as const;
      return partsOf('rows', columns, (figures) => sql`select ${selected(columns, ofNamed)}${figures} from usage_sum as s
        where s.organization = ${organization} and s.dimension = ${namedHours} and s.day_ms >= ${BigInt(fromMs)} and s.day_ms < ${BigInt(toMs)}`);
    },
    labelHours: (query, span) => partsOf('rows', ['subject', 'start_ms'], (figures) => labelHoursStatement(query, span, figures)),
    async labelSets(query, unit, starts) {
      const found: UsagePart[] = [];
      const columns = ['subject', ...namesAsked(query), ...timeOf(query)] as const;
      const some = startsAtOnce[kind];
      const pieces = Array.from({ length: Math.ceil(starts.length / some) }, (_, index) => starts.slice(index * some, (index + 1) * some));
      const read = (piece: readonly number[]) => partsOf('sums', columns, (sums) =>
        setsStatement(kind, query, piece.map((ms) => setDimension[unit](ms)), sums));
      for await (const parts of readAhead(pieces, readAtOnce[kind], read)) for (const part of parts) found.push(part);
      return besideLabel(found, query.filter!.label!);
    },
    attributed(query, spanName, { fromMs, toMs }) {
      const columns = [...namesAsked(query), ...timeOf(query)];
      const range = sql`s.span = ${spanName} and s.start_ms >= ${BigInt(fromMs)} and s.start_ms < ${BigInt(toMs)}`;
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns)}${sums} from attribution as a
        join attribution_sum as s on s.attribution = a.id where a.organization = ${query.organization}${thoseOf(query)}
          and ${range}${kind === 'postgres' ? ofThese(query) : sql``}${grouped(kind, columns)}`);
    },
    words: (query, span) => partsOf('sums', wordColumns(query), (sums) => wordsStatement(kind, query, span, sums)),
    labelMonths(query, { fromMs, toMs }) {
      const columns = ['subject', ...namesAsked(query)] as const;
      const { organization, filter = {} } = query;
      const label = filter.label !== undefined ? sql` and w.subject = ${subjectOf(filter.label)}`
        : kind === 'postgres' ? sql` and w.subject = any(${namesOfDays(organization, 'label', { fromMs, toMs })})` : sql``;
      return partsOf('sums', columns, (sums) => sql`select ${selected(columns)}${sums} from word_sum as w
        join attribution as a on a.id = w.attribution where w.organization = ${organization} and w.dimension = ${labelMonths}${label}
          and w.day_ms >= ${BigInt(fromMs)} and w.day_ms < ${BigInt(toMs)}${thoseOf(query)}${grouped(kind, columns)}`);
    },
    ...recordPartsIn(engine),
  };
}

/** The attributions' names that distinguish rows. */
function namesAsked({ by }: Pick<UsageQuery, 'by'>): AttributionDimension[] {
  return attributionDimensions.filter((dimension) => by.includes(dimension));
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

/**
 * PostgreSQL is left no choice but a table of groups in memory: by what cannot be sorted it does not group in order. It takes a label's sums for a
 * hundredth of what they are, and would sort them all, on disk, to add up a few groups.
 */
const unsortable = { sqlite: [], postgres: [sql`cast('0' as xid)`] } as const;

function grouped(kind: 'sqlite' | 'postgres', columns: readonly PartColumn[], tables = ofWords): RawBuilder<unknown> {
  if (columns.length === 0) return sql``;
  return sql` group by ${sql.join([...columns.map((name) => columnOf(name, tables)), ...unsortable[kind]])}`;
}

function thoseOf(query: UsageQuery): RawBuilder<unknown> {
  return sql.join(Object.entries(attributionFilter(query)).map(([name, value]) => sql` and ${sql.ref(`a.${name}`)} = ${subjectOf(value)}`), sql``);
}

/** PostgreSQL, named once more as an array: joined alone it reads the sums of all organizations, as it takes those of one to be most of them. */
function ofThese(query: UsageQuery): RawBuilder<unknown> {
  return sql` and s.attribution = any(array(${attributionsThatFit(query.organization, attributionFilter(query))}))`;
}

function wordColumns(query: UsageQuery): readonly PartColumn[] {
  return ['subject', ...namesAsked(query), ...timeOf(query)];
}

function wordsStatement(
  kind: 'sqlite' | 'postgres', query: UsageQuery, { fromMs, toMs }: Span, sums: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { organization, filter = {} } = query;
  const shape = shapeOf(query);
  const [dimension] = shape.words;
  const word = filter[dimension!];
  const columns = wordColumns(query);
  const range = (column: string) => sql`${sql.ref(column)} >= ${BigInt(fromMs)} and ${sql.ref(column)} < ${BigInt(toMs)}`;
  const summed = sql`(select *, day_ms as start_ms from word_sum) as w`;
  const attributed = sql`join attribution as a on a.id = w.attribution where w.organization = ${organization} and w.dimension = ${dimension}`;
  // The key begins with the name. PostgreSQL walks through the days of each: looking up each name on each of its days took it twice as long. SQLite
  // begins with the days, which a cross join makes it do: without knowing the range it would look through all days of each name.
  const from = word !== undefined ? sql`${summed} ${attributed} and w.subject = ${subjectOf(word)} and ${range('w.day_ms')}`
    : kind === 'postgres'
      ? sql`${summed} ${attributed} and w.subject = any(${namesOfDays(organization, dimension!, { fromMs, toMs })}) and ${range('w.day_ms')}`
      : sql`(select subject, day_ms from usage_sum where organization = ${organization} and dimension = ${dimension} and ${range('day_ms')}) as s
        cross join ${summed} ${attributed} and w.subject = s.subject and w.day_ms = s.day_ms`;
  return sql`select ${selected(columns)}${sums} from ${from}${thoseOf(query)}${grouped(kind, columns)}`;
}

/** PostgreSQL: the labels or runs of some days, as an array. With it, sums are found name by name, and added up without sorting them. */
function namesOfDays(organization: string, dimension: WordDimension, { fromMs, toMs }: Span): RawBuilder<unknown> {
  return sql`array(select distinct subject from usage_sum where organization = ${organization} and dimension = ${dimension}
    and day_ms >= ${BigInt(fromMs)} and day_ms < ${BigInt(toMs)})`;
}

/** Sums of labels by hour, of all labels or of the filter's. */
function labelHoursStatement({ organization, filter = {} }: UsageQuery, { fromMs, toMs }: Span, figures: RawBuilder<unknown>): RawBuilder<unknown> {
  const range = (column: string) => sql`${sql.ref(column)} >= ${BigInt(fromMs)} and ${sql.ref(column)} < ${BigInt(toMs)}`;
  // A label is looked up in each existing hour, since the key begins with the hour.
  const from = filter.label === undefined
    ? sql`usage_sum as s where s.organization = ${organization} and s.dimension = ${hourlyLabels} and ${range('s.day_ms')}`
    : sql`(select hour_ms from hour_sum where organization = ${organization} and figure = 'calls' and ${range('hour_ms')}) as h
      join usage_sum as s on s.organization = ${organization} and s.dimension = ${hourlyLabels} and s.day_ms = h.hour_ms
      where s.subject = ${subjectOf(filter.label)}`;
  return sql`select s.subject as subject, s.day_ms as start_ms, ${figures} from ${from}`;
}

/** Calls that have the filter's label together with others. On SQLite grouped in the order of the key, so that it need not sort the sums. */
function setsStatement(
  kind: 'sqlite' | 'postgres', query: UsageQuery, dimensions: readonly string[], sums: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const names = namesAsked(query);
  const time = shapeOf(query).time === null ? sql`` : sql`min(w.day_ms) as start_ms, `;
  const has = sql.raw(kind === 'postgres' ? 'strpos' : 'instr');
  const attributed = names.length > 0 || Object.keys(attributionFilter(query)).length > 0;
  const groups = [
    ...(kind === 'sqlite' ? [sql`w.dimension`] : shapeOf(query).time === null ? [] : [sql`w.day_ms`]),
    ...(['subject', ...names] as const).map((name) => columnOf(name, ofWords)), ...unsortable[kind],
  ];
  return sql`select ${selected(['subject', ...names])}${time}${sums} from word_sum as w
    ${attributed ? sql`join attribution as a on a.id = w.attribution` : sql``}
    where w.organization = ${query.organization} and w.dimension in (${sql.join([...dimensions])})
      and ${has}(w.subject, ${JSON.stringify(query.filter!.label!)}) > 0${thoseOf(query)}
    group by ${sql.join(groups)}`;
}

/** Parts whose subject is a set of labels, with what stands beside this label. Most sets come again on other days, and are taken apart once. */
function besideLabel(parts: readonly UsagePart[], label: string): UsagePart[] {
  const others = new Map<string, string | null>();
  for (const { subject } of parts) if (!others.has(subject!)) others.set(subject!, othersIn(subject!, label));
  const beside: UsagePart[] = [];
  for (const part of parts) {
    const labels = others.get(part.subject!)!;
    if (labels !== null) beside.push({ ...part, subject: null, labels });
  }
  return beside;
}

/** The labels of a set without this one, as JSON; null: it has no other, or not this one. */
function othersIn(set: string, label: string): string | null {
  const labels = (JSON.parse(set) as string[]).map(subjectOf);
  const others = labels.filter((other) => other !== subjectOf(label));
  return others.length === labels.length || others.length === 0 ? null : JSON.stringify(others);
}
