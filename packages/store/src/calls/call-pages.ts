/**
 * Call records a page at a time, newest first: from one record on to the older ones, along the same order and index as the
 * list. A place is named by a record of the asker's own, so that nothing in it tells of others.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { CallQuery } from './call-records.ts';
import { callRecordOf } from './call-row.ts';
import type { StoreContext } from '../context.ts';

/** A record's place in the list of its organization. */
export interface CallPlace {
  readonly startedAtMs: number;
  readonly id: string;
}

export interface CallPages {
  /** The records that come after `after`; null where the organization has no such record. */
  page(query: CallQuery & { readonly after?: CallPlace }): Promise<CallRecord[] | null>;
}

export function callPagesIn({ engine }: StoreContext): CallPages {
  return {
    page: ({ organization, sinceMs, untilMs, run, limit, after }) => engine.read(async (db) => {
      if (run?.includes('\0') === true) return [];
      let query = db.selectFrom('call_record').selectAll().where('organization', '=', organization);
      if (sinceMs !== undefined) query = query.where('started_at_ms', '>=', BigInt(Math.ceil(sinceMs)));
      if (untilMs !== undefined) query = query.where('started_at_ms', '<', BigInt(Math.ceil(untilMs)));
      if (run !== undefined) query = query.where('run', '=', run);
      if (after !== undefined) {
        const startedAt = BigInt(after.startedAtMs);
        const place = await db.selectFrom('call_record').select('sequence').where('organization', '=', organization)
          .where('started_at_ms', '=', startedAt).where('id', '=', after.id).executeTakeFirst();
        if (place === undefined) return null;
        query = query.where('started_at_ms', '<=', startedAt).where((where) => where.or([
          where('started_at_ms', '<', startedAt), where('sequence', '<', place.sequence),
        ]));
      }
      return (await query.orderBy('started_at_ms', 'desc').orderBy('sequence', 'desc').limit(limit).execute()).map(callRecordOf);
    }),
  };
}
