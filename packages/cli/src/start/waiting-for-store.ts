/**
 * A gateway whose store does not exist yet, or is of an older version, waits for the platform to prepare it. So the two may be started in any
 * order. It says what it waits for when that changes, and once a minute.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { StoreFault, type StoreFaultCode } from '@metergate/store/engine/fault.ts';

/** Faults that somebody else is about to fix. Any other ends the start. */
const passing: ReadonlySet<StoreFaultCode> = new Set(['store_absent', 'schema_older', 'store_unreachable', 'store_busy']);

const tryAgainMs = 1_000;
const tellAgainMs = 60_000;

interface WaitingForStore<Result> {
  readonly open: () => Promise<Result>;
  /** Called whenever there is something to report about it; null: no longer. */
  readonly tell: (sentence: string) => void;
  /** Kept up to date with what is waited for. */
  readonly waitsFor: (sentence: string) => void;
  readonly signal: AbortSignal;
  readonly monotonicMs: () => number;
  /** Lets time pass; rejects if the signal ends it. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Null: the signal ended it. @throws faults that waiting cannot fix */
export async function waitingForStore<Result>(options: WaitingForStore<Result>): Promise<Result | null> {
  const { open, tell, waitsFor, signal, monotonicMs, pause = pauseFor } = options;
  let told: { readonly code: StoreFaultCode; readonly atMs: number } | null = null;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreFault) || !passing.has(error.code)) throw error;
      const sentence = `${error.message} Waiting for it.`;
      waitsFor(sentence);
      if (told === null || told.code !== error.code || monotonicMs() - told.atMs >= tellAgainMs) {
        told = { code: error.code, atMs: monotonicMs() };
        tell(sentence);
      }
    }
    if (!await pause(tryAgainMs, signal).then(() => true, () => false)) return null;
  }
}

const pauseFor = (ms: number, signal: AbortSignal): Promise<unknown> => pass(ms, undefined, { signal });
