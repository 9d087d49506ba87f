/**
 * What each gateway node last said of itself: whether it is ready, what waits in its journal, how busy it is. A node says it every few seconds;
 * the next process on the same data directory says it in its place. Kept for a day after the last word.
 */
import type { Insertable } from 'kysely';
import type { StoreContext } from '../context.ts';
import type { NodeReportTable } from '../schema/operation-schema.ts';

export interface NodeReport {
  readonly node: string;
  /** Name of the machine. */
  readonly host: string;
  /** Version of the product. */
  readonly version: string;
  /** Version of Node. */
  readonly runtime: string;
  readonly startedAtMs: number;
  /** `unready`: calls should not be sent there now; `stopped`: it ended in order. */
  readonly state: 'ready' | 'unready' | 'stopped';
  /** Why it is not ready: sentences for operators. */
  readonly reasons: readonly string[];
  readonly callsInFlight: number;
  /** Since the start, like the next one. */
  readonly callsForwarded: number;
  readonly callsRefused: number;
  readonly faults: number;
  readonly liveRuns: number;
  readonly journal: {
    /** Rows that are written there and not in the store yet. */
    readonly rowsToShip: number;
    /** How long rows may have waited to be shipped, milliseconds. */
    readonly lagMs: number;
    /** Bytes of its files. */
    readonly bytes: number;
    /** Closed calls that wait in memory because it cannot be written. */
    readonly rowsInMemory: number;
    /** Records that the store refused. */
    readonly setAside: number;
  };
  /** Milliseconds since the settings that it goes by were last confirmed. */
  readonly settingsAgeMs: number;
  /** Of the gateway thread, 99th percentile. */
  readonly eventLoopDelayMs: number;
  /** Sums of spend that differed from their records. */
  readonly spendDifferences: number;
  /** Spend leases held or waited for; null: the store is the node's own. */
  readonly leases: number | null;
}

export interface KeptNodeReport {
  readonly report: NodeReport;
  /** When it was said, on the store's time as the node knows it. */
  readonly atMs: number;
}

export interface NodeReports {
  /** In place of what was last said on the same data directory, `home`. */
  say(home: string, report: NodeReport, atMs: number): Promise<void>;
  /** The one that reported last comes first. */
  list(): Promise<KeptNodeReport[]>;
}

const keptMs = 86_400_000;
const nodesMax = 1_000;

export function nodeReportsIn({ background: engine }: StoreContext): NodeReports {
  return {
    say: (home, report, atMs) => engine.write(async (transaction) => {
      const row: Insertable<NodeReportTable> = { home, node: report.node, at_ms: Math.floor(atMs), report: JSON.stringify(report) };
      await transaction.insertInto('node_report').values(row)
        .onConflict((conflict) => conflict.column('home').doUpdateSet({ node: row.node, at_ms: row.at_ms, report: row.report })).execute();
      await transaction.deleteFrom('node_report').where('at_ms', '<', BigInt(Math.floor(atMs) - keptMs)).execute();
    }),
    list: () => engine.read(async (db) => (await db.selectFrom('node_report').selectAll()
      .orderBy('at_ms', 'desc').orderBy('home').limit(nodesMax).execute())
      .map(({ report, at_ms: atMs }) => ({ report: JSON.parse(report) as NodeReport, atMs: Number(atMs) }))),
  };
}
