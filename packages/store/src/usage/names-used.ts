/** Names that calls have used, found by a part of them: projects, models, labels, runs. For the search of the pages. Decision 201. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { StoreContext } from '../sealing/context.ts';

interface NameSearch {
  readonly organization: OrganizationId;
  /** A part of the name; English letters in either case. For a run, the beginning of its id. */
  readonly text: string;
  /** Labels of calls from this day on. */
  readonly sinceMs: number;
  /** At most this many of each kind. */
  readonly limit: number;
}

/** Of each kind, the closest first: the name itself, then names that begin with the text, then the others, shorter ones first. */
interface NamesUsed {
  readonly projects: readonly string[];
  readonly models: readonly string[];
  readonly labels: readonly string[];
  readonly runs: readonly string[];
}

export interface UsedNames {
  holding(search: NameSearch): Promise<NamesUsed>;
}

/** Above every character that an id of a run may hold. */
const afterVisible = '\u007f';

export function usedNamesIn({ engine }: StoreContext): UsedNames {
  return {
    async holding({ organization, text, sinceMs, limit }) {
      const sought = text.replaceAll('\0', '');
      const ofAttributions = (column: 'project' | 'model'): RawBuilder<{ name: string }> => sql`select distinct ${sql.ref(column)} as name
        from attribution where organization = ${organization} and ${sql.ref(column)} <> ''`;
      const labels = sql<{ name: string }>`select distinct subject as name from usage_sum
        where organization = ${organization} and dimension = 'label' and day_ms >= ${BigInt(Math.floor(sinceMs))} and subject <> ''`;
      const found = (names: RawBuilder<{ name: string }>): Promise<string[]> => engine.read(async (db) =>
        (await closestOf(engine.kind, names, sought, limit).execute(db)).rows.map(({ name }) => name));
      const runs = engine.read(async (db) => (await db.selectFrom('run').select('id').where('organization', '=', organization)
        .where('id', '>=', sought).where('id', '<', sought + afterVisible).orderBy('id').limit(limit).execute()).map(({ id }) => id));
      return {
        projects: await found(ofAttributions('project')), models: await found(ofAttributions('model')), labels: await found(labels),
        runs: await runs,
      };
    },
  };
}

function closestOf(kind: Engine['kind'], names: RawBuilder<{ name: string }>, text: string, limit: number): RawBuilder<{ name: string }> {
  const place = kind === 'sqlite' ? sql`instr(lower(name), lower(${text}))` : sql`strpos(lower(name), lower(${text}))`;
  return sql`select name from (select name, ${place} as place from (${names}) as n) as p where place > 0
    order by case when name = ${text} then 0 when place = 1 then 1 else 2 end, length(name), name limit ${limit}`;
}
