/**
 * An RFC 3339 timestamp → milliseconds since the epoch. Rules 30 and 30a: both letter cases, `T` and an offset
 * required, calendar dates only, a leap second only where one can be (23:59:60 UTC). Everything else is null.
 */

const form = /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/;
const minuteMs = 60_000;
const dayMinutes = 1_440;
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** The instant, cut to whole milliseconds. A leap second is the last millisecond before the next minute. Null: not a timestamp. */
export function timestampMs(text: string): number | null {
  const found = form.exec(text);
  // `$` would let a line end pass behind the match of other dialects; here it does not, but the length says it for sure.
  if (found === null || found[0].length !== text.length) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const offset = found[8] === undefined ? 0 : offsetMinutes(found[8], Number(found[9]), Number(found[10]));
  if (offset === null || !isDate(year, month, day) || hour > 23 || minute > 59 || second > 60) return null;
  const utcMinute = hour * 60 + minute - offset;
  if (second === 60 && (utcMinute + dayMinutes) % dayMinutes !== dayMinutes - 1) return null;
  const withinMinute = second === 60 ? minuteMs - 1 : second * 1_000 + Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'));
  return midnightMs(year, month, day) + utcMinute * minuteMs + withinMinute;
}

function offsetMinutes(sign: string, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= daysOfMonth[month - 1]! + (leap ? 1 : 0);
}

/** `Date.UTC` reads years below 100 as years of the last century. */
function midnightMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month - 1, day);
}
