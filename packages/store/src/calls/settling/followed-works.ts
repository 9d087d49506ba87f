/** Work whose outcome its organization wants to be asked for: which is due, and when it is due again. Decision 138. */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql, type Selectable } from 'kysely';
import type { DeferredWorkTable } from '../../schema/work-schema.ts';
import type { StoreContext } from '../../sealing/context.ts';

/** One piece of work that is not settled. */
export interface FollowedWork {
  readonly organization: CallRecord['organization'];
  /** Who does it: a named provider, `upstream`, or `upstream NAME`. */
  readonly seller: string;
  /** The provider's id. */
  readonly work: string;
  /** The call that began it, and its path. */
  readonly beganBy: CallRecord['id'];
  readonly path: string;
  readonly beganMs: number;
  /** How often it was asked for. */
  readonly looks: number;
}

export interface FollowedWorks {
  /** Due at `nowMs`, the longest due first, those of all organizations in turn. At most `each` of an organization, and `all` together. */
  due(nowMs: number, most: { readonly each: number; readonly all: number }): Promise<readonly FollowedWork[]>;
  /** It was asked for and is due again then; null: never. */
  again(work: FollowedWork, nextMs: number | null): Promise<void>;
  /** Forgets work that began before `beforeMs`, settled or not (decision 0133); some of it at a time. Returns how much. */
  forget(beforeMs: number): Promise<number>;
}

/** Forgotten at once. */
const forgottenAtOnce = 500;

/** After the call that began it. */
const firstLookMs = 2_000;
/** As `looks` of work that is not asked for any more. */
const never = -1;

type Row = { readonly began_by: string } & Pick<Selectable<DeferredWorkTable>, 'organization' | 'wire' | 'work' | 'path' | 'began_ms' | 'looks'>;

export function followedWorksIn({ engine }: Pick<StoreContext, 'engine'>): FollowedWorks {
  return {
    due: (nowMs, { each, all }) => engine.read(async (db) => {
      const wanted = await sql`select 1 from organization where follow = 1 limit 1`.execute(db);
      if (wanted.rows.length === 0) return [];
      const now = BigInt(Math.floor(nowMs));
      const { rows } = await sql<Row>`select * from (
        select w.*, coalesce(w.next_look_ms, w.began_ms + ${firstLookMs}) as due_ms,
          row_number() over (partition by w.organization order by coalesce(w.next_look_ms, w.began_ms + ${firstLookMs}), w.work) as place
        from deferred_work as w join organization as o on o.id = w.organization and o.follow = 1
        where w.settled_by is null and w.part_of is null and w.began_by is not null and w.looks >= 0
          and coalesce(w.next_look_ms, w.began_ms + ${firstLookMs}) <= ${now}
      ) as d where place <= ${each} order by place, due_ms, organization limit ${all}`.execute(db);
      return rows.map((row) => ({
        organization: row.organization as CallRecord['organization'], seller: row.wire, work: row.work,
        beganBy: row.began_by as CallRecord['id'], path: row.path ?? '', beganMs: Number(row.began_ms), looks: Number(row.looks),
      }));
    }),
    again: ({ organization, seller, work, looks }, nextMs) => engine.write(async (transaction) => {
      await transaction.updateTable('deferred_work')
        .set({ next_look_ms: nextMs === null ? null : BigInt(Math.floor(nextMs)), looks: BigInt(nextMs === null ? never : looks + 1) })
        .where('organization', '=', organization).where('wire', '=', seller).where('work', '=', work).execute();
    }),
    // Settlements are counted on from the highest number, so that one stays.
    forget: (beforeMs) => engine.write(async (transaction) => {
      const { rows } = await sql`delete from deferred_work where (organization, wire, work) in (
        select organization, wire, work from deferred_work where began_ms < ${BigInt(Math.floor(beforeMs))}
          and coalesce(settled_number, 0) < (select coalesce(max(settled_number), 0) + case when max(settled_number) is null then 1 else 0 end
            from deferred_work) limit ${forgottenAtOnce}) returning work`.execute(transaction);
      return rows.length;
    }),
  };
}
