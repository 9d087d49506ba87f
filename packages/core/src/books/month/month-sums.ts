/**
 * Calls of a month → its sums: one line for each key, project, set of labels, model and wire, and one for each day, model and wire. A
 * statement and an allocation are made of them alone. Figures are those of `usage`; a call whose answer names no model stands under the one that was
 * asked for.
 */
import { addUsage, noUsage, subjectOf, usageOfCall, type UsageFigures, type UsageRecord } from '../../report/usage-sum.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { dayOf } from '../../time/utc-day.ts';
import { modelOfCall } from '../../record/model-of-call.ts';

/** What is counted of a call. */
export type MonthRecord = Omit<UsageRecord, 'session' | 'run'> & Pick<CallRecord, 'requestedModel'>;

/** Calls that agree in all that tells whose they are. Empty text: none. */
export interface CallsLine {
  readonly key: string;
  readonly project: string;
  /** In the order of the alphabet of code units, each once. */
  readonly labels: readonly string[];
  readonly model: string;
  readonly wire: string;
  readonly figures: UsageFigures;
}

export interface DayLine {
  /** 00:00 UTC. */
  readonly dayMs: number;
  readonly model: string;
  readonly wire: string;
  readonly figures: UsageFigures;
}

/** Adds up calls in memory: it grows with the kinds of calls, not with their number. */
export class MonthSums {
  readonly #calls = new Map<string, CallsLine>();
  readonly #days = new Map<string, DayLine>();

  add(record: MonthRecord): void {
    const figures = usageOfCall({ ...record, session: null, run: null });
    const [project, model] = [subjectOf(record.project), subjectOf(modelOfCall(record))];
    const { key, wire } = record;
    const labels = record.labels.length === 0 ? [] : [...new Set(record.labels.map(subjectOf))].sort();
    const name = JSON.stringify([key, project, labels, model, wire]);
    const line = this.#calls.get(name);
    if (line === undefined) this.#calls.set(name, { key, project, labels, model, wire, figures: [...figures] });
    else addUsage(line.figures, figures);
    const dayMs = dayOf(record.startedAtMs);
    const dayNamed = `${dayMs} ${wire} ${model}`;
    const day = this.#days.get(dayNamed);
    if (day === undefined) this.#days.set(dayNamed, { dayMs, model, wire, figures });
    else addUsage(day.figures, figures);
  }

  /** In an order that depends on what they are alone. */
  calls(): CallsLine[] {
    return ordered(this.#calls.values(), ({ key, project, labels, model, wire }) => JSON.stringify([key, project, labels, model, wire]));
  }

  /** By day, then as above. */
  days(): DayLine[] {
    return ordered(this.#days.values(), ({ dayMs, model, wire }) => `${String(dayMs).padStart(16, '0')} ${wire} ${model}`);
  }
}

/** The sum of lines; zeros if there are none. */
export function sumOfLines(lines: Iterable<{ readonly figures: UsageFigures }>): UsageFigures {
  const sum = noUsage();
  for (const { figures } of lines) addUsage(sum, figures);
  return sum;
}

function ordered<Line>(lines: Iterable<Line>, nameOf: (line: Line) => string): Line[] {
  return [...lines].map((line) => ({ line, name: nameOf(line) }))
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)).map(({ line }) => line);
}
