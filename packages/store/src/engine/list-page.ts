/**
 * One page of a list in the order in which its rows were created. A position is a row's time and id, so that the next page works even if that
 * row has been deleted.
 */
import { sql, type RawBuilder } from 'kysely';

/** A row's position in its list. */
export interface ListPlace {
  /** Milliseconds since the epoch; whatever else is counted upwards, where a list has no times. */
  readonly at: number;
  /** Distinguishes rows of the same moment. */
  readonly id: string;
}

/** Which rows of a list: those after `after`, at most `limit`. All of them where neither is given. */
export interface ListPage {
  readonly after?: ListPlace | undefined;
  readonly limit?: number | undefined;
}

/** Larger than any list. */
const limitNone = 2_147_483_647;

/** The most rows to read. Without a limit the list is complete. */
export function limitOfPage({ limit }: ListPage): number {
  return limit ?? limitNone;
}

/** The condition that a row comes after the place; `columns`: time and id, as the list is ordered. An index serves it. */
export function isAfter([at, id]: readonly [at: string, id: string], { after }: ListPage): RawBuilder<boolean> {
  if (after === undefined) return sql<boolean>`1 = 1`;
  // No stored text contains it, and PostgreSQL accepts it in no text.
  const idAfter = after.id.replaceAll('\0', '');
  return sql<boolean>`(${sql.ref(at)}, ${sql.ref(id)}) > (${BigInt(Math.floor(after.at))}, ${idAfter})`;
}
