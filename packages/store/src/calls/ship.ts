/**
 * A batch of a journal → the store, exactly once (rules: Journal): the records of a batch, what they spent and its segment's mark are one
 * transaction, so a batch sent twice, wholly or in part, by one shipper or by two at once, changes nothing the second time.
 * All that is read, and every lock that is waited for, is asked for at once, and so is all that is written: a distant store costs two round
 * trips a batch. What is asked for is what the whole batch may need; what is written depends on the mark that was found.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { ChainChanged, type ChainWriter, type LockedChains, type ReadyChains } from '../sealing/chain/chain-records.ts';
import { StoreFault } from '../engine/fault.ts';
import type { Send } from '../engine/send.ts';
import { onBoth } from '../engine/texts.ts';
import { erasedAmong, holdOffErasures, shipAlone, withoutWords } from '../operation/erased.ts';
import type { CallBatch } from '../journal/call-sink.ts';
import type { RunEvent } from '../journal/run-event.ts';
import { applyToRuns, lockRuns, type LockedRuns } from '../runs/apply-to-runs.ts';
import { concernsWork, settleWorks, type Settling } from './settling/settle-works.ts';
import { subtractUnknown } from './settling/subtract-unknown.ts';
import { applyKeyUse } from '../settings/key-use.ts';
import { applySpend } from '../spend/apply-spend.ts';
import { applyToLeases, cappedAmong } from '../spend/apply-to-leases.ts';
import { applyHours } from '../usage/apply-hours.ts';
import { applyUsage } from '../usage/apply-usage.ts';
import type { AttributionBook, NumberedCalls } from '../usage/attributions.ts';
import { ownWriter } from '../schema/migrations/list.ts';
import type { StoreContext } from '../sealing/context.ts';
import { insertCalls } from './insert-calls.ts';
import { readyCalls, readyFor, type ReadyCalls } from './ready-calls.ts';
import { lockMarks, moveMark, type Marks } from './segment-marks.ts';

/** What one shipper remembers between its batches. */
interface ShippingMemory {
  readonly book: AttributionBook;
  readonly chains: ChainWriter;
}

/** A chain changes its key when somebody rotates it: once more is enough, and a store that never agrees with itself is at fault. */
const triesMax = 5;

/** See `CallRecords.ship`. */
export async function shipIn(context: StoreContext, memory: ShippingMemory, batch: CallBatch): Promise<void> {
  if ([...batch.records, ...batch.runEvents ?? []].some(({ seq }) => seq > batch.through)) {
    throw new RangeError('a batch holds no record above its last journal number');
  }
  const own = new Set<string>(batch.ahead);
  if (batch.ahead !== undefined && organizationsOf(batch).some((organization) => !own.has(organization))) {
    throw new RangeError('a batch that is shipped ahead holds no other organization');
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await shipOnce(context, memory, batch);
    } catch (error) {
      // What was found in a failed transaction, or before the store went away, may no longer be true.
      memory.book.forget();
      if (!(error instanceof ChainChanged) || tries === triesMax) throw error;
    }
  }
}

async function shipOnce(context: StoreContext, memory: ShippingMemory, batch: CallBatch): Promise<void> {
  const ready = await memory.chains.ready(batch.records.map(({ record }) => record.organization));
  const made = await readyCalls(context.engine.kind, { chains: memory.chains, ready }, batch.records.map(({ record }) => record));
  const numbered = await context.engine.transact(
    (send) => readFor(context, send, { batch, memory, ready }),
    (send, found) => {
      const { settling, marks } = found;
      assertHeld(batch, marks);
      const kept = settling === null ? batch : { ...batch, records: settling.records };
      const isNew = (batch.ahead ?? [undefined]).some((each) => batch.through > marks.of(each));
      if (isNew) keep(context, send, { batch: kept, memory, ready, made, found });
      return found.numbered;
    },
  );
  memory.book.remember(numbered);
}

/** What the transaction found, under its locks. */
interface Found {
  readonly marks: Marks;
  readonly erased: ReadonlySet<string>;
  readonly runs: LockedRuns;
  /** All records of the batch; those of erased organizations are without their words. */
  readonly numbered: NumberedCalls;
  readonly chains: LockedChains;
  /** Organizations with caps. */
  readonly capped: ReadonlySet<string>;
  /** Null: the batch says nothing about work that goes on after its answer. */
  readonly settling: Settling | null;
}

interface Reading {
  readonly batch: CallBatch;
  readonly memory: ShippingMemory;
  readonly ready: ReadyChains;
}

async function readFor(context: StoreContext, send: Send, reading: Reading): Promise<Found> {
  const { batch } = reading;
  if (!concernsWork(batch.records)) return readWhole(context, send, { ...reading, settling: null });
  const { kind } = context.engine;
  shipAlone(kind, send);
  const marks = await lockMarks(kind, send, batch);
  const fresh = batch.records.filter((row) => marks.areBefore(row.seq, row.record));
  const erased = await erasedAmong(kind, send, fresh.map(({ record }) => record.organization));
  const known = fresh.map((row) => erased.has(row.record.organization) ? { ...row, record: withoutWords(row.record) } : row);
  const settling = await settleWorks(kind, send, known);
  return readWhole(context, send, { ...reading, batch: { ...batch, records: settling.records }, settling });
}

async function readWhole(
  { engine: { kind } }: StoreContext, send: Send, { batch, memory, ready, settling }: Reading & Pick<Found, 'settling'>,
): Promise<Found> {
  const records = batch.records.map(({ record }) => record);
  const events = (batch.runEvents ?? []).map(({ event }) => event);
  holdOffErasures(kind, send);
  void send(makeSegment[kind], [batch.segment, ownWriter]);
  const [marks, erased, runs, numbered, chains, capped] = await Promise.all([
    lockMarks(kind, send, batch), erasedAmong(kind, send, organizationsOf(batch)),
    lockRuns(kind, send, { records, events }), memory.book.number(send, records), memory.chains.lock(send, ready),
    cappedAmong(kind, send, records.map(({ organization }) => organization)),
  ]);
  const found = { marks, erased, runs, numbered, chains, settling, capped };
  return erased.size === 0 ? found : { ...found, numbered: await memory.book.number(send, withoutWordsOf(erased, records)) };
}

const makeSegment = onBoth('insert into journal_segment (id, mark, writer) values ($1, 0, $2) on conflict (id) do nothing');

interface Keeping extends Reading {
  /** Made of all records of the batch. */
  readonly made: ReadyCalls | null;
  readonly found: Found;
}

/** Sends all that the batch changes. Sums and other rows that many shippers write are written in one order. */
function keep(context: StoreContext, send: Send, { batch, memory, ready, made, found }: Keeping): void {
  const { engine: { kind } } = context;
  const { marks, erased, settling } = found;
  const settled = settling?.settled ?? [];
  const isFresh = ({ seq, record }: CallBatch['records'][number]): boolean => marks.areBefore(seq, record);
  const kept = withoutWordsOf(erased, batch.records.filter(isFresh).map(({ record }) => record));
  const attributions = found.numbered.numbers.filter((_number, index) => isFresh(batch.records[index]!));
  applyToRuns(kind, send, { records: kept, events: eventsOf(batch, found), settled: settled.map(({ record }) => record), locked: found.runs });
  const calls = readyFor(kind, { chains: memory.chains, ready }, { found: made, records: kept });
  insertCalls(kind, send, calls, { attributions, receipts: memory.chains.chain(send, found.chains, calls) });
  applySpend(kind, send, kept);
  applyUsage(kind, send, kept, attributions);
  applyKeyUse(kind, send, kept.filter(isCall));
  applyHours(kind, send, kept);
  subtractUnknown(kind, send, settled);
  settling?.write(send);
  applyToLeases(kind, send, kept, found.capped);
  moveMark(kind, send, batch, marks);
}

/** A settlement is no use of the key. */
function isCall({ kind }: CallRecord): boolean {
  return kind === 'call';
}

function eventsOf({ runEvents = [] }: CallBatch, { marks, erased }: Found): RunEvent[] {
  return runEvents.filter(({ seq, event }) => marks.areBefore(seq, event) && !erased.has(event.organization)).map(({ event }) => event);
}

function organizationsOf({ records, runEvents = [] }: CallBatch): string[] {
  return [...records.map(({ record }) => record.organization), ...runEvents.map(({ event }) => event.organization)];
}

function withoutWordsOf(erased: ReadonlySet<string>, records: readonly CallRecord[]): readonly CallRecord[] {
  return erased.size === 0 ? records : records.map((record) => erased.has(record.organization) ? withoutWords(record) : record);
}

/** The store holds what the shipper went by: what the batch continues from, and what was shipped ahead of it. */
function assertHeld(batch: CallBatch, marks: Marks): void {
  const { after = 0, through, without = [] } = batch;
  const mark = marks.of(undefined);
  if (mark < after || without.some((organization) => marks.of(organization) < through)) throw wentBack(batch, mark);
}

function wentBack({ segment, after = 0 }: CallBatch, mark: number): StoreFault {
  return new StoreFault('store_went_back', `The store held the journal segment ${segment} up to row ${after} and now holds it up to row ${mark}: `
    + 'it was restored to an earlier moment. What came since is shipped again, as far as the journal still has it.');
}
