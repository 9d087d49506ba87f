/**
 * Calendar windows in UTC, computed from boundaries (spec: Budget cap; design 3, row 5a).
 */

/** Shortest first. A lifetime never resets. */
export const calendarWindows = ['day', 'week', 'month', 'year', 'lifetime'] as const;
export type CalendarWindow = (typeof calendarWindows)[number];
