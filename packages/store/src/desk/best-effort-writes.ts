/**
 * What a node writes to the store now and then that is not a record: counted refusals, and its report on itself. Best effort; written one
 * last time at an orderly stop.
 */
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import type { KeptNodeReport, NodeReport } from '../operation/node-reports.ts';
import type { Store } from '../store.ts';
import { createRefusalDesk } from './refusal-desk.ts';

interface BestEffortWrites {
  refused(counts: readonly RefusalCount[], entries: readonly RefusalEntry[]): void;
  report(report: NodeReport): void;
  /** All that the journal held is in the store, but rows of these cells: a report that the node stopped, which was made before, says so. */
  allShipped(unshippedCells: ReadonlySet<number>): void;
  /** Writes the refusals that wait. @throws StoreFault */
  writeRefusals(): Promise<void>;
  /** Writes everything that is pending, as far as possible. @throws StoreFault */
  last(): Promise<void>;
}

/** `nowMs`: the node's time. */
export function bestEffortWritesTo(
  { refusalHours, refusalLog, nodeReports }: Pick<Store, 'refusalHours' | 'refusalLog' | 'nodeReports'>,
  { home, nowMs }: { readonly home: string; readonly nowMs: () => number },
): BestEffortWrites {
  const desk = createRefusalDesk({ hours: refusalHours, log: refusalLog });
  let latest: NodeReport | null = null;
  // Its moment is that at which it was made: how far rows are shipped is counted back from there.
  const reports = oneAtATime(({ report, atMs }: KeptNodeReport) => nodeReports.say(home, report, atMs));
  const add = (report: NodeReport): void => reports.add({ report, atMs: nowMs() });
  return {
    refused: (counts, entries) => desk.receive(counts, entries),
    report: (report) => add(latest = report),
    allShipped(unshippedCells) {
      if (latest?.state !== 'stopped') return;
      const { journal } = latest;
      const byCell = Object.keys(journal.lagMsOfCells ?? {}).map((cell) => [cell, unshippedCells.has(Number(cell)) ? null : 0] as const);
      const lagMsOfCells = byCell.length === 0 ? {} : { lagMsOfCells: Object.fromEntries(byCell) };
      add({ ...latest, journal: {
        ...journal, ...(unshippedCells.size > 0 ? {} : { rowsToShip: 0, lagMs: 0 }), rowsInMemory: 0, ...lagMsOfCells,
      } });
    },
    writeRefusals: () => desk.write(),
    async last() {
      await Promise.all([desk.write(), reports.settled()]);
    },
  };
}

/** Writes one after the other; while one is being written, only the latest of the others waits. Failures are ignored. */
function oneAtATime<One>(write: (one: One) => Promise<void>): { readonly add: (one: One) => void; readonly settled: () => Promise<void> } {
  let waiting: One | null = null;
  let writing: Promise<void> | null = null;
  const go = async (): Promise<void> => {
    while (waiting !== null) {
      const next: One = waiting;
      waiting = null;
      await write(next).catch(() => {});
    }
    writing = null;
  };
  return {
    add(next) {
      waiting = next;
      writing ??= go();
    },
    settled: async () => { await writing; },
  };
}
