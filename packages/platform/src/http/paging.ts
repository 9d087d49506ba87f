/**
 * Lists of the platform's HTTP: `?limit=&cursor=` in, `{data, nextCursor}` out. Rules: Platform HTTP.
 * A cursor is opaque to callers and names a position in the list, not a row, so that it stays valid when the row is deleted. It is valid for
 * one list of one organization. Any other cursor is 400 `invalid_cursor`, like a made-up one.
 */
import { z } from '@hono/zod-openapi';
import type { ListPage, ListPlace } from '@metergate/store/engine/list-page.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../use-cases/refusal.ts';

const limitDefault = 100;
const limitMax = 1_000;
const cursorLengthMax = 4_096;

const limitField = (otherwise: string) => z.string().regex(/^[1-9]\d{0,3}$/).transform(Number).refine((limit) => limit <= limitMax).optional()
  .openapi({ type: 'integer', minimum: 1, maximum: limitMax, description: `At most this many; ${otherwise} unless given.` });

export const pageQuery = z.object({
  limit: limitField(String(limitDefault)),
  cursor: z.string().min(1).max(cursorLengthMax).regex(/^[A-Za-z0-9_-]+$/).optional()
    .openapi({ description: 'The nextCursor of the previous page of the same list and organization.' }),
});

/** For short lists: everything is one page, unless a limit is given. */
export const shortListQuery = pageQuery.extend({ limit: limitField('all') });

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface PageOf<Item> {
  readonly data: readonly Item[];
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z.string().nullable().openapi({ description: 'Opaque. Send it as cursor to get the next page; null: this is the last page.' }),
  });
}

export function limitOf({ limit }: PageQuery): number {
  return limit ?? limitDefault;
}

/** Which list: its operation's name, and its organization. */
interface ListName {
  readonly list: string;
  readonly organization: string;
}

/** One page that the store reads as such: its rows, and one more to know whether others follow. */
export async function storedPage<Item>(
  name: ListName, query: PageQuery,
  { read, placeOf }: {
    readonly read: (page: ListPage) => Promise<readonly Item[] | AdministrationRefusal>; readonly placeOf: (item: Item) => ListPlace;
  },
): Promise<PageOf<Item> | AdministrationRefusal> {
  const after = query.cursor === undefined ? undefined : placeAt(name, query.cursor);
  if (after === null) return invalidCursor();
  const limit = limitOf(query);
  const items = await read({ after, limit: limit + 1 });
  if (isRefusal(items)) return items;
  const data = items.slice(0, limit);
  return { data, nextCursor: items.length > limit ? cursorTo(name, placeOf(data.at(-1)!)) : null };
}

/** The list position of an item that shows when it was created. */
export function placeByMaking({ createdAt, id }: { readonly createdAt: string; readonly id: string }): ListPlace {
  return { at: Date.parse(createdAt), id };
}

function cursorTo({ list, organization }: ListName, { at, id }: ListPlace): string {
  return encodeCursor(`${list} ${organization} ${at} ${id}`);
}

/** Null: of another list, or not one of our cursors. */
function placeAt({ list, organization }: ListName, cursor: string): ListPlace | null {
  const [, ofList, of, at, id] = /^(\w+) (\w+) (\d{1,15}) ([^\0]+)$/.exec(decodeCursor(cursor)) ?? [];
  return ofList === list && of === organization ? { at: Number(at), id: id! } : null;
}

/** One page of a list that is completely in memory; `nameOf` tells its items apart. */
export function pageOfList<Item>(
  { list, organization }: ListName, items: readonly Item[], { nameOf, query }: { readonly nameOf: (item: Item) => string; readonly query: PageQuery },
): PageOf<Item> | AdministrationRefusal {
  const place = (item: Item): string => `${list} ${organization} ${nameOf(item)}`;
  let start = 0;
  if (query.cursor !== undefined) {
    const after = decodeCursor(query.cursor);
    start = items.findIndex((item) => place(item) === after) + 1;
    if (start === 0) return invalidCursor();
  }
  const data = items.slice(start, start + limitOf(query));
  return { data, nextCursor: start + data.length < items.length ? encodeCursor(place(data.at(-1)!)) : null };
}

/** A page of a short list, by the ids in it. */
export async function pageOfShortList<Item extends { readonly id: string }>(
  name: ListName, found: Promise<readonly Item[] | AdministrationRefusal>, query: PageQuery,
): Promise<PageOf<Item> | AdministrationRefusal> {
  const items = await found;
  if (isRefusal(items)) return items;
  return pageOfList(name, items, { nameOf: ({ id }) => id, query: { ...query, limit: query.limit ?? Math.max(1, items.length) } });
}

export function encodeCursor(place: string): string {
  return Buffer.from(place, 'utf8').toString('base64url');
}

/** The position; for a foreign cursor, a text that matches nothing. */
export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

export function invalidCursor(): AdministrationRefusal {
  return refuseInput('invalid_cursor', 'This cursor does not belong to this list. Start again without it.');
}
