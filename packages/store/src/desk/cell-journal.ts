/** The part of the journal that goes to one cell: its shipper, and the state of that. */
import { randomBytes } from 'node:crypto';
import type { OrganizationId } from '@metergate/core/id.ts';
import { settingRefusedRowsAside, type RefusedRows } from '../journal/refused-rows.ts';
import type { CallSink } from '../journal/call-sink.ts';
import type { JournalPart } from '../journal/journal-parts.ts';
import { ShipProgress } from '../journal/ship-progress.ts';
import { createShipper, type Shipper } from '../journal/shipper.ts';
import { countingRows, type CountedRows } from './counted-rows.ts';
import { processMs } from './lease-desk.ts';
import { workedMs } from './worked-ms.ts';

interface CellJournalOptions {
  readonly directory: string;
  /** Takes the rows; may throw as long as the cell is away. */
  readonly sink: CallSink;
  readonly distant: boolean;
  /** The only cell has none. */
  readonly part?: JournalPart;
  /** What recovery asks; `sink` by default. */
  readonly known?: Pick<CallSink, 'mark' | 'recorded'>;
  /** Where refused rows of the cell lie, within the journal's directory. */
  readonly refusedIn?: string;
  readonly warn: (sentence: string) => void;
  /** Called with the records that the store refused since the start, and with whose lie there; null: that cannot be read. */
  readonly setAside: (rows: number, whose: readonly OrganizationId[] | null) => void;
  readonly taken: () => void;
}

export interface CellJournal {
  readonly calls: RefusedRows;
  readonly shipper: Shipper;
  readonly progress: ShipProgress;
  readonly sinceNow: () => () => CountedRows;
}

export function cellJournal({ directory, sink, distant, part, known, refusedIn, warn, setAside, taken }: CellJournalOptions): CellJournal {
  const kept = countingRows(sink);
  const calls = settingRefusedRowsAside({
    directory, calls: kept.sink, ...(refusedIn === undefined ? {} : { folder: refusedIn }),
    warn, changed: () => setAside(calls.setAside, calls.setAsideOf),
  });
  const progress = new ShipProgress(processMs);
  const shipper = createShipper({
    directory, calls, clock: workedMs, distant, warn, taken, progress, place: randomBytes(2).readUInt16BE(),
    ...(part === undefined ? {} : { part }), ...(known === undefined ? {} : { known }),
  });
  return { calls, shipper, progress, sinceNow: kept.sinceNow };
}
