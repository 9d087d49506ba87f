/** How many records of calls the store took, counted where they go in. */
import type { CallSink } from '../journal/call-sink.ts';

/** The store's own sink, counting the records that it takes. */
export function countingRecords(calls: CallSink): { readonly sink: CallSink; readonly sinceNow: () => () => number } {
  let records = 0;
  const sink: CallSink = {
    mark: (segment) => calls.mark(segment),
    recorded: (openings) => calls.recorded(openings),
    async ship(batch) {
      await calls.ship(batch);
      records += batch.records.length;
    },
  };
  return { sink, sinceNow() {
    const before = records;
    return () => records - before;
  } };
}
