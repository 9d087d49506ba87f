/** Finds the one record with an id by the index over ids: by its last eight digits, then by the whole id. */
import { sql, type RawBuilder } from 'kysely';

/** The condition, in the form that the index serves. */
export function hasId(id: string): RawBuilder<boolean> {
  return sql<boolean>`(substr(id, 29, 8) = ${id.slice(-8)} and id = ${id})`;
}
