/**
 * An instant → its ISO 8601 text in UTC, with milliseconds, as `Date` writes it. For many consecutive instants within a
 * second, the text of the second is cached.
 */

let keptSecond = NaN;
let keptText = '';

/** `instantMs`: milliseconds since the epoch, from 0 up to the year 9999; a fraction of a millisecond is cut. */
export function instantText(instantMs: number): string {
  const second = Math.floor(instantMs / 1000);
  if (second !== keptSecond) {
    keptText = new Date(second * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS.'.length);
    keptSecond = second;
  }
  const ms = Math.floor(instantMs - second * 1000);
  return `${keptText}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
}
