/**
 * Calls of a month → its sums: one line for each key, project, set of labels, model and wire, and one for each day, model and wire. A
 * statement and an allocation are made of them alone. Figures are those of `usage`; a call whose answer names no model stands under the one that was
 * asked for.
 */
import { addUsage, noUsage, subjectOf, usageOfCall, type UsageFigures, type UsageRecord } from '../../report/usage-sum.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { modelOfCall } from '../../record/model-of-call.ts';
import { dayOf } from '../../time/utc-day.ts';
import { Slices, sortedByName, type Slicewise } from '../slices.ts';
import { KeptLabels } from './kept-labels.ts';

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

/** Lines that are kept apart by their labels, and labels; of more, `KeptLabels` leaves some out. A line takes some 500 bytes. */
const linesMaxUsual = 100_000;

/**
 * Adds up calls in memory: it grows with the kinds of calls, not with their number. Labels are callers' to choose, so that they are bounded, unless
 * `isAsked` says that somebody asks for them.
 */
export class MonthSums {
  #calls = new Map<string, CallsLine>();
  readonly #days = new Map<string, DayLine>();
  readonly #labels: KeptLabels;
  readonly #linesMax: number;

  constructor(isAsked: (label: string) => boolean, linesMax: number = linesMaxUsual) {
    this.#labels = new KeptLabels(isAsked);
    this.#linesMax = linesMax;
  }

  add(record: MonthRecord): void {
    const figures = usageOfCall({ ...record, session: null, run: null });
    const [project, model] = [subjectOf(record.project), subjectOf(modelOfCall(record))];
    const { key, wire } = record;
    const labels = record.labels.length === 0 ? [] : this.#labels.ofCall([...new Set(record.labels.map(subjectOf))].sort());
    this.#addLine(this.#calls, { key, project, labels, model, wire, figures });
    const dayMs = dayOf(record.startedAtMs);
    const dayNamed = `${String(dayMs).padStart(16, '0')} ${wire} ${model}`;
    const day = this.#days.get(dayNamed);
    if (day === undefined) this.#days.set(dayNamed, { dayMs, model, wire, figures });
    else addUsage(day.figures, figures);
  }

  #addLine(lines: Map<string, CallsLine>, line: CallsLine): void {
    const { key, project, labels, model, wire, figures } = line;
    const name = JSON.stringify([key, project, labels, model, wire]);
    const known = lines.get(name);
    // A copy: the figures of a call are those of its day too.
    if (known === undefined) lines.set(name, { ...line, figures: [...figures] });
    else addUsage(known.figures, figures);
  }

  /** Leaves out labels if there are too many. To be done after each few thousand calls. */
  *fit(): Slicewise<void> {
    const slices = new Slices();
    while ((this.#calls.size > this.#linesMax || this.#labels.counted > this.#linesMax) && !this.#labels.isLeast) {
      this.#labels.reduce();
      const fewer = new Map<string, CallsLine>();
      for (const line of this.#calls.values()) {
        this.#addLine(fewer, { ...line, labels: this.#labels.ofLine(line.labels) });
        if (slices.isOver(1)) yield;
      }
      this.#calls = fewer;
    }
  }

  /** In an order that depends on what they are alone. */
  calls(): Slicewise<CallsLine[]> {
    return sortedByName(this.#calls, new Slices());
  }

  /** By day, then as above. */
  days(): Slicewise<DayLine[]> {
    return sortedByName(this.#days, new Slices());
  }
}

/** The sum of lines; zeros if there are none. */
export function sumOfLines(lines: Iterable<{ readonly figures: UsageFigures }>): UsageFigures {
  const sum = noUsage();
  for (const { figures } of lines) addUsage(sum, figures);
  return sum;
}
