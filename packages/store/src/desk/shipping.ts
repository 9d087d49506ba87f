/**
 * When the journal is shipped: again and again, sooner after something was closed, and at once if a question depends on calls that ended here.
 * Reports how far shipping has come, and keeps a node that begins runs by itself informed that the store takes its journal.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { ShipProgress } from '../journal/ship-progress.ts';
import type { Shipper } from '../journal/shipper.ts';
import type { CountedRows } from './counted-rows.ts';
import { processMs } from './lease-desk.ts';
import type { FromStore } from './protocol.ts';
import type { Repeat } from './repeat.ts';
import type { ShippingPace } from './shipping-pace.ts';

/** How often the journal is looked at behind a look that found nothing; a nudge shortens the pause. */
const restPauseMs = 500;
/** Behind one that found something: more may have been closed meanwhile without a word. */
const nextPauseMs = 200;
const figuresPauseMs = 1_000;
/** A little less than the pause between two looks at the journal. */
const keptPauseMs = 150;
/** A question of the gateway thread may take 250 ms in all. */
const keepEndedMs = 100;

export interface ShippingFigures {
  /** Rows that the store took from the journal since the start. */
  readonly rowsShipped: number;
  /** Of these, records of calls. */
  readonly recordsShipped: number;
  /** Everything due by this moment is in the store. On the clock that all threads share. */
  readonly shippedMs: number;
}

interface ShippingParts {
  readonly taken: () => CountedRows;
  readonly progress: ShipProgress;
  readonly tell: (figures: ShippingFigures) => void;
  /** Runs after each pass in which the store answered. */
  readonly passed: () => void;
  readonly pace: ShippingPace;
  /** Repeats a task with this pause, and reports its failures. */
  readonly repeated: (task: () => Promise<unknown>, pauseMs: number) => Repeat;
}

export interface Shipping extends Pick<Repeat, 'stop'> {
  /** Something was closed: looks within this many milliseconds; null: as soon as it is worth a batch. */
  look(withinMs: number | null): void;
}

/** Ships in passes; reports every second how much was shipped and since when rows wait, also during a pass. */
export function startShipping(shipper: Shipper, { taken, progress, tell, passed, pace, repeated }: ShippingParts): Shipping {
  setInterval(() => {
    const { rows, records } = taken();
    tell({ rowsShipped: rows, recordsShipped: records, shippedMs: progress.untilMs });
  }, figuresPauseMs).unref();
  const passes: Repeat = repeated(async () => {
    const beganMs = processMs();
    const rows = await shipper.pass();
    pace.found(rows, processMs() - beganMs);
    if (rows > 0) passes.nudge(Math.max(nextPauseMs, pace.pauseMs));
    passed();
  }, restPauseMs);
  return {
    stop: () => passes.stop(),
    look: (withinMs) => passes.nudge(withinMs ?? pace.pauseMs),
  };
}

/** Reports to a node that begins runs by itself, at most a few times a second, that the store takes its journal. */
export function sayingKept(engine: Engine['kind'], post: (message: FromStore) => void): () => void {
  let saidMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (engine !== 'sqlite' || nowMs - saidMs < keptPauseMs) return;
    saidMs = nowMs;
    post({ kind: 'kept' });
  };
}

/** The current pass may have missed calls that ended since, so this waits for the next one too, within a question's time limit. */
export async function keepEnded(shipper: Shipper): Promise<void> {
  const kept = shipper.pass().then(() => shipper.pass()).catch(() => {});
  await Promise.race([kept, pause(keepEndedMs)]);
}
