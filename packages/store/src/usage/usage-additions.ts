/** Call records → what they add to each usage sum: one row for each sum, whatever the number of its calls. Pure. */
import {
  addUsage, attributionDimensions, noUsage, subjectsOf, usageOfCall, type UsageFigures, type UsageRecord,
} from '@metergate/core/report/usage-sum.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import { countedSets, setDimension, setOf } from './label-sets.ts';

/** What one row of `usage_sum` gains. */
export interface NamedAddition {
  readonly organization: string;
  readonly dimension: string;
  readonly dayMs: number;
  readonly subject: string;
  readonly figures: UsageFigures;
}

/** What one row of `attribution_sum` gains. */
export interface AttributionAddition {
  readonly attribution: number;
  readonly span: 'day' | 'hour';
  readonly startMs: number;
  readonly figures: UsageFigures;
}

/** The dimension under which `word_sum` has labels by month: its `day_ms` is the month's first instant. */
export const labelMonths = 'label/month';

/** The dimension under which `usage_sum` has hours: its `day_ms` is the hour's first instant. */
export const namedHours = 'hour';
/** The same of each label's calls. */
export const hourlyLabels = 'label/hour';

/** What one row of `word_sum` gains. */
export interface WordAddition extends NamedAddition {
  readonly attribution: number;
  /** The hours of the day in which such calls started, hour 0 the lowest bit; null in sums by month. */
  readonly hours: number | null;
}

export interface UsageAdditions {
  readonly named: readonly NamedAddition[];
  readonly attributed: readonly AttributionAddition[];
  readonly words: readonly WordAddition[];
}

/** In the order of each table's key, so that two shippers never wait for each other in a circle. */
export function orderedUsageAdditionsOf(records: readonly UsageRecord[], attributions: readonly number[]): UsageAdditions {
  const { named, attributed, words } = usageAdditionsOf(records, attributions);
  return {
    named: named.toSorted(by('organization', 'dimension', 'dayMs', 'subject')),
    attributed: attributed.toSorted(by('attribution', 'span', 'startMs')),
    words: words.toSorted(by('organization', 'dimension', 'subject', 'dayMs', 'attribution')),
  };
}

/** In no particular order. `attributions`: their numbers, in the order of the records. */
export function usageAdditionsOf(records: readonly UsageRecord[], attributions: readonly number[]): UsageAdditions {
  const days = new Map<string, DayAdditions>();
  for (const calls of likeCallsOf(records, attributions)) {
    const { dayMs, like: { organization } } = calls;
    const name = `${dayMs} ${organization}`;
    let day = days.get(name);
    if (day === undefined) {
      day = {
        organization, dayMs, monthMs: monthOf(dayMs), named: new Map(), attributed: new Map(), words: new Map(), sets: new Map(), hours: new Map(),
      };
      days.set(name, day);
    }
    addCalls(day, calls);
  }
  return together([...days.values()]);
}

/**
 * Calls of one hour that count under the same names, whatever their runs: they are summed first, since a batch mostly has few of these, and may have
 * as many runs as calls.
 */
interface LikeCalls {
  /** One of these calls. */
  readonly like: UsageRecord;
  readonly attribution: number;
  readonly dayMs: number;
  /** From 0 to 23. */
  readonly hour: number;
  /** By the run's name; '' for those without one. */
  readonly runs: Map<string, UsageFigures>;
}

function likeCallsOf(records: readonly UsageRecord[], attributions: readonly number[]): LikeCalls[] {
  const all: LikeCalls[] = [];
  const known = new Map<number, Map<string, LikeCalls>>();
  for (const [index, record] of records.entries()) {
    const attribution = attributions[index]!;
    const dayMs = dayOf(record.startedAtMs);
    const hour = Math.floor((record.startedAtMs - dayMs) / hourMs);
    const startMs = dayMs + hour * hourMs;
    const ofAttribution = within(known, attribution);
    const { labels } = record;
    const words = labels.length === 0 ? String(startMs) : JSON.stringify([startMs, labels]);
    let calls = ofAttribution.get(words);
    if (calls === undefined) {
      calls = { like: record, attribution, dayMs, hour, runs: new Map() };
      ofAttribution.set(words, calls);
      all.push(calls);
    }
    const run = subjectsOf('run', record)[0]!;
    const figures = usageOfCall(record);
    const ofRun = calls.runs.get(run);
    if (ofRun === undefined) calls.runs.set(run, figures);
    else addUsage(ofRun, figures);
  }
  return all;
}

function allRuns({ runs }: LikeCalls): UsageFigures {
  const figures = noUsage();
  for (const ofRun of runs.values()) addUsage(figures, ofRun);
  return figures;
}

/** What calls of one organization add on one day; what labels add to the month is put together at the end. */
interface DayAdditions {
  readonly organization: string;
  readonly dayMs: number;
  readonly monthMs: number;
  readonly named: Map<string, Map<string, UsageFigures>>;
  readonly attributed: Map<number, UsageFigures>;
  readonly words: Map<string, Map<string, Map<number, WordFigures>>>;
  /** By labels that calls have together. */
  readonly sets: Map<string, Map<number, WordFigures>>;
  /** By the hour of the day. */
  readonly hours: Map<number, OfHour>;
}

interface OfHour {
  readonly all: UsageFigures;
  readonly attributed: Map<number, UsageFigures>;
  readonly labels: Map<string, UsageFigures>;
}

interface WordFigures {
  readonly figures: UsageFigures;
  hours: number;
}

function addCalls({ named, attributed, words, sets, hours: byHour }: DayAdditions, calls: LikeCalls): void {
  const { like, attribution, hour } = calls;
  const figures = allRuns(calls);
  const hours = 1 << hour;
  const ofHour = hourIn(byHour, hour);
  addUsage(ofHour.all, figures);
  addTo(ofHour.attributed, attribution, figures);
  const add = (dimension: string, subject: string): void => addTo(within(named, dimension), subject, figures);
  add('day', '');
  for (const dimension of attributionDimensions) add(dimension, subjectsOf(dimension, like)[0]!);
  addTo(attributed, attribution, figures);
  for (const label of subjectsOf('label', like)) {
    add('label', label);
    addToWord(within(within(words, 'label'), label), attribution, { figures, hours });
    addTo(ofHour.labels, label, figures);
  }
  const [namedRuns, wordRuns] = [within(named, 'run'), within(words, 'run')];
  for (const [run, ofRun] of calls.runs) {
    addTo(namedRuns, run, ofRun);
    if (run !== '') addToWord(within(wordRuns, run), attribution, { figures: ofRun, hours });
  }
  const set = setOf(like.labels);
  if (set !== null) add(countedSets, '');
  if (set !== null && set !== '') addToWord(within(sets, set), attribution, { figures, hours });
}

function hourIn(hours: Map<number, OfHour>, hour: number): OfHour {
  let known = hours.get(hour);
  if (known === undefined) hours.set(hour, known = { all: noUsage(), attributed: new Map(), labels: new Map() });
  return known;
}

function within<Key, Inner, Value>(maps: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  let inner = maps.get(key);
  if (inner === undefined) maps.set(key, inner = new Map<Inner, Value>());
  return inner;
}

function addTo<Key>(sums: Map<Key, UsageFigures>, key: Key, figures: UsageFigures): void {
  const known = sums.get(key);
  if (known === undefined) sums.set(key, [...figures]);
  else addUsage(known, figures);
}

function addToWord(sums: Map<number, WordFigures>, attribution: number, { figures, hours }: WordFigures): void {
  const known = sums.get(attribution);
  if (known === undefined) {
    sums.set(attribution, { figures: [...figures], hours });
    return;
  }
  addUsage(known.figures, figures);
  known.hours |= hours;
}

function together(days: readonly DayAdditions[]): UsageAdditions {
  const named: NamedAddition[] = [];
  const words: WordAddition[] = [];
  const attributed: AttributionAddition[] = [];
  const months = new WordMonths();
  for (const { organization, dayMs, monthMs, ...day } of days) {
    for (const [dimension, subjects] of day.named) {
      for (const [subject, figures] of subjects) named.push({ organization, dimension, dayMs, subject, figures });
    }
    const addWords = (dimension: string, subjects: ReadonlyMap<string, ReadonlyMap<number, WordFigures>>, month: string | null): void => {
      for (const [subject, parts] of subjects) {
        for (const [attribution, { figures, hours }] of parts) {
          words.push({ organization, dimension, dayMs, subject, attribution, hours, figures });
          if (month !== null) months.add({ organization, dimension: month, dayMs: monthMs, subject }, attribution, figures);
        }
      }
    };
    for (const [dimension, subjects] of day.words) addWords(dimension, subjects, dimension === 'label' ? labelMonths : null);
    addWords(setDimension.day(dayMs), day.sets, setDimension.month(monthMs));
    for (const [attribution, figures] of day.attributed) attributed.push({ attribution, span: 'day', startMs: dayMs, figures });
    for (const [hour, { all, attributed: ofAttributions, labels }] of day.hours) {
      const startMs = dayMs + hour * hourMs;
      named.push({ organization, dimension: namedHours, dayMs: startMs, subject: '', figures: all });
      for (const [subject, figures] of labels) named.push({ organization, dimension: hourlyLabels, dayMs: startMs, subject, figures });
      for (const [attribution, figures] of ofAttributions) attributed.push({ attribution, span: 'hour', startMs, figures });
    }
  }
  return { named, attributed, words: [...words, ...months.all()] };
}

type WordPlace = Omit<NamedAddition, 'figures'>;

/** What days of one month add to its sums of words. */
class WordMonths {
  readonly #sums = new Map<string, Map<string, { readonly place: WordPlace; readonly parts: Map<number, UsageFigures> }>>();

  add(place: WordPlace, attribution: number, figures: UsageFigures): void {
    const subjects = within(this.#sums, `${place.dimension} ${place.dayMs} ${place.organization}`);
    let known = subjects.get(place.subject);
    if (known === undefined) subjects.set(place.subject, known = { place, parts: new Map() });
    addTo(known.parts, attribution, figures);
  }

  *all(): Generator<WordAddition> {
    for (const subjects of this.#sums.values()) {
      for (const { place, parts } of subjects.values()) {
        for (const [attribution, figures] of parts) yield { ...place, attribution, hours: null, figures };
      }
    }
  }
}

function by<Row>(...fields: readonly (keyof Row)[]): (one: Row, other: Row) => number {
  return (one, other) => {
    for (const field of fields) if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
    return 0;
  };
}
