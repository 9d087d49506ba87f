/** How often the outcome of work is asked for, and how long a provider that wants to be left alone is. Decision 138. Pure. */

const secondMs = 1_000;
const dayMs = 86_400_000;

/** Providers keep what became of work for about a month; what is older is not asked for any more. */
export const followedForMs = 30 * dayMs;

/** From one look to the next, by the age of the work: a tenth of it, from two seconds to one minute; ten minutes after a day. */
export function pauseMs(ageMs: number): number {
  if (ageMs >= dayMs) return 600 * secondMs;
  return Math.min(60 * secondMs, Math.max(2 * secondMs, Math.floor(ageMs / 10)));
}

/** What a `Retry-After` asks for, from a second to an hour; without one, half a minute. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  const text = header?.trim() ?? '';
  const askedMs = /^\d{1,9}$/.test(text) ? Number(text) * secondMs : Date.parse(text) - nowMs;
  return Number.isNaN(askedMs) ? 30 * secondMs : Math.min(3_600 * secondMs, Math.max(secondMs, askedMs));
}
