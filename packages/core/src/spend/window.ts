/**
 * An instant → the calendar window that holds it, in UTC, computed from boundaries and never by a job that resets
 * (spec: Budget cap; rule 5a). Weeks begin on Monday, 00:00.
 */
import { dayAfter, dayLengthMs, dayOf } from '../time/utc-day.ts';

/** Shortest first. A lifetime never resets. */
export const calendarWindows = ['day', 'week', 'month', 'year', 'lifetime'] as const;
export type CalendarWindow = (typeof calendarWindows)[number];

/** From `startMs` on, before `endMs`; null: it never ends. */
export interface WindowBounds {
  readonly startMs: number;
  readonly endMs: number | null;
}

const weekMs = 7 * dayLengthMs;
/** 1970-01-01 was a Thursday: the week it lies in began three days before. */
const mondayMs = -3 * dayLengthMs;

/** The window that holds `instantMs`: milliseconds since the epoch, from 0 up to the year 275,000; a fraction is allowed. */
export function windowAt(window: CalendarWindow, instantMs: number): WindowBounds {
  switch (window) {
    case 'day': {
      const startMs = dayOf(instantMs);
      return { startMs, endMs: dayAfter(startMs) };
    }
    case 'week': {
      const startMs = Math.floor((instantMs - mondayMs) / weekMs) * weekMs + mondayMs;
      return { startMs, endMs: startMs + weekMs };
    }
    case 'month': {
      const date = new Date(instantMs);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return { startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
    }
    case 'year': {
      const year = new Date(instantMs).getUTCFullYear();
      return { startMs: Date.UTC(year), endMs: Date.UTC(year + 1) };
    }
    case 'lifetime':
      return { startMs: 0, endMs: null };
  }
}

/** Which of two windows is the longer one: above 0 for the first, below 0 for the second, 0 for the same. */
export function compareLength(one: CalendarWindow, other: CalendarWindow): number {
  return calendarWindows.indexOf(one) - calendarWindows.indexOf(other);
}
