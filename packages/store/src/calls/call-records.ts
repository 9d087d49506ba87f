/**
 * Call records: shipped from journals exactly once, listed newest first. Design 2 (Journal), 4; reliability of shipping:
 * the records of a batch, what they spent and its segment's mark are one transaction, so a batch sent twice, wholly or in part, by one
 * shipper or by two at once, changes nothing the second time.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import type { Transaction } from 'kysely';
import { applyKeyUse } from '../settings/key-use.ts';
import { applySpend } from '../spend/apply-spend.ts';
import { applyHours } from '../usage/apply-hours.ts';
import { applyUsage } from '../usage/apply-usage.ts';
import { erasedAmong, holdOffErasures, withoutWords } from '../erasure/erased.ts';
import { createAttributionBook, type NumberedCalls } from '../usage/attributions.ts';
import { StoreFault } from '../engine/fault.ts';
import { applyToLeases } from '../spend/apply-to-leases.ts';
import { applyToRuns } from '../runs/apply-to-runs.ts';
import { chainWriterIn } from '../chain/chain-records.ts';
import { callRecordOf } from './call-row.ts';
import type { Engine } from '../engine/engine.ts';
import { insertCalls } from './insert-calls.ts';
import { nextRunChange } from '../runs/run-exposure.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';
import type { CallBatch } from '../journal/call-sink.ts';

export interface CallQuery {
  readonly organization: OrganizationId;
  /** From this moment of start on. */
  readonly sinceMs?: number;
  /** Up to this moment of start, itself excluded. */
  readonly untilMs?: number;
  readonly run?: string;
  /** At most so many, the newest. */
  readonly limit: number;
}

export interface CallRecords {
  /**
   * Keeps what the segment's mark has not passed yet, and moves the mark to `through`. @throws RangeError for a `seq` above `through`;
   * StoreFault `store_went_back` where the mark lies before `after`: kept, the batch would leave a gap that nobody fills.
   */
  ship(batch: CallBatch): Promise<void>;
  /** The journal number up to which a segment is shipped; 0 for one never heard of. */
  mark(segment: string): Promise<number>;
  /** Ids of those of these calls that there is a record of. */
  recorded(openings: readonly CallOpening[]): Promise<ReadonlySet<string>>;
  /** The start of the call whose record arrived last; 0 where there is none. Times in records only rarely lie after it. */
  writtenUntilMs(): Promise<number>;
  /** Newest first by the moment of start, then by arrival in the store. */
  list(query: CallQuery): Promise<CallRecord[]>;
}

export function callRecordsIn(context: StoreContext): CallRecords {
  const { engine } = context;
  const book = createAttributionBook(engine.kind);
  const chains = chainWriterIn(context);
  return {
    async ship({ segment, after = 0, through, records, runEvents = [] }) {
      if ([...records, ...runEvents].some(({ seq }) => seq > through)) throw new RangeError('a batch holds no record above its last journal number');
      let numbered: NumberedCalls = { numbers: [], found: new Map() };
      const shipped = engine.write(async (transaction) => {
        await holdOffErasures(engine.kind, transaction);
        const mark = await lockedMark(engine, transaction, segment);
        if (mark < after) throw wentBack(segment, after, mark);
        if (through <= mark) return;
        const arrived = records.filter(({ seq }) => seq > mark).map(({ record }) => record);
        const told = runEvents.filter(({ seq }) => seq > mark).map(({ event }) => event);
        const erased = await erasedAmong(transaction, [...arrived, ...told].map(({ organization }) => organization));
        const kept = erased.size === 0 ? arrived : arrived.map((record) => erased.has(record.organization) ? withoutWords(record) : record);
        const events = told.filter(({ organization }) => !erased.has(organization));
        const change = events.length === 0 ? 0n : await nextRunChange(transaction);
        // Runs before their records: if a run is created again, its recorded spend is read first, and these records are added to it.
        await applyToRuns(engine.kind, transaction, { records: kept, events, change });
        numbered = await book.number(transaction, kept);
        const attributions = numbered.numbers;
        const receipts = await chains.chain(transaction, kept);
        await insertCalls(engine.kind, transaction,
          kept.map((record, index) => ({ record, attribution: attributions[index]!, receipt: receipts[index]! })));
        await applySpend(engine.kind, transaction, kept);
        await applyUsage(engine.kind, transaction, kept, attributions);
        await applyKeyUse(engine.kind, transaction, kept);
        await applyHours(engine.kind, transaction, kept);
        await applyToLeases(engine.kind, transaction, kept);
        await transaction.updateTable('journal_segment').set({ mark: through }).where('id', '=', segment).execute();
      });
      // What was found in a transaction that failed, or in a store that was away, need not be so any more.
      await shipped.then(() => book.remember(numbered), (fault: unknown) => { book.forget(); throw fault; });
    },
    mark: (segment) => engine.read(async (db) =>
      Number((await db.selectFrom('journal_segment').select('mark').where('id', '=', segment).executeTakeFirst())?.mark ?? 0n)),
    recorded: (openings) => engine.read(async (db) => {
      const found = new Set<string>();
      for (const { id, organization, startedAtMs } of openings) {
        // By the index over time: a record has no index over its id.
        const row = await db.selectFrom('call_record').select('id').where('organization', '=', organization)
          .where('started_at_ms', '=', BigInt(startedAtMs)).where('id', '=', id).limit(1).executeTakeFirst();
        if (row !== undefined) found.add(id);
      }
      return found;
    }),
    writtenUntilMs: () => engine.read(async (db) => Number((await db.selectFrom('call_record').select('started_at_ms')
      .orderBy('sequence', 'desc').limit(1).executeTakeFirst())?.started_at_ms ?? 0n)),
    list: ({ organization, sinceMs, untilMs, run, limit }) => engine.read(async (db) => {
      if (run?.includes('\0') === true) return [];
      let query = db.selectFrom('call_record').selectAll().where('organization', '=', organization);
      if (sinceMs !== undefined) query = query.where('started_at_ms', '>=', BigInt(Math.ceil(sinceMs)));
      if (untilMs !== undefined) query = query.where('started_at_ms', '<', BigInt(Math.ceil(untilMs)));
      if (run !== undefined) query = query.where('run', '=', run);
      const rows = await query.orderBy('started_at_ms', 'desc').orderBy('sequence', 'desc').limit(limit).execute();
      return rows.map(callRecordOf);
    }),
  };
}

function wentBack(segment: string, after: number, mark: number): StoreFault {
  return new StoreFault('store_went_back', `The store held the journal segment ${segment} up to row ${after} and now holds it up to row ${mark}: `
    + 'it was put back to an earlier moment. What came since is shipped again, as far as the journal still has it.');
}

/** The segment's mark, its row locked until the transaction ends. SQLite's write transactions are alone as they are. */
async function lockedMark(engine: Engine, transaction: Transaction<Schema>, segment: string): Promise<number> {
  await transaction.insertInto('journal_segment').values({ id: segment, mark: 0 })
    .onConflict((conflict) => conflict.column('id').doNothing()).execute();
  const row = transaction.selectFrom('journal_segment').select('mark').where('id', '=', segment);
  return Number((await (engine.kind === 'postgres' ? row.forUpdate() : row).executeTakeFirstOrThrow()).mark);
}
