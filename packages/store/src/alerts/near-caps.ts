/** How many organizations have a reached cap and how many are near one, for metrics. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { spendOfCaps } from '../spend/spend-days.ts';

export interface NearCapsPage {
  readonly reached: number;
  readonly near: number;
  /** Where to continue; null: there are no more. */
  readonly next: OrganizationId | null;
}

export interface NearCaps {
  /**
   * Organizations with a reached cap, and others with a cap of which at least four fifths are spent, in the windows that hold `atMs`. Caps
   * that refuse nothing count too. Of the next `limit` organizations with caps after `page.after`, in the order of their ids; null: the first.
   */
  count(atMs: number, page: { readonly after: OrganizationId | null; readonly limit: number }): Promise<NearCapsPage>;
}

export function nearCapsIn({ background: engine }: StoreContext): NearCaps {
  return {
    count: (atMs, { after, limit }) => engine.read(async (db) => {
      const from = after ?? '';
      const last = await db.selectFrom('cap').select('organization').distinct().where('organization', '>', from)
        .orderBy('organization').offset(limit - 1).limit(1).executeTakeFirst();
      const until = last === undefined ? sql`` : sql`and c.organization <= ${last.organization}`;
      const { rows: [row] } = await sql<{ reached: bigint | null; near: bigint | null }>`
        select cast(sum(case worst when 2 then 1 else 0 end) as bigint) as reached,
          cast(sum(case worst when 1 then 1 else 0 end) as bigint) as near
        from (select max(case when s.spent_nano >= c.limit_nano then 2
            when s.spent_nano >= c.limit_nano - c.limit_nano / 5 then 1 else 0 end) as worst
          from cap as c join ${spendOfCaps(engine.kind, atMs, sql`c.organization > ${from} ${until}
            and not exists (select 1 from erased_organization as e where e.organization = c.organization)`)} as s on s.cap = c.id
          group by c.organization) as standing`.execute(db);
      return { reached: Number(row?.reached ?? 0), near: Number(row?.near ?? 0), next: (last?.organization ?? null) as OrganizationId | null };
    }),
  };
}
