/**
 * Forms of option values: durations, times, statuses, whole numbers, pairs of prices. A malformed value is a `UsageFault` that names the option and
 * shows a valid one. Rules: Interfaces.
 */
import { parseDollars } from '@metergate/core/money.ts';
import { areModelPatterns, modelPatternsForm } from '@metergate/core/call/allowed-models.ts';
import { parseStatus, statusForm, type StatusFilter } from '@metergate/core/report/call-search.ts';
import type { RangeFault, RangeWords, TimeRange } from '@metergate/core/time/time-range.ts';
import {
  durationMs as parseDuration, momentOf, monthForm, parseMonth, parseTime, timeForms, type TimeWord,
} from '@metergate/core/time/time-word.ts';
import { printable } from './check-arguments.ts';
import { UsageFault } from './command.ts';

/** `30s`, `15m`, `24h`, `7d` → milliseconds, above 0. */
export function givenDurationMs(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new UsageFault(`--${option} must be a duration such as 30s, 15m, 24h or 7d, not ${printable(text)}.`);
}

/** A time in any of the forms of `parseTime`. */
function timeWord(option: string, text: string): TimeWord {
  const word = parseTime(text);
  if (word !== null) return word;
  throw new UsageFault(`--${option} must be ${timeForms}, not ${printable(text)}.`);
}

/** The same, as the instant it means now. */
export function timeMs(option: string, text: string, nowMs: number): number {
  return momentOf(timeWord(option, text), nowMs);
}

/** The options `--month`, or `--since` and `--until`, as given. */
interface RangeOptions {
  readonly month?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The words of a range, before the present moment is known. */
export function rangeWords({ month, since, until }: RangeOptions): RangeWords {
  return {
    monthMs: month === undefined ? undefined : monthMs('month', month),
    since: since === undefined ? undefined : timeWord('since', since),
    until: until === undefined ? undefined : timeWord('until', until),
  };
}

/** A parsed range, or the usage fault that says why it is invalid. */
export function givenRange(range: TimeRange | RangeFault): TimeRange {
  if (range === 'month_and_range') throw new UsageFault('--month cannot be combined with --since or --until.');
  if (range === 'ends_before_it_begins') throw new UsageFault('--until must not be before --since.');
  return range;
}

/** `2026-11` → its first instant. */
export function monthMs(option: string, text: string): number {
  return monthNamed(`--${option}`, text);
}

/** The same where the month is not an option but stands by itself. */
export function monthArgumentMs(text: string): number {
  return monthNamed('The month', text);
}

function monthNamed(what: string, text: string): number {
  const ms = parseMonth(text);
  if (ms !== null) return ms;
  throw new UsageFault(`${what} must be ${monthForm}, not ${printable(text)}.${monthHint(text)}`);
}

const monthNames = [
  'january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december',
];

/** For a month by its name, or a part of it: how it is written. */
function monthHint(text: string): string {
  const word = /^\p{L}{3,}/u.exec(text.toLowerCase())?.[0] ?? '-';
  const index = monthNames.findIndex((name) => name.startsWith(word));
  if (index === -1) return '';
  const year = /\b(\d{4})\b/.exec(text)?.[1] ?? 'YYYY';
  return ` Write ${year}-${String(index + 1).padStart(2, '0')}${year === 'YYYY' ? ', with the year for YYYY' : ''}.`;
}

/** `429`, `4xx`, `error`: a filter of calls by status. */
export function statusFilter(option: string, text: string): StatusFilter {
  const status = parseStatus(text);
  if (status !== null) return status;
  throw new UsageFault(`--${option} must be ${statusForm}, not ${printable(text)}.`);
}

/** A whole number within bounds. */
export function givenWholeNumber(option: string, text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new UsageFault(`--${option} must be a whole number from ${min} to ${max}, not ${printable(text)}.`);
}

const amountForm = 'an amount of US dollars such as 2.50, below 9.2 billion, with at most nine decimal places';

/** Plain decimal text that the store can hold in nano-dollars. */
function isAmount(text: string): boolean {
  return /^\d{1,10}(?:\.\d{1,9})?$/.test(text) && parseDollars(text) !== null;
}

/** `2.50` → the amount of US dollars as written, from 0. */
export function givenDollars(option: string, text: string): string {
  if (isAmount(text)) return text;
  throw new UsageFault(`--${option} must be ${amountForm}, not ${printable(text)}.`);
}

/** The same, above 0 and with at most six decimal places, as budgets of runs are. */
export function runBudget(option: string, text: string): string {
  if (isAmount(text) && /^\d+(?:\.\d{1,6})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new UsageFault(`--${option} must be an amount of US dollars above 0 such as 2.50, with at most six decimal places, not ${printable(text)}.`);
}

/** Like `givenDollars`; `none` → null. */
export function dollarsOrNone(option: string, text: string): string | null {
  if (text === 'none') return null;
  if (isAmount(text)) return text;
  throw new UsageFault(`--${option} must be ${amountForm}, or none, not ${printable(text)}.`);
}

/** `2.50/10` → the two amounts, US dollars per million tokens, as written; `none` → null. */
export function pricePair(option: string, text: string): { readonly input: string; readonly output: string } | null {
  if (text === 'none') return null;
  const [input, output, ...more] = text.split('/');
  if (input !== undefined && output !== undefined && more.length === 0 && isAmount(input) && isAmount(output)) return { input, output };
  throw new UsageFault(`--${option} must be two amounts of US dollars per million tokens, such as 2.50/10, or none.`);
}

/** `50,80,100`: thresholds of a limit. */
export function percentages(option: string, text: string): number[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.every((word) => /^\d{1,4}$/.test(word) && Number(word) >= 1 && Number(word) <= 1_000) && words.length <= 10) return words.map(Number);
  throw new UsageFault(`--${option} must be one to ten whole numbers of percent from 1 to 1000, such as 50,80,100.`);
}

/** `gpt-5*,claude-*`; `none` is null. @throws UsageFault */
export function modelPatterns(text: string): readonly string[] | null {
  if (text === 'none') return null;
  const patterns = text.split(',').map((pattern) => pattern.trim());
  if (!areModelPatterns(patterns)) throw new UsageFault(`--models: ${modelPatternsForm}; or none.`);
  return patterns;
}
