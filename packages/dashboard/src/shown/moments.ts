/** Instants as people read them: in the reader's zone, today's as a time without a date, with UTC on hover. */
const withYear = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const withoutYear = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const clockAlone = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const localDayAlone = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const localDayOfYear = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
const dayAlone = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const hourAlone = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function localMoment(date: Date): string {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return clockAlone.format(date);
  return date.getFullYear() === now.getFullYear() ? withoutYear.format(date) : withYear.format(date);
}

export function localClock(date: Date): string {
  return clockAlone.format(date);
}

/** With its year where that is not this one. */
export function localDay(date: Date): string {
  return (date.getFullYear() === new Date().getFullYear() ? localDayAlone : localDayOfYear).format(date);
}

export function utcMoment(date: Date): string {
  return `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.000Z$|Z$/, '')} UTC`;
}

/** A day of the reports, which is a day of UTC. */
export function shownDay(ms: number): string {
  return dayAlone.format(ms);
}

export function shownHour(ms: number): string {
  return hourAlone.format(ms);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** `5 minutes ago`, `in 3 hours`. */
export function agoOrAhead(date: Date, nowMs: number): string {
  const distance = date.getTime() - nowMs;
  for (const [unit, ms] of steps) if (Math.abs(distance) >= ms) return relative.format(Math.round(distance / ms), unit);
  return 'just now';
}
