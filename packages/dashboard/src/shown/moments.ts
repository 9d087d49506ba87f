/** Instants as people read them. Every page shows UTC and says so, because reports and caps use UTC days; the reader's own time is on hover. */
const utc = { timeZone: 'UTC', hourCycle: 'h23' } as const;
const withYear = new Intl.DateTimeFormat(undefined, {
  ...utc,
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const withoutYear = new Intl.DateTimeFormat(undefined, {
  ...utc,
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const clockAlone = new Intl.DateTimeFormat(undefined, { ...utc, hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAlone = new Intl.DateTimeFormat(undefined, { ...utc, month: 'short', day: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { ...utc, year: 'numeric', month: 'short', day: 'numeric' });
const hourAlone = new Intl.DateTimeFormat(undefined, { ...utc, weekday: 'short', hour: '2-digit', minute: '2-digit' });
const ownTime = new Intl.DateTimeFormat(undefined, {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const hourOfDay = new Intl.DateTimeFormat(undefined, { ...utc, hour: '2-digit', minute: '2-digit' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** With its zone. Without seconds if the year is not the current one. */
export function utcMoment(date: Date): string {
  return `${(ofThisYear(date) ? withoutYear : withYear).format(date)} UTC`;
}

/** The time of day, with its zone. */
export function utcClock(date: Date): string {
  return `${clockAlone.format(date)} UTC`;
}

/** The time of day without seconds, with its zone. */
export function utcHour(ms: number): string {
  return `${hourOfDay.format(ms)} UTC`;
}

/** The time of day without its zone, where a heading names it. */
export function shownClock(ms: number): string {
  return hourOfDay.format(ms);
}

/** The UTC day, with its year if that is not the current one. */
export function utcDay(date: Date): string {
  return (ofThisYear(date) ? dayAlone : dayOfYear).format(date);
}

/** In the reader's own zone, named: shown on hover. */
export function ownMoment(date: Date): string {
  return ownTime.format(date);
}

function ofThisYear(date: Date): boolean {
  return date.getUTCFullYear() === new Date().getUTCFullYear();
}

/** A day of the reports, which is a UTC day. */
export function shownDay(ms: number): string {
  return dayAlone.format(ms);
}

export function shownHour(ms: number): string {
  return `${hourAlone.format(ms)} UTC`;
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
