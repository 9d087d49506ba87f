/**
 * Every call record of a period, oldest first, a page at a time along the index over time: for exports, in constant memory. Rule 25.
 * Records that arrive after the walk has started are left out, by their number, so that all pages show one moment. An interrupted
 * walk can be resumed from any of its records.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { sql } from 'kysely';
import { hasLabel } from '../usage/record-parts.ts';
import { callRecordOf } from './call-row.ts';
import type { StoreContext } from '../sealing/context.ts';

interface CallWalkQuery {
  readonly organization: OrganizationId;
  /** Calls that started from this moment on. */
  readonly fromMs: number;
  /** Calls that started before this moment. */
  readonly toMs: number;
  /** Resumes an earlier walk over the same period after this record. */
  readonly after?: WalkPlace;
}

/** A record's place in a walk. */
export interface WalkPlace {
  readonly startedAtMs: number;
  /** Its number in the store. */
  readonly sequence: bigint;
  /** The number of the newest record in the walk; later records are left out. */
  readonly newest: bigint;
}

/** A record and its place. */
export interface WalkedCall {
  readonly record: CallRecord;
  readonly place: WalkPlace;
}

/** The parts of a call that spend rules need. */
interface CostedCall {
  readonly startedAtMs: number;
  /** Null: not known. */
  readonly cost: NanoDollars | null;
}

interface CostWalkQuery extends Omit<CallWalkQuery, 'after'> {
  /** Only calls of this key, of this project, of the keys of this person, or with this label. */
  readonly key?: string;
  readonly project?: string;
  readonly person?: string;
  readonly label?: string;
}

export interface CallWalk {
  /** Pages of at most a thousand records, none of them empty. The caller may stop at any page; nothing stays open between pages. */
  walk(query: CallWalkQuery): AsyncGenerator<readonly WalkedCall[], void, undefined>;
  /** The same walk with starts and costs only, which reads several times as fast. */
  costs(query: CostWalkQuery): AsyncGenerator<readonly CostedCall[], void, undefined>;
}

const recordsAtOnce = 1_000;

/** Plain bounds: PostgreSQL does not see that a comparison of pairs and an upper bound enclose a short time. */
function comesAfter({ startedAtMs, sequence }: { readonly startedAtMs: bigint; readonly sequence: bigint }) {
  return sql<boolean>`started_at_ms >= ${startedAtMs} and not (started_at_ms = ${startedAtMs} and sequence <= ${sequence})`;
}

export function callWalkIn({ engine }: StoreContext): CallWalk {
  return {
    async *walk({ organization, fromMs, toMs, after: from }) {
      const newest = from?.newest ?? (await engine.read((db) =>
        db.selectFrom('call_record').select('sequence').orderBy('sequence', 'desc').limit(1).executeTakeFirst()))?.sequence;
      if (newest === undefined) return;
      const begin = { startedAtMs: BigInt(Math.ceil(fromMs)), sequence: -1n };
      for (let after = from === undefined ? begin : { startedAtMs: BigInt(from.startedAtMs), sequence: from.sequence }; ;) {
        const rows = await engine.read((db) => db.selectFrom('call_record').selectAll()
          .where('organization', '=', organization).where('started_at_ms', '<', BigInt(Math.ceil(toMs)))
          .where(comesAfter(after)).where('sequence', '<=', newest)
          .orderBy('started_at_ms').orderBy('sequence').limit(recordsAtOnce).execute());
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map((row) => {
          const record = callRecordOf(row);
          return { record, place: { startedAtMs: record.startedAtMs, sequence: row.sequence, newest } };
        });
        if (rows.length < recordsAtOnce) return;
        after = { startedAtMs: last.started_at_ms, sequence: last.sequence };
      }
    },
    async *costs({ organization, fromMs, toMs, key, project, person, label }) {
      for (let after = { startedAtMs: BigInt(Math.ceil(fromMs)), sequence: -1n }; ;) {
        const rows = await engine.read((db) => {
          const own = db.selectFrom('call_record').select(['started_at_ms', 'sequence', 'cost_nano']).where('organization', '=', organization)
            .where('started_at_ms', '<', BigInt(Math.ceil(toMs)))
            .where(comesAfter(after));
          const ofKey = key === undefined ? own : own.where('key', '=', key);
          const ofProject = project === undefined ? ofKey : ofKey.where('project', '=', project);
          const ofPerson = person === undefined ? ofProject
            : ofProject.where('key', 'in', db.selectFrom('service_key').select('id')
              .where('organization', '=', organization).where('person', '=', person));
          const ofLabel = label === undefined ? ofPerson : ofPerson.where(hasLabel(engine.kind, label));
          return ofLabel.orderBy('started_at_ms').orderBy('sequence').limit(recordsAtOnce).execute();
        });
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map((row) => ({ startedAtMs: Number(row.started_at_ms), cost: row.cost_nano as NanoDollars | null }));
        if (rows.length < recordsAtOnce) return;
        after = { startedAtMs: last.started_at_ms, sequence: last.sequence };
      }
    },
  };
}
