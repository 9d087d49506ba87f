/** Call records: shipped from journals exactly once. Rules: Journal; rules: Record. */
import type { CallOpening } from '@metergate/core/record/call-record.ts';
import { createAttributionBook } from '../usage/attributions.ts';
import { chainWriterIn } from '../sealing/chain/chain-records.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { CallBatch, CallSink } from '../journal/call-sink.ts';
import { shipIn } from './ship.ts';

export interface CallRecords {
  /**
   * Stores what the segment's mark has not passed yet, and moves the mark to `through`. @throws RangeError for a `seq` above `through`;
   * StoreFault `store_went_back` if the mark lies before `after`: storing the batch would leave a gap that nobody fills.
   */
  ship(batch: CallBatch): Promise<void>;
  /** The journal number up to which a segment is shipped; 0 for an unknown segment. `whose`: see `CallSink.mark`. */
  mark: CallSink['mark'];
  /** Ids of the calls among these that have a record. */
  recorded(openings: readonly CallOpening[]): Promise<ReadonlySet<string>>;
  /** The start of the call whose record arrived last; 0 if there is none. Records rarely hold a later time. */
  writtenUntilMs(): Promise<number>;
}

export function callRecordsIn(context: StoreContext): CallRecords {
  const { engine } = context;
  const book = createAttributionBook(engine.kind);
  const chains = chainWriterIn(context);
  return {
    ship: (batch) => shipIn(context, { book, chains }, batch),
    mark: (segment, whose) => engine.read(async (db) => {
      const all = Number((await db.selectFrom('journal_segment').select('mark').where('id', '=', segment).executeTakeFirst())?.mark ?? 0n);
      if (whose === undefined) return all;
      let ahead = db.selectFrom('journal_ahead').select(({ fn }) => fn.max('mark').as('mark')).where('segment', '=', segment);
      if (whose !== 'anyone') ahead = ahead.where('organization', '=', whose);
      return Math.max(all, Number((await ahead.executeTakeFirst())?.mark ?? 0n));
    }),
    recorded: (openings) => engine.read(async (db) => {
      const found = new Set<string>();
      for (const { id, organization, startedAtMs } of openings) {
        // Uses the index over time, since records have no index over the whole id.
        const row = await db.selectFrom('call_record').select('id').where('organization', '=', organization)
          .where('started_at_ms', '=', BigInt(startedAtMs)).where('id', '=', id).limit(1).executeTakeFirst();
        if (row !== undefined) found.add(id);
      }
      return found;
    }),
    writtenUntilMs: () => engine.read(async (db) => Number((await db.selectFrom('call_record').select('started_at_ms')
      .orderBy('sequence', 'desc').limit(1).executeTakeFirst())?.started_at_ms ?? 0n)),
  };
}
