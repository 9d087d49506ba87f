/** Since when calls are under way, and whose: for the report of the node (decisions 145 and 316). Their ids tell it, so calls pay nothing for it. */
import { earlierCallsOf, type BegunCall, type EarlierCalls } from '@metergate/core/books/month/earlier-calls.ts';
import type { OpenCall } from '@metergate/store/journal/journal.ts';
import { idTakenMs } from '../callers/request-ids.ts';

export interface BegunCalls {
  /** When the oldest began, by the wall clock; null: there is none. */
  readonly oldestCallMs: number | null;
  readonly earlierCalls: EarlierCalls;
}

/** `nowMs`: the wall clock. */
export function begunCallsOf(calls: Iterable<OpenCall>, nowMs: number): BegunCalls {
  let oldestCallMs: number | null = null;
  const begun = function* (): Generator<BegunCall, void, undefined> {
    for (const { id, organization } of calls) {
      const beganMs = idTakenMs(id, nowMs);
      if (oldestCallMs === null || beganMs < oldestCallMs) oldestCallMs = beganMs;
      yield { organization, beganMs };
    }
  };
  const earlierCalls = earlierCallsOf(begun(), nowMs);
  return { oldestCallMs, earlierCalls };
}
