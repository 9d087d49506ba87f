/**
 * The days of a bill, each as the time that it covers. A bill has its own zone: a bucket of a day may begin at any quarter of an hour, and an
 * hour's bucket belongs to the day that its text names.
 */
import { dayLengthMs, dayName } from '../../time/utc-day.ts';
import { BillFault } from './bill-fault.ts';

export interface BillDay {
  /** `2026-11-22`, in the bill's zone. */
  readonly day: string;
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
}

const hourMs = 3_600_000;
const quarterMs = hourMs / 4;

/** For a line or bucket of which nobody knows when it was. */
export function startIsMissing(): BillFault {
  return new BillFault('A line or bucket of the file does not say when it starts. The forms that are read are in docs/reconcile.md.');
}

/**
 * The day that a bucket belongs to. `offsetMs`: east of UTC, where its text says so. Without it a bucket of a day that begins before noon UTC
 * belongs to a zone in the west, one that begins at noon or later to a zone in the east. `endMs` null: the whole day.
 */
export function dayOfBucket(startMs: number, endMs: number | null, offsetMs: number | null): BillDay {
  if (!Number.isFinite(startMs) || Math.abs(startMs) > 8_640_000_000_000_000) {
    throw startIsMissing();
  }
  const intoDay = startMs - Math.floor(startMs / dayLengthMs) * dayLengthMs;
  if (endMs === null) {
    const offset = offsetMs ?? 0;
    const from = Math.floor((startMs + offset) / dayLengthMs) * dayLengthMs - offset;
    return { day: dayName(from + offset), fromMs: from, toMs: from + dayLengthMs };
  }
  const length = endMs - startMs;
  // A day in which clocks change has 23 or 25 hours; none in UTC has.
  if (!(length > 0) || length > dayLengthMs + (intoDay === 0 ? 0
    : hourMs)) throw new BillFault('The file has buckets that are longer than a day. Export it by day.');
  const whole = length >= dayLengthMs - hourMs;
  if (whole && intoDay % quarterMs !== 0) throw new BillFault('A day of the file begins at a time that no zone has for midnight.');
  const ofStart = whole && intoDay > 0 ? (intoDay < dayLengthMs / 2 ? -intoDay : dayLengthMs - intoDay) : 0;
  // A text in UTC says when the day began, and not whose day it is.
  const offset = offsetMs === null || offsetMs === 0 ? ofStart : offsetMs;
  const day = dayName(startMs + offset);
  // Where clocks go back, the last hour of a day of 25 hours still belongs to it.
  if (!whole && dayName(endMs - 1 + offset) !== day) throw new BillFault('The file has a bucket that begins on one day and ends on the next.');
  return { day, fromMs: startMs, toMs: endMs };
}

/**
 * Days joined and in order. Days between two whole days of the file that it does not name are covered too: a bill leaves out days without usage.
 */
export function joinedDays(buckets: Iterable<BillDay>): BillDay[] {
  const days = new Map<string, BillDay>();
  for (const bucket of buckets) {
    const known = days.get(bucket.day);
    days.set(bucket.day, known === undefined ? bucket
      : { ...known, fromMs: Math.min(known.fromMs, bucket.fromMs), toMs: Math.max(known.toMs, bucket.toMs) });
  }
  const named = [...days.values()].toSorted((one, other) => one.fromMs - other.fromMs);
  const joined: BillDay[] = [];
  for (const day of named) {
    const last = joined.at(-1);
    if (last !== undefined && day.fromMs < last.toMs) throw new BillFault('The file has days of different zones that overlap.');
    if (last !== undefined) joined.push(...daysBetween(last, day));
    joined.push(day);
  }
  return joined;
}

/** More days than any export has: a wider range contains a wrong date. */
const daysMax = 3_700;

function daysBetween(last: BillDay, next: BillDay): BillDay[] {
  if (next.fromMs - last.toMs > daysMax * dayLengthMs) throw new BillFault('The days of the file lie more than ten years apart.');
  const between: BillDay[] = [];
  const whole = (day: BillDay): boolean => day.toMs - day.fromMs >= dayLengthMs - hourMs;
  if (!whole(last) || !whole(next)) return between;
  let day = last.day;
  for (let fromMs = last.toMs; fromMs < next.fromMs; fromMs += dayLengthMs) {
    day = dayName(Date.parse(day) + dayLengthMs);
    if (day === next.day) {
      // Where clocks went back, the day before has an hour more.
      const before = between.pop();
      if (before !== undefined) between.push({ ...before, toMs: next.fromMs });
      break;
    }
    between.push({ day, fromMs, toMs: Math.min(fromMs + dayLengthMs, next.fromMs) });
  }
  return between;
}

/** Finds the day of an instant in days that are in order; null: the file does not cover it. */
export function dayAt(days: readonly BillDay[], atMs: number): BillDay | null {
  let [low, high] = [0, days.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const day = days[middle]!;
    if (atMs < day.fromMs) high = middle - 1;
    else if (atMs >= day.toMs) low = middle + 1;
    else return day;
  }
  return null;
}

/** An instant of ISO 8601 and the offset that its text names; a date or a text without an offset is UTC. Null: no time, or on a day that is none. */
export function instantOf(value: unknown): { readonly ms: number; readonly offsetMs: number | null } | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d{1,9})?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$/i.exec(text);
  if (match === null) return null;
  const [, date, time, second, zone] = match;
  // Read leniently, February 30 is March 2.
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(day) || dayName(day) !== date) return null;
  const local = Date.parse(`${date}T${time ?? '00:00'}${second ?? ':00'}Z`);
  const signed = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '');
  if (signed === null) return Number.isNaN(local) ? null : { ms: local, offsetMs: zone === undefined ? null : 0 };
  const offsetMs = (signed[1] === '-' ? -1 : 1) * (Number(signed[2]) * 60 + Number(signed[3])) * 60_000;
  return Number.isNaN(local) ? null : { ms: local - offsetMs, offsetMs };
}
