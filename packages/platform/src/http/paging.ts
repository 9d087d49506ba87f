/**
 * Lists of the platform's HTTP: `?limit=&cursor=` in, `{data, nextCursor}` out. Design 5, Platform HTTP.
 * A cursor names the place after which to go on, opaque to callers. It is looked up in the asker's own list alone, so that
 * one of another organization is like one that never was: 400 `invalid_cursor`.
 */
import { z } from '@hono/zod-openapi';
import { refuseInput, type AdministrationRefusal } from '../use-cases/refusal.ts';

const limitDefault = 100;
const limitMax = 1_000;
const cursorLengthMax = 4_096;

export const pageQuery = z.object({
  limit: z.string().regex(/^[1-9]\d{0,3}$/).transform(Number).refine((limit) => limit <= limitMax).optional()
    .openapi({ type: 'integer', minimum: 1, maximum: limitMax, description: `At most so many; ${limitDefault} unless given.` }),
  cursor: z.string().min(1).max(cursorLengthMax).regex(/^[A-Za-z0-9_-]+$/).optional()
    .openapi({ description: 'The nextCursor of the page before.' }),
});

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() });
}

export function limitOf({ limit }: PageQuery): number {
  return limit ?? limitDefault;
}

/** One page of a list that is at hand whole, by the ids in it. */
export function pageOfList<Item extends { readonly id: string }>(items: readonly Item[], query: PageQuery): Page<Item> | AdministrationRefusal {
  return pageOfNamed(items, ({ id }) => id, query);
}

/** The same by whatever tells the items of the list apart. */
export function pageOfNamed<Item>(items: readonly Item[], nameOf: (item: Item) => string, query: PageQuery): Page<Item> | AdministrationRefusal {
  let start = 0;
  if (query.cursor !== undefined) {
    const after = decodeCursor(query.cursor);
    start = items.findIndex((item) => nameOf(item) === after.slice(1)) + 1;
    if (start === 0) return invalidCursor();
  }
  const data = items.slice(start, start + limitOf(query));
  return { data, nextCursor: start + data.length < items.length ? encodeCursor(`.${nameOf(data.at(-1)!)}`) : null };
}

export function encodeCursor(place: string): string {
  return Buffer.from(place, 'utf8').toString('base64url');
}

/** The place; text that nothing has where the cursor is none of ours. */
export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

export function invalidCursor(): AdministrationRefusal {
  return refuseInput('invalid_cursor', 'The cursor is not one that this list gave. Begin again without it.');
}
