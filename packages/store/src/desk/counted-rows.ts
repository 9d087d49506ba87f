/** Counts the journal's rows that the store took, and the call records among them. */
import type { CallSink } from '../journal/call-sink.ts';

export interface CountedRows {
  readonly rows: number;
  readonly records: number;
}

/** The store's own sink, with its rows counted. */
export function countingRows(calls: CallSink): { readonly sink: CallSink; readonly sinceNow: () => () => CountedRows } {
  let [rows, records] = [0, 0];
  const sink: CallSink = {
    mark: (segment, whose) => calls.mark(segment, whose),
    recorded: (openings) => calls.recorded(openings),
    async ship(batch) {
      await calls.ship(batch);
      records += batch.records.length;
      rows += batch.records.length + (batch.runEvents?.length ?? 0);
    },
  };
  return { sink, sinceNow() {
    const before = { rows, records };
    return () => ({ rows: rows - before.rows, records: records - before.records });
  } };
}
