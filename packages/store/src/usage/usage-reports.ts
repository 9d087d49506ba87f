/**
 * Usage of a time range by up to two dimensions: whole days and months from their sums, partial days at the edges from the records. Rules:
 * `usage`. A query that no sum covers is answered only from the records; `sumKindOf` decides.
 */
import {
  addUsage, attributionDimensions, subjectOf, type AttributionDimension, type UsageDimension, type UsageFigures,
} from '@metergate/core/report/usage-sum.ts';
import { nanoDollarsMax } from '@metergate/core/money.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { monthAfter, monthOf } from '@metergate/core/time/utc-month.ts';
import type { StoreContext } from '../sealing/context.ts';
import { namedAttributions } from './attributions.ts';
import { othersFirst } from '../threads/others-first.ts';
import { hourParts } from './hour-parts.ts';
import type { UsagePart } from './usage-part.ts';
import { usagePartsIn, type UsageParts } from './usage-parts.ts';
import { dayPartsOf, isMostOfDay, mostOfDay } from './most-of-day.ts';
import { daysLackingSets, withoutDays } from './label-sets.ts';
import {
  attributionFilter, cutSpan, isInShare, piecesOfCut, shapeOf, sumKindOf, sumUnitsOf, wholeMonths, widenedTo, wordApart,
  type CutSpan, type Span, type UsageQuery,
} from './usage-query.ts';

/** `subjects`: in the order of the query's dimensions; empty for calls that have none; a time as its first instant in milliseconds. */
export interface UsageRow {
  readonly subjects: readonly string[];
  readonly figures: UsageFigures;
}

export interface UsageReports {
  /** In no particular order; null if there are more rows than `rowsMax`. */
  usage(query: UsageQuery): Promise<readonly UsageRow[] | null>;
}

type Names = ReadonlyMap<number, { readonly [D in AttributionDimension]: string }>;

const firstMs = -8_640_000_000_000_000;
const lastMs = 8_640_000_000_000_000;

export function usageReportsIn(context: Pick<StoreContext, 'engine'>): UsageReports {
  const reading = new UsageReading(context);
  return { usage: (query) => reading.usage(query) };
}

/** Puts a report together of the sums and records that hold its parts. */
class UsageReading {
  readonly #context: Pick<StoreContext, 'engine'>;
  readonly #parts: UsageParts;

  constructor(context: Pick<StoreContext, 'engine'>) {
    this.#context = context;
    this.#parts = usagePartsIn(context);
  }

  /** Parts of whole months and days. */
  async #summed(query: UsageQuery, { month, day }: CutSpan): Promise<UsagePart[]> {
    const found: UsagePart[] = [];
    const add = (more: readonly UsagePart[]): void => { for (const part of more) found.push(part); };
    const shape = shapeOf(query);
    const kind = sumKindOf(query);
    for (const span of month) {
      add(await this.#parts.labelMonths(query, span));
      if (kind === 'sets') add(await this.#parts.labelSets(query, 'month', startsOf(span, monthAfter)));
    }
    for (const span of day) {
      if (kind === 'named') add(await this.#parts.named(query, shape.attributions[0] ?? shape.words[0] ?? 'day', span));
      if (kind === 'attributed') add(await this.#parts.attributed(query, 'day', span));
      // The filter's label itself: by day alone it has a sum of all its calls.
      if (kind === 'sets' && shape.attributions.length === 0) add(await this.#parts.named(query, 'label', span));
      else if (kind === 'words' || kind === 'sets') add(await this.#parts.words(query, span));
      if (kind === 'sets') add(await this.#parts.labelSets(query, 'day', startsOf(span, dayAfter)));
      if (kind === 'words' && shape.words[0] === 'run' && query.filter?.run === undefined) add(await this.#withoutRun(query, span, found));
    }
    return found;
  }

  /** Calls without a run have no separate sum: they are all calls minus those with a run. */
  async #withoutRun(query: UsageQuery, span: Span, withRun: readonly UsagePart[]): Promise<readonly UsagePart[]> {
    const nameOf = ({ names, startMs }: UsagePart): string => [...attributionDimensions.map((each) => names?.[each] ?? ''), startMs].join('\0');
    const left = new Map((await this.#parts.attributed(query, 'day', span)).map((part) => [nameOf(part), part]));
    for (const part of withRun) {
      const { figures } = part;
      const all = left.get(nameOf(part));
      if (all !== undefined) addUsage(all.figures, figures.map((figure) => -figure));
    }
    return [...left.values()].filter(({ figures }) => figures[0] !== 0).map((part) => ({ ...part, subject: '' }));
  }

  /** Of a period with calls. Null: there are more than `rowsMax`. `named`: whoever adds to the rows needs the names of attributions. */
  async #rowsOf(query: UsageQuery, bounded: Span, named: boolean): Promise<Rows | null> {
    const kind = sumKindOf(query);
    const lacking = kind === 'sets' ? await daysLackingSets(this.#context.engine, query.organization, wholeDays(bounded)) : [];
    const cut = joined(withoutDays(bounded, lacking).map((part) => cutSpan(part, sumUnitsOf(query))));
    const hours = await hourParts(this.#context.engine, this.#parts, query, cut.hour);
    const edges = [...cut.edges, ...hours.edges, ...lacking.map((day) => within(bounded, { fromMs: day, toMs: dayAfter(day) }))];
    const shape = shapeOf(query);
    const rows = new Rows(query, named || edges.length > 0 ? await this.#namesFor(query) : new Map());
    const own = kind === 'named' || kind === 'words' || kind === 'sets' ? (shape.words[0] ?? shape.attributions[0] ?? null) : null;
    for (const piece of query.share === undefined ? [cut] : piecesOfCut(cut)) {
      for (const part of await this.#summed(query, piece)) rows.add(part, own);
      if (rows.count > query.rowsMax) return null;
      if (query.share !== undefined) await othersFirst();
    }
    for (const part of hours.found) rows.add(part, own);
    const ofDay = (day: Span) => this.#summed(query, { month: [], day: [day], hour: [], edges: [] });
    for (const dayPart of edges.flatMap(dayPartsOf)) {
      const summedDay = sumUnitsOf(query).includes('day') && shape.words.length > 0 && !lacking.includes(dayPart.day.fromMs);
      const most = summedDay && isMostOfDay(dayPart) ? await mostOfDay(this.#parts, query, dayPart, ofDay) : null;
      for (const part of most?.whole ?? []) rows.add(part, own);
      for (const part of most?.less ?? []) rows.subtract(part);
      if (most !== null) continue;
      for await (const slice of this.#parts.records(query, dayPart.part)) for (const part of slice) rows.add(part, null);
      if (rows.count > query.rowsMax) return null;
    }
    return rows;
  }

  /** Of attributions, if the question asks for any. */
  async #namesFor(query: UsageQuery): Promise<Names> {
    if (!query.by.some((each) => (attributionDimensions as readonly string[]).includes(each))) return new Map();
    return this.#context.engine.read((db) => namedAttributions(db, query.organization, attributionFilter(query)));
  }

  /** Tells whether calls of these days came, went or were corrected between two moments. */
  async #callsOf(query: UsageQuery, days: Span): Promise<string> {
    return (await this.#parts.named({ ...query, by: [], filter: {} }, 'day', days)).map(({ figures }) => figures.join(' ')).join();
  }

  /**
   * The calls that have a run or a session from their records, and all others from the sums of the question without it, less these records. They are
   * read one after the other, so it counts only if the days have the same calls before and after. It is read once: calls that came meanwhile will
   * come again. Null: it does not help here.
   */
  async #withWordApart(query: UsageQuery, bounded: Span): Promise<Rows | 'too many rows' | null> {
    const apart = wordApart(query);
    if (apart === null) return null;
    const before = await this.#callsOf(query, wholeDays(bounded));
    const undisturbed = async (): Promise<boolean> => await this.#callsOf(query, wholeDays(bounded)) === before;
    const rest = await this.#ofWholeMonths(apart.rest, bounded) ?? await this.#rowsOf(apart.rest, bounded, false);
    // Each row of the rest is at least one of the whole.
    if (rest === null) return 'too many rows';
    if (!rest.areExact) return null;
    const rows = new Rows(query, await this.#namesFor(query));
    for (const row of rest.all()) rows.addWithout(apart.word, row);
    for await (const slice of this.#parts.recordsWith(apart.word, query, bounded)) {
      for (const part of slice) {
        rows.add(part, null);
        rows.subtract({ ...part, [apart.word]: null });
      }
      if (rows.count - rest.count > query.rowsMax) return await undisturbed() ? 'too many rows' : null;
    }
    return await undisturbed() ? rows : null;
  }

  /**
   * From the sums of whole months, less the records of the hours by which another zone's months differ from them. Sums and records are read one after
   * the other, so it counts only if the days of those hours have the same calls before and after. Null: it does not help here.
   */
  async #ofWholeMonths(query: UsageQuery, bounded: Span): Promise<Rows | null> {
    const whole = query.share === undefined && sumUnitsOf(query).includes('month') ? wholeMonths(bounded) : null;
    if (whole === null) return null;
    const calls = async (): Promise<string> =>
      (await Promise.all(whole.less.map((span) => this.#callsOf(query, wholeDays(span))))).join('\n');
    const before = await calls();
    const rows = await this.#rowsOf(query, whole.span, true);
    if (rows === null || !rows.areExact) return null;
    for (const span of whole.less) for await (const slice of this.#parts.records(query, span)) for (const part of slice) rows.subtract(part);
    return await calls() === before ? rows : null;
  }

  async usage(query: UsageQuery): Promise<readonly UsageRow[] | null> {
    const asked = { fromMs: Math.max(firstMs, Math.ceil(query.sinceMs ?? firstMs)), toMs: Math.min(lastMs, Math.ceil(query.untilMs ?? lastMs)) };
    const calls = await callsWithin(this.#context, query, asked);
    if (calls === null) return [];
    const found = await this.#ofWiderSpan(query, { asked, calls }) ?? await this.#ofSpan(query, calls.span);
    const all = found === 'too many rows' ? null : found?.all() ?? null;
    return all === null || all.length > query.rowsMax ? null : all;
  }

  async #ofSpan(query: UsageQuery, span: Span): Promise<Rows | 'too many rows' | null> {
    return await this.#ofWholeMonths(query, span) ?? await this.#withWordApart(query, span) ?? await this.#rowsOf(query, span, false);
  }

  /**
   * A period up to now has all calls of its last month or day: whole sums answer it, though it ends within them. It counts only if no call outside
   * the period came meanwhile. Null: it does not help here.
   */
  async #ofWiderSpan(
    query: UsageQuery, { asked, calls }: { readonly asked: Span; readonly calls: CallsWithin },
  ): Promise<Rows | 'too many rows' | null> {
    const [unit] = sumUnitsOf(query);
    if (unit === undefined || query.share !== undefined) return null;
    const wide = widenedTo(unit, calls.span);
    const span = { fromMs: calls.hasFirst ? wide.fromMs : calls.span.fromMs, toMs: calls.hasLast ? wide.toMs : calls.span.toMs };
    if (span.fromMs === calls.span.fromMs && span.toMs === calls.span.toMs) return null;
    const found = await this.#ofSpan(query, span);
    const after = await callsWithin(this.#context, query, asked);
    return after?.hasFirst === calls.hasFirst && after.hasLast === calls.hasLast ? found : null;
  }
}

/** The part of a period that has calls. */
interface CallsWithin {
  readonly span: Span;
  /** Whether the organization's first call is in the period, so that it has none before; the same of its last one. */
  readonly hasFirst: boolean;
  readonly hasLast: boolean;
}

/** Null: it has none. Saves a walk over records from empty centuries. */
async function callsWithin(
  { engine }: Pick<StoreContext, 'engine'>, { organization }: UsageQuery, { fromMs, toMs }: Span,
): Promise<CallsWithin | null> {
  const bound = async (order: 'asc' | 'desc'): Promise<number | null> => {
    const row = await engine.read((db) => db.selectFrom('call_record').select('started_at_ms')
      .where('organization', '=', organization).orderBy('started_at_ms', order).limit(1).executeTakeFirst());
    return row === undefined ? null : Number(row.started_at_ms);
  };
  const [first, last] = [await bound('asc'), await bound('desc')];
  if (first === null || last === null) return null;
  // Whole days stay whole, so that sums answer them.
  const span = { fromMs: Math.max(fromMs, monthOf(first)), toMs: Math.min(toMs, monthEnd(last)) };
  return span.fromMs < span.toMs ? { span, hasFirst: fromMs <= first, hasLast: toMs > last } : null;
}

/** The first instants of a period of whole days or months. */
function startsOf({ fromMs, toMs }: Span, after: (ms: number) => number): number[] {
  const starts: number[] = [];
  for (let at = fromMs; at < toMs; at = after(at)) starts.push(at);
  return starts;
}

function wholeDays({ fromMs, toMs }: Span): Span {
  return { fromMs: dayOf(fromMs), toMs: dayOf(toMs - 1) + 1 };
}

function within(span: Span, { fromMs, toMs }: Span): Span {
  return { fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) };
}

function joined(cuts: readonly CutSpan[]): CutSpan {
  const all = (name: keyof CutSpan): readonly Span[] => cuts.flatMap((cut) => cut[name]);
  return { month: all('month'), day: all('day'), hour: all('hour'), edges: all('edges') };
}

function monthEnd(ms: number): number {
  return monthOf(monthOf(ms) + 32 * 86_400_000);
}

const withoutLabels: readonly string[] = [''];

/** Rows while they are being put together. */
class Rows {
  readonly #query: UsageQuery;
  readonly #names: Names;
  /** By the first subject, then the second; '' where the question has no such dimension. */
  readonly #rows = new Map<string, Map<string, UsageRow>>();
  /** What was read of the labels' texts: most come again with other days or names. */
  readonly #labels = new Map<string, readonly string[]>();
  #count = 0;

  constructor(query: UsageQuery, names: Names) {
    this.#query = query;
    this.#names = names;
  }

  get count(): number {
    return this.#count;
  }

  /** A sum that stopped at the bound has lost what it is made of. */
  get areExact(): boolean {
    return this.#each().every(({ figures }) => figures.every((figure) => figure !== nanoDollarsMax && figure !== -nanoDollarsMax));
  }

  /** `own`: the dimension of the part's subject; null: it has none. */
  add(part: UsagePart, own: string | null): void {
    const [one, other] = this.#query.by;
    const first = one === undefined ? '' : this.#named(one, this.#subjects(part, one, own));
    const second = other === undefined ? '' : this.#named(other, this.#subjects(part, other, own));
    if (typeof first === 'string' && typeof second === 'string') {
      this.#addTo(first, second, part.figures);
      return;
    }
    for (const each of listOf(first)) for (const beside of listOf(second)) this.#addTo(each, beside, part.figures);
  }

  /** A part that was read from records. */
  subtract(part: UsagePart): void {
    this.add({ ...part, figures: part.figures.map((figure) => -figure) }, null);
  }

  /** A row of the question without this dimension. */
  addWithout(dimension: UsageDimension, { subjects, figures }: UsageRow): void {
    const [first = '', second = ''] = subjects.toSpliced(this.#query.by.indexOf(dimension), 0, '');
    this.#addTo(first, second, figures);
  }

  /** Those that have calls. */
  all(): readonly UsageRow[] {
    return this.#each().filter(({ figures }) => figures[0] !== 0).toArray();
  }

  *#each(): Generator<UsageRow, void, undefined> {
    for (const rows of this.#rows.values()) yield* rows.values();
  }

  #addTo(first: string, second: string, figures: UsageFigures): void {
    const { by, share } = this.#query;
    if (share !== undefined && !isInShare([first, second].slice(0, by.length).join('\0'), share)) return;
    let rows = this.#rows.get(first);
    if (rows === undefined) this.#rows.set(first, rows = new Map());
    const row = rows.get(second);
    if (row !== undefined) {
      addUsage(row.figures, figures);
      return;
    }
    rows.set(second, { subjects: [first, second].slice(0, by.length), figures: [...figures] });
    this.#count += 1;
  }

  #named(dimension: UsageDimension, subjects: string | readonly string[]): string | readonly string[] {
    const { keyAs } = this.#query;
    // A call has one key at most.
    return keyAs === undefined || dimension !== 'key' ? subjects : keyAs.get(subjects as string) ?? '';
  }

  /** One, or a list: a call can have several labels. */
  #subjects(part: UsagePart, dimension: UsageDimension, own: string | null): string | readonly string[] {
    if (dimension === own && part.subject !== null) return part.subject;
    switch (dimension) {
      case 'hour': return String(part.startMs!);
      case 'day': return String(dayOf(part.startMs!));
      case 'month': return String(monthOf(part.startMs!));
      case 'run': return subjectOf(part.run);
      case 'session': return subjectOf(part.session);
      case 'upstream': return part.upstream ?? '';
      case 'label': return this.#labelsOf(part.labels);
      default: return part.names?.[dimension] ?? this.#names.get(part.attribution!)?.[dimension] ?? '';
    }
  }

  #labelsOf(text: string | null): readonly string[] {
    if (text === null) return withoutLabels;
    const known = this.#labels.get(text);
    if (known !== undefined) return known;
    const all = [...new Set((JSON.parse(text) as string[]).map(subjectOf))];
    const labels = all.length === 0 ? withoutLabels : all;
    this.#labels.set(text, labels);
    return labels;
  }
}

function listOf(subjects: string | readonly string[]): readonly string[] {
  return typeof subjects === 'string' ? [subjects] : subjects;
}
