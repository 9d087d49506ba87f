/** The query of a usage report, and which sums can answer it. Pure. */
import type { OrganizationId } from '@metergate/core/id.ts';
import {
  attributionDimensions, recordDimensions, timeDimensions, wordDimensions,
  type AttributionDimension, type RecordDimension, type TimeDimension, type UsageDimension, type WordDimension,
} from '@metergate/core/report/usage-sum.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { monthAfter, monthOf } from '@metergate/core/time/utc-month.ts';

/** Only calls with exactly these names. */
export type UsageFilter = { readonly [D in AttributionDimension | WordDimension | RecordDimension]?: string | undefined };

export interface UsageQuery {
  readonly organization: OrganizationId;
  /** None, one or two, not the same twice: a row for each combination of their values. None: at most one row, of all calls. */
  readonly by: readonly UsageDimension[];
  readonly filter?: UsageFilter;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Calls that started before this moment. */
  readonly untilMs?: number;
  /** At most this many rows. */
  readonly rowsMax: number;
  /** What stands for each key in the rows, as its person does: keys of the same name are in one row, and others have none. Absent: the keys. */
  readonly keyAs?: ReadonlyMap<string, string>;
  /** Only this share of the rows: all shares together are the report, so that one that is longer than memory can be read. Absent: all. */
  readonly share?: UsageShare;
}

/**
 * One of `of` shares of a report, from 0: which rows are in it is decided by their names and by `seed`, 32 bits that callers cannot know. Whoever
 * could would make many names that no share parts.
 */
export interface UsageShare {
  readonly index: number;
  readonly of: number;
  readonly seed: number;
}

/** Whether a row of this name is in the share. FNV-1a from the seed, so that similar names are spread. */
export function isInShare(name: string, { index, of, seed }: UsageShare): boolean {
  let hash = seed;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  // The low bits of FNV follow the last character closely.
  return ((hash ^ (hash >>> 15)) >>> 0) % of === index;
}

/** Days that are read at once for a share: then no more is in memory than they hold. */
const daysAtOnce = 7;

/** The same cut in pieces of a few days each. */
export function piecesOfCut({ month, day, hour, edges }: CutSpan): CutSpan[] {
  const empty: CutSpan = { month: [], day: [], hour: [], edges: [] };
  const pieces = (spans: readonly Span[], after: (ms: number) => number): Span[] => spans.flatMap(({ fromMs, toMs }) => {
    const cut: Span[] = [];
    for (let from = fromMs; from < toMs; from = after(from)) cut.push({ fromMs: from, toMs: Math.min(toMs, after(from)) });
    return cut;
  });
  return [
    ...pieces(month, monthAfter).map((each) => ({ ...empty, month: [each] })),
    ...pieces(day, (ms) => ms + daysAtOnce * dayAfter(0)).map((each) => ({ ...empty, day: [each] })),
    { ...empty, hour, edges },
  ];
}

/** From `fromMs` on, before `toMs`. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The words of a query in its dimensions and filters, sorted by what kind of sum holds them. */
interface QueryShape {
  readonly attributions: readonly AttributionDimension[];
  readonly words: readonly WordDimension[];
  readonly time: TimeDimension | null;
}

/** Which dimensions a query uses, sorted by what answers them. */
export function shapeOf({ by, filter = {} }: Pick<UsageQuery, 'by' | 'filter'>): QueryShape {
  const used = new Set<string>([...by, ...Object.entries(filter).filter(([, value]) => value !== undefined).map(([name]) => name)]);
  const times = timeDimensions.filter((each) => used.has(each));
  return {
    attributions: attributionDimensions.filter((each) => used.has(each)),
    words: wordDimensions.filter((each) => used.has(each)),
    // The finest one determines the others.
    time: times[0] ?? null,
  };
}

/**
 * Where the answer comes from: `named` sums of one dimension by day, of labels by hour too, `attributed` ones by day and hour, `words` by day,
 * `sets` of labels by day and month for the other labels of calls with a label, or the `records` themselves for what no sum holds (hours of runs,
 * hours of labels together with something else, labels together with runs, sessions, upstreams; see `wordApart`).
 */
type SumKind = 'named' | 'attributed' | 'words' | 'sets' | 'records';

/** The narrowest kind of sum that answers the query. */
export function sumKindOf(query: Pick<UsageQuery, 'by' | 'filter'>): SumKind {
  const { attributions, words, time } = shapeOf(query);
  const { by, filter = {} } = query;
  if (recordDimensions.some((each) => by.includes(each) || filter[each] !== undefined)) return 'records';
  if (words.length > 1) return 'records';
  const besideItself = by.includes('label') && filter.label !== undefined;
  if (words.length === 1 && time === 'hour') return words[0] === 'label' && attributions.length === 0 && !besideItself ? 'named' : 'records';
  if (besideItself) return 'sets';
  if (words.length === 1) return attributions.length === 0 ? 'named' : 'words';
  const filtered = attributions.some((each) => filter[each] !== undefined);
  return attributions.length <= 1 && !filtered && time !== 'hour' ? 'named' : 'attributed';
}

/** What only some calls have, found by an index of those that have one. */
export type WordApart = 'run' | 'session';

/**
 * Of a question that no sum answers: the dimension whose calls are to be read from their records, while sums answer `rest`, the question without
 * it. Null: these do not either.
 */
export function wordApart(query: UsageQuery): { readonly word: WordApart; readonly rest: UsageQuery } | null {
  const word = (['session', 'run'] as const).find((each) => query.by.includes(each));
  if (word === undefined || query.share !== undefined || sumKindOf(query) !== 'records') return null;
  const rest = { ...query, by: query.by.filter((each) => each !== word) };
  return sumKindOf(rest) === 'records' ? null : { word, rest };
}

const units = ['month', 'day', 'hour'] as const;
/** How long the time of a sum is. */
type SumUnit = (typeof units)[number];

/** Whose sums answer the query, the longest first: months of labels for whole periods, hours of what has no words. */
export function sumUnitsOf(query: Pick<UsageQuery, 'by' | 'filter'>): readonly SumUnit[] {
  const { words: [word], time } = shapeOf(query);
  switch (sumKindOf(query)) {
    case 'records': return [];
    case 'sets': return time === null ? ['month', 'day'] : ['day'];
    case 'words': return time === null && word === 'label' ? ['month', 'day'] : ['day'];
    default: return time === 'hour' ? ['hour'] : word === 'run' ? ['day'] : ['day', 'hour'];
  }
}

/** A period cut into whole months, days and hours, and the rest. */
export interface CutSpan extends Readonly<Record<SumUnit, readonly Span[]>> {
  readonly edges: readonly Span[];
}

type InUnits = { readonly [Unit in SumUnit]: (ms: number) => number };
const beginnings: InUnits = { month: monthOf, day: dayOf, hour: (ms) => Math.floor(ms / hourMs) * hourMs };
const ends: InUnits = { month: monthAfter, day: (ms) => dayAfter(dayOf(ms)), hour: (ms) => beginnings.hour(ms) + hourMs };

/** `wanted`: the units that can answer, the longest first. */
export function cutSpan(span: Span, wanted: readonly SumUnit[]): CutSpan {
  const cut: Record<SumUnit, Span[]> = { month: [], day: [], hour: [] };
  let edges: readonly Span[] = span.fromMs < span.toMs ? [span] : [];
  for (const unit of wanted) {
    edges = edges.flatMap((edge) => {
      const { inner, edges: rest } = insideOf(edge, unit);
      if (inner !== null) cut[unit].push(inner);
      return rest;
    });
  }
  return { ...cut, edges };
}

/** The period widened to whole units. */
export function widenedTo(unit: SumUnit, { fromMs, toMs }: Span): Span {
  return { fromMs: beginnings[unit](fromMs), toMs: beginnings[unit](toMs) === toMs ? toMs : ends[unit](toMs) };
}

/** The whole units of a period, and the rest before and after. */
function insideOf(span: Span, unit: SumUnit): { readonly inner: Span | null; readonly edges: readonly Span[] } {
  const beginning = beginnings[unit];
  const fromMs = beginning(span.fromMs) === span.fromMs ? span.fromMs : ends[unit](span.fromMs);
  const toMs = beginning(span.toMs);
  if (fromMs >= toMs) return { inner: null, edges: [span] };
  const edges = [{ fromMs: span.fromMs, toMs: fromMs }, { fromMs: toMs, toMs: span.toMs }].filter((part) => part.fromMs < part.toMs);
  return { inner: { fromMs, toMs }, edges };
}

/** By how much a month may differ from one of UTC to be read from its sums: half a day, so that no more records are read than without. */
const zoneMaxMs = 12 * hourMs;

/**
 * A period that lacks only the first or last hours of a month, as a month of another zone does → the same with these hours, and the hours. Null: it
 * lacks none of a month that it has otherwise.
 */
export function wholeMonths({ fromMs, toMs }: Span): { readonly span: Span; readonly less: readonly Span[] } | null {
  const [firstMs, endMs] = [monthOf(fromMs), monthOf(toMs) === toMs ? toMs : monthAfter(toMs)];
  const from = fromMs > firstMs && fromMs - firstMs <= zoneMaxMs ? firstMs : fromMs;
  const to = endMs > toMs && endMs - toMs <= zoneMaxMs ? endMs : toMs;
  const less = [{ fromMs: from, toMs: fromMs }, { fromMs: toMs, toMs: to }].filter((each) => each.fromMs < each.toMs);
  const monthsIn = (span: Span): number => cutSpan(span, ['month']).month.reduce((sum, each) => sum + each.toMs - each.fromMs, 0);
  return less.length > 0 && monthsIn({ fromMs: from, toMs: to }) > monthsIn({ fromMs, toMs }) ? { span: { fromMs: from, toMs: to }, less } : null;
}

/** The part of a filter that applies to attributions. */
export function attributionFilter({ filter = {} }: Pick<UsageQuery, 'filter'>): { readonly [D in AttributionDimension]?: string } {
  const named = attributionDimensions.map((dimension) => [dimension, filter[dimension]] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { readonly [D in AttributionDimension]?: string };
}
