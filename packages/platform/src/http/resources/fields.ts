/** Fields that several resources of the platform's HTTP have. */
import { z } from '@hono/zod-openapi';

/** An id in a path. One that is not of this form is an unknown one. */
export const idParams = z.object({ id: z.string().min(1).max(200) });

export const instant = z.iso.datetime().openapi({ description: 'ISO 8601, UTC' });

/** US dollars. */
export const dollars = z.string().openapi({ description: 'US dollars, decimal' });

/** A life from now on. */
export const lifeSeconds = z.int().min(1).max(3_153_600_000).nullable().optional()
  .openapi({ description: 'Its life from now on, in seconds; null or absent: it does not expire.' });

export function lifetimeMs(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1_000;
}

/** An instant with `Z` or an offset → milliseconds since the epoch. */
export const instantQuery = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
  .openapi({ type: 'string', format: 'date-time' });
