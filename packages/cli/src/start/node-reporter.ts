/** The report of this process's gateway node, for the operators' page: made every few seconds from what `/readyz` and `/metrics` show. */
import type { GatewayThreadMetrics } from '@metergate/gateway/gateway-thread.ts';
import { processMs } from '@metergate/store/desk/lease-desk.ts';
import type { MadeReport } from '@metergate/store/desk/report-of-cells.ts';
import type { StoreThreadFigures } from '@metergate/store/desk/store-thread.ts';
import type { NodeReport } from '@metergate/store/operation/node-reports.ts';
import { journalDiskOf } from './journal-disk.ts';
import type { Unready } from './node-watch.ts';

/** What does not change while the node runs. */
type NodeFacts = Pick<NodeReport, 'node' | 'host' | 'version' | 'runtime' | 'startedAtMs'>;

export interface NodeFigures {
  readonly unready: readonly Unready[];
  readonly metrics: GatewayThreadMetrics;
  readonly figures: StoreThreadFigures;
  /** Total size of the journal's files. */
  readonly journalBytes: number;
  /** On the clock that all threads share. */
  readonly nowMs: number;
}

export function nodeReportOf(facts: NodeFacts, { unready, metrics, figures, journalBytes, nowMs }: NodeFigures): NodeReport {
  const { journal } = metrics;
  const inJournal = journal.closed - figures.recordsShipped - figures.recordsSetAside;
  return {
    ...facts,
    state: unready.length === 0 ? 'ready' : 'unready', reasons: unready.map(({ sentence }) => sentence),
    callsInFlight: metrics.inFlight, oldestCallMs: metrics.oldestCallMs, earlierCalls: metrics.earlierCalls,
    callsForwarded: metrics.forwarded, callsRefused: metrics.refused, faults: metrics.faults,
    liveRuns: metrics.liveRuns,
    journal: {
      // The two counts come from two threads, each at its own pace: a record may be counted as shipped before it is counted as closed.
      rowsToShip: Math.max(0, inJournal), lagMs: Math.max(0, Math.round(nowMs - figures.shippedMs)), bytes: journalBytes,
      rowsInMemory: journal.waiting, setAside: figures.recordsSetAside, setAsideOf: figures.setAsideOf,
    },
    settingsAgeMs: metrics.snapshotAgeMs, eventLoopDelayMs: metrics.eventLoopDelayMs, spendDifferences: figures.spendDifferences,
    leases: metrics.leases?.active ?? null,
  };
}

interface NodeReporterOptions {
  readonly facts: NodeFacts;
  readonly journalDirectory: string;
  readonly unready: () => readonly Unready[];
  readonly threads: {
    metrics(waitMs: number): Promise<GatewayThreadMetrics | null>;
    storeFigures(): StoreThreadFigures;
    report(made: MadeReport): void;
  };
}

const pauseMs = 5_000;
const waitMs = 2_000;

/** Reports now and every five seconds, until it is stopped. */
export function startNodeReporter({ facts, journalDirectory, unready, threads }: NodeReporterOptions): { stop(): void } {
  const tell = async (): Promise<void> => {
    const metrics = await threads.metrics(waitMs);
    if (metrics === null) return;
    const { bytes: journalBytes } = journalDiskOf(journalDirectory);
    const [figures, nowMs] = [threads.storeFigures(), processMs()];
    threads.report({ report: nodeReportOf(facts, { unready: unready(), metrics, figures, journalBytes, nowMs }), nowMs });
  };
  void tell();
  const telling = setInterval(() => void tell(), pauseMs).unref();
  return { stop: () => clearInterval(telling) };
}
