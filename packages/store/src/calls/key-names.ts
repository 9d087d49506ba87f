/** Names and owners of service keys by their ids, for lists of calls. An erased or unnamed key has none. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface KeyNameTable {
  /** The names of those of these keys that have one. Ask for at most a few thousand at a time. */
  names(organization: OrganizationId, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whose key it is; null: there is no such key. */
  owner(key: string): Promise<OrganizationId | null>;
}

const keysAtOnce = 500;

export function keyNamesIn({ engine }: StoreContext): KeyNameTable {
  return {
    async names(organization, keys) {
      const found = new Map<string, string>();
      const all = [...new Set(keys)];
      for (let from = 0; from < all.length; from += keysAtOnce) {
        const rows = await engine.read((db) => db.selectFrom('service_key').select(['id', 'name'])
          .where('organization', '=', organization).where('id', 'in', all.slice(from, from + keysAtOnce)).execute());
        for (const { id, name } of rows) if (name !== null) found.set(id, name);
      }
      return found;
    },
    owner: (key) => engine.read(async (db) => {
      const row = key.includes('\0') ? undefined
        : await db.selectFrom('service_key').select('organization').where('id', '=', key).executeTakeFirst();
      return (row?.organization ?? null) as OrganizationId | null;
    }),
  };
}
