/**
 * The larger part of a day, as another zone than UTC cuts it, from the day's sums: they less the records of the rest, which are fewer. Sums and
 * records are read one after the other, so it counts only if the day has the same calls before and after.
 */
import { nanoDollarsMax } from '@metergate/core/money.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import type { UsagePart } from './usage-part.ts';
import type { UsageParts } from './usage-parts.ts';
import type { Span, UsageQuery } from './usage-query.ts';

/** A part of one day, and the rest of that day before and after it. */
interface DayPart {
  readonly part: Span;
  readonly day: Span;
  readonly rest: readonly Span[];
}

/** A period of parts of days, cut at each midnight. */
export function dayPartsOf({ fromMs, toMs }: Span): readonly DayPart[] {
  const parts: DayPart[] = [];
  for (let at = fromMs; at < toMs;) {
    const day = { fromMs: dayOf(at), toMs: dayAfter(dayOf(at)) };
    const part = { fromMs: at, toMs: Math.min(toMs, day.toMs) };
    const rest = [{ fromMs: day.fromMs, toMs: part.fromMs }, { fromMs: part.toMs, toMs: day.toMs }].filter((each) => each.fromMs < each.toMs);
    parts.push({ part, day, rest });
    at = part.toMs;
  }
  return parts;
}

export function isMostOfDay({ part, day }: DayPart): boolean {
  return (part.toMs - part.fromMs) * 2 > day.toMs - day.fromMs;
}

/** The day's parts, and those of the rest, which are to be subtracted. Null: read the records. `summed`: the parts of a whole day. */
export async function mostOfDay(
  parts: UsageParts, query: UsageQuery, { day, rest }: DayPart, summed: (day: Span) => Promise<readonly UsagePart[]>,
): Promise<{ readonly whole: readonly UsagePart[]; readonly less: readonly UsagePart[] } | null> {
  const callsOfDay = async (): Promise<string> =>
    (await parts.named({ ...query, by: [], filter: {} }, 'day', day)).map(({ figures }) => figures.join(' ')).join();
  const before = await callsOfDay();
  const whole = await summed(day);
  const less: UsagePart[] = [];
  for (const span of rest) for await (const slice of parts.records(query, span)) less.push(...slice);
  // A sum that stopped at the bound has lost what it is made of.
  const isExact = whole.every(({ figures }) => figures.every((figure) => figure !== nanoDollarsMax && figure !== -nanoDollarsMax));
  return isExact && await callsOfDay() === before ? { whole, less } : null;
}
