/** Instants as people read them. Every page shows UTC and says so, because reports and caps use UTC days; the reader's own time is on hover. */

/** As everything else on a page, whatever the browser's language: `docs/decisions/0333`. */
const english = 'en-US';

/** A formatter that is created when it is first needed: each takes a millisecond or more, and no page needs them all. */
function formatter(options: Intl.DateTimeFormatOptions): (at: Date | number) => string {
  let made: Intl.DateTimeFormat | undefined;
  return (at) => (made ??= new Intl.DateTimeFormat(english, { hourCycle: 'h23', ...options })).format(at);
}

const utc = { timeZone: 'UTC' } as const;
const day = { month: 'short', day: 'numeric' } as const;
const minute = { hour: '2-digit', minute: '2-digit' } as const;
const second = { ...minute, second: '2-digit' } as const;
const withYear = formatter({ ...utc, year: 'numeric', ...day, ...minute });
const withoutYear = formatter({ ...utc, ...day, ...second });
const clockAlone = formatter({ ...utc, ...second });
const dayAlone = formatter({ ...utc, ...day });
const dayOfYear = formatter({ ...utc, year: 'numeric', ...day });
const hourAlone = formatter({ ...utc, weekday: 'short', ...minute });
const ownTime = formatter({ year: 'numeric', ...day, ...second, timeZoneName: 'short' });
const hourOfDay = formatter({ ...utc, ...minute });
let relative: Intl.RelativeTimeFormat | undefined;

/** With its zone. Without seconds if the year is not the current one. */
export function utcMoment(date: Date): string {
  return `${(ofThisYear(date) ? withoutYear : withYear)(date)} UTC`;
}

/** As JSON and the platform's sentences write instants, which programs read too. */
const instantForm = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g;

/** A sentence of the platform with its instants as the pages write them. */
export function withMoments(sentence: string): string {
  return sentence.replace(instantForm, (instant) => {
    const date = new Date(instant);
    return Number.isNaN(date.getTime()) ? instant : utcMoment(date);
  });
}

/** The time of day, with its zone. */
export function utcClock(date: Date): string {
  return `${clockAlone(date)} UTC`;
}

/** The time of day without seconds, with its zone. */
export function utcHour(ms: number): string {
  return `${hourOfDay(ms)} UTC`;
}

/** The time of day without its zone, where a heading names it. */
export function shownClock(ms: number): string {
  return hourOfDay(ms);
}

/** The UTC day, with its year if that is not the current one. */
export function utcDay(date: Date): string {
  return (ofThisYear(date) ? dayAlone : dayOfYear)(date);
}

/** In the reader's own zone, named: shown on hover. */
export function ownMoment(date: Date): string {
  return ownTime(date);
}

function ofThisYear(date: Date): boolean {
  return date.getUTCFullYear() === new Date().getUTCFullYear();
}

/** A day of the reports, which is a UTC day. */
export function shownDay(ms: number): string {
  return dayAlone(ms);
}

export function shownHour(ms: number): string {
  return `${hourAlone(ms)} UTC`;
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
  relative ??= new Intl.RelativeTimeFormat(english, { numeric: 'auto' });
  for (const [unit, ms] of steps) if (Math.abs(distance) >= ms) return relative.format(Math.round(distance / ms), unit);
  return 'just now';
}
