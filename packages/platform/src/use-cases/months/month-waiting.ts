/**
 * Which nodes may still hold calls of a month. A node reports every five seconds what its journal still holds and when its oldest open call began;
 * the report of one that ended otherwise than in order stays. Decision 145.
 */
import type { KeptNodeReport } from '@metergate/store/operation/node-reports.ts';

export interface AwaitedNode {
  readonly node: string;
  /** A sentence for people. */
  readonly reason: string;
}

/** Clocks of nodes differ, and an id tells its call's beginning by the wall clock. */
const marginMs = 60_000;
/** A process that has just started may not have looked at the journal that it found. */
const startedMs = 30_000;

/** `endMs`: the end of the month. In the order of the reports. */
export function awaitedNodes(reports: readonly KeptNodeReport[], endMs: number): AwaitedNode[] {
  return reports.flatMap((report) => {
    const reason = reasonOf(report, endMs);
    return reason === null ? [] : [{ node: report.report.node, reason }];
  });
}

/** Organizations must not see the machine, nor others on it (decision 92): no host is named, nothing is counted, and no call's moment is told. */
function reasonOf({ report, atMs }: KeptNodeReport, endMs: number): string | null {
  const { state, startedAtMs, callsInFlight, oldestCallMs, journal } = report;
  if (journal.setAside > 0) return 'The store refused some of its records; they lie in the folder refused of its journal.';
  if (state === 'stopped') {
    return journal.rowsToShip + journal.rowsInMemory === 0 ? null : `It stopped at ${instant(atMs)} with records that are not shipped.`;
  }
  if (atMs < endMs + marginMs) return `It was last heard of at ${instant(atMs)}, and did not stop in order.`;
  if (journal.rowsInMemory > 0) return 'Records wait in its memory: its journal cannot be written.';
  const shippedMs = atMs - journal.lagMs;
  if (shippedMs < endMs + marginMs) return `Its journal is shipped up to ${instant(shippedMs)}.`;
  if (shippedMs < startedAtMs + startedMs) return `It started at ${instant(startedAtMs)}, and may hold what it found. Try again in half a minute.`;
  if (callsInFlight === 0) return null;
  if (oldestCallMs === undefined) return 'Calls are under way, and it does not tell since when.';
  // Its moment is not told: it may be another organization's call.
  return oldestCallMs === null || oldestCallMs >= endMs + marginMs ? null : 'A call that began before the end of the month has not ended.';
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
