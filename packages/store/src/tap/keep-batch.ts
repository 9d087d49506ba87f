/**
 * A tap batch → its events and their sums, each once. Spec: Tap ingestion, Baseline; decision 0069.
 * The first transaction locks the Baseline's row, admits the key and decides for the whole batch which day begins the count. So if the key is
 * rotated or the Baseline closes while a request is under way, that request stores nothing, on any node.
 * SQLite has one writer, and each event costs it a page or more at a random place. So it stores a large batch in slices, each a transaction,
 * and others write in between. A slice stores its events with what they add to the sums, so a batch that broke off and is sent again adds what
 * is missing. An admitted batch is stored to its end, even if its key stops meanwhile, unless the organization is erased.
 */
import { baselinePeriod, firstDayAfter, tapAdmission, type BaselineLife } from '@metergate/core/tap/baseline.ts';
import type { TapEvent } from '@metergate/core/tap/event.ts';
import { rollUp, type TapHeadroom } from '@metergate/core/tap/rollup.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';
import { lifeOf } from './baselines.ts';
import { addRollup, insertNewEvents, newEvents, withLines, type TapWriting } from './write-events.ts';

/** Why a key admits nothing. */
export type TapKeyRefusal = 'unknown_key' | 'baseline_closed' | 'tap_retired';

export interface TapBatch {
  /** SHA-256 of the presented key, lower-case hexadecimal. */
  readonly keyHash: string;
  readonly events: readonly TapEvent[];
  /** Whether a call can begin a Baseline's days; the day is that of its timestamp. */
  readonly isPriced: (event: TapEvent) => boolean;
  /** Input sizes at which a listed price changes, ascending. */
  readonly priceSteps: readonly number[];
}

/** How many events were new to the Baseline, or why the key admits none. */
export type KeptBatch = { readonly accepted: number } | TapKeyRefusal;

interface KeyHolder {
  readonly number: bigint;
  readonly created_at_ms: bigint;
  readonly first_day_ms: bigint | null;
  readonly retired_at_ms: bigint | null;
  readonly replaced_at_ms: bigint | null;
  readonly plan: string;
}

/** Up to this many events are one transaction on SQLite, 3 to 4 ms. The published clients send no more in a batch. */
const wholeEventsMax = 100;
/** A larger batch goes in slices of this many, 2 ms each. Half as many would take 1.6 ms. */
const sliceEvents = 50;

/** Yields between two transactions. */
export async function* keptInSlices(context: StoreContext, batch: TapBatch): AsyncGenerator<void, KeptBatch> {
  const { engine } = context;
  const begun = await engine.writeAhead((transaction) => begin(context, transaction, batch));
  if (typeof begun === 'string') return begun;
  let { accepted } = begun;
  for (let done = begun.done; done < begun.events.length; done += sliceEvents) {
    yield;
    const slice = begun.events.slice(done, done + sliceEvents);
    const kept = await engine.writeAhead((transaction) => keepLaterSlice(context, transaction, { batch, slice, baseline: begun.baseline }));
    if (kept === null) return 'unknown_key';
    accepted += kept;
  }
  return { accepted };
}

interface Begun {
  readonly baseline: bigint;
  /** Each `requestId` once; the first slice, or all of them, is stored. */
  readonly events: readonly TapEvent[];
  /** How many of them are stored. */
  readonly done: number;
  readonly accepted: number;
}

async function begin({ engine, clock }: StoreContext, transaction: Transaction<Schema>, batch: TapBatch): Promise<Begun | TapKeyRefusal> {
  const holder = await holderOf(engine, transaction, { keyHash: batch.keyHash, locked: true });
  if (holder === null) return 'unknown_key';
  const nowMs = clock();
  const life = lifeOf(holder);
  const admission = tapAdmission(life, holder.plan as Plan, nowMs);
  if (admission !== 'admitted') return admission;
  const writing = { engine: engine.kind, transaction, baseline: holder.number };
  const { events, firstDayMs } = await withFirstDay(writing, { life, batch: { ...batch, events: oncePerId(batch.events) }, nowMs });
  const done = engine.kind === 'sqlite' && events.length > wholeEventsMax ? sliceEvents : events.length;
  return { baseline: holder.number, events, done, accepted: await keepSlice(writing, { slice: events.slice(0, done), batch, firstDayMs, nowMs }) };
}

/** Null: the organization is erased. */
async function keepLaterSlice({ engine, clock }: StoreContext, transaction: Transaction<Schema>, { batch, slice, baseline }: {
  readonly batch: TapBatch; readonly slice: readonly TapEvent[]; readonly baseline: bigint;
}): Promise<number | null> {
  const row = await transaction.selectFrom('baseline').select('first_day_ms').where('number', '=', baseline).where('erased_at_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const firstDayMs = row.first_day_ms === null ? null : Number(row.first_day_ms);
  return keepSlice({ engine: engine.kind, transaction, baseline }, { slice, batch, firstDayMs, nowMs: clock() });
}

/** The first of several events with one `requestId`. */
function oncePerId(events: readonly TapEvent[]): TapEvent[] {
  const byId = new Map<string, TapEvent>();
  for (const event of events) if (!byId.has(event.requestId)) byId.set(event.requestId, event);
  return [...byId.values()];
}

/**
 * The day from which the seven are counted once the whole batch is stored. Known events begin nothing. The event that begins the day
 * goes first, so that the day has an event even if the batch breaks off.
 */
async function withFirstDay(writing: TapWriting, { life, batch: { events, isPriced }, nowMs }: {
  readonly life: BaselineLife; readonly batch: TapBatch; readonly nowMs: number;
}): Promise<{ readonly events: readonly TapEvent[]; readonly firstDayMs: number | null }> {
  if (life.firstDayMs !== null && life.firstDayMs <= nowMs) return { events, firstDayMs: life.firstDayMs };
  const fresh = await newEvents(writing, events);
  const firstDayMs = firstDayAfter(life, { events: fresh, isPriced, nowMs });
  if (firstDayMs === life.firstDayMs) return { events, firstDayMs };
  const { transaction, baseline } = writing;
  await transaction.updateTable('baseline').set({ first_day_ms: firstDayMs }).where('number', '=', baseline).execute();
  // Earlier days are not part of the report.
  await transaction.deleteFrom('tap_headroom').where('baseline', '=', baseline).execute();
  const beginning = fresh.find((event) => firstDayAfter(life, { events: [event], isPriced, nowMs }) === firstDayMs)!;
  return { events: [beginning, ...events.filter((event) => event !== beginning)], firstDayMs };
}

async function keepSlice(writing: TapWriting, { slice, batch, firstDayMs, nowMs }: {
  readonly slice: readonly TapEvent[]; readonly batch: TapBatch; readonly firstDayMs: number | null; readonly nowMs: number;
}): Promise<number> {
  const kept = await insertNewEvents(writing, slice);
  const { cells, latencies, headroom } = rollUp(await withLines(writing, kept), batch.priceSteps);
  const period = baselinePeriod({ firstDayMs }, Math.max(nowMs, firstDayMs ?? 0));
  const isInside = ({ atMs }: TapHeadroom): boolean => period === null || (atMs >= period.fromMs && atMs < period.toMs);
  await addRollup(writing, { cells, latencies, headroom: headroom.filter(isInside) });
  return kept.length;
}

/** The live key's Baseline and its organization's plan. A locked row stays locked until the transaction ends. */
export async function holderOf(
  engine: Engine, db: Kysely<Schema>, { keyHash, locked }: { readonly keyHash: string; readonly locked: boolean },
): Promise<KeyHolder | null> {
  // SQLite runs one write transaction at a time anyway.
  const lock = locked && engine.kind === 'postgres' ? sql`for update of b` : sql``;
  const { rows } = await sql<KeyHolder>`
    select b.number, b.created_at_ms, b.first_day_ms, b.retired_at_ms, b.replaced_at_ms, o.plan
    from baseline b join organization o on o.id = b.organization where b.key_hash = ${keyHash} ${lock}`.execute(db);
  return rows[0] ?? null;
}
