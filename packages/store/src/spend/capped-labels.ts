/** The labels of organizations that have caps, as a change reads them in its transaction. */
import type { Transaction } from 'kysely';
import type { Schema } from '../schema/schema.ts';

export async function cappedLabels(
  transaction: Transaction<Schema>, organizations: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await transaction.selectFrom('cap').select(['organization', 'subject']).distinct()
    .where('scope', '=', 'label').where('organization', 'in', organizations).execute();
  return new Map([...Map.groupBy(rows, ({ organization }) => organization)]
    .map(([organization, caps]) => [organization, new Set(caps.map(({ subject }) => subject))]));
}
