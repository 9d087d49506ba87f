/**
 * The last report of each gateway node: whether it is ready, what waits in its journal, how busy it is. A node reports every few seconds;
 * the next process on the same data directory reports in its place. Shown for a day after the last report. That of a node which did not end in
 * order, or whose journal still held calls, is kept for longer: the closing of a month needs it.
 */
import type { EarlierCalls } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Insertable } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
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
  /** When the oldest of them began, by the wall clock of the node; null: there is none. Absent in reports of earlier versions. */
  readonly oldestCallMs?: number | null;
  /** Whose calls of earlier months may not be in the store. Absent in reports of earlier versions, and of a node that stopped in order. */
  readonly earlierCalls?: EarlierCalls;
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
    /**
     * The same by the number of each cell. Of a node that stopped, 0 if all rows of the cell are in it, else null. Absent without cells, and in
     * reports of earlier versions.
     */
    readonly lagMsOfCells?: Readonly<Record<string, number | null>>;
    /** Bytes of its files. */
    readonly bytes: number;
    /** Closed calls that wait in memory because it cannot be written. */
    readonly rowsInMemory: number;
    /** Records that the store refused since the start. */
    readonly setAside: number;
    /** Whose refused records lie there, also those from before; null: that cannot be read. Absent in reports of earlier versions. */
    readonly setAsideOf?: readonly OrganizationId[] | null;
  };
  /** Milliseconds since the settings that it applies were last confirmed. */
  readonly settingsAgeMs: number;
  /** Of the gateway thread, 99th percentile. */
  readonly eventLoopDelayMs: number;
  /** Sums of spend that differed from their records. */
  readonly spendDifferences: number;
  /** Spend leases held or waited for; null: the store is the node's own. */
  readonly leases: number | null;
  /** The node sends statements without names, since names that it used were lost. Absent otherwise. */
  readonly namesLost?: true;
}

export interface KeptNodeReport {
  readonly report: NodeReport;
  /** When it was made, on the store's time as the node knows it. */
  readonly atMs: number;
}

export interface NodeReports {
  /** In place of the last report of the same data directory, `home`. */
  say(home: string, report: NodeReport, atMs: number): Promise<void>;
  /** The one that reported last comes first. */
  list(): Promise<KeptNodeReport[]>;
  /** Those of nodes that may still hold calls, also older ones. */
  listUnsettled(): Promise<KeptNodeReport[]>;
}

const keptMs = 86_400_000;
/** A month is closed by then, or the operator was warned of the node again and again. */
const unsettledKeptMs = 100 * keptMs;
const nodesMax = 1_000;
/** How often what is too old is removed. */
const pruneMs = 3_600_000;

export function nodeReportsIn({ background: engine }: StoreContext): NodeReports {
  const reports = (unsettled: boolean): Promise<KeptNodeReport[]> => engine.read(async (db) => (await db.selectFrom('node_report').selectAll()
    .$if(unsettled, (query) => query.where('settled', '=', 0n)).orderBy('at_ms', 'desc').orderBy('home').limit(nodesMax).execute())
    .map(({ report, at_ms: atMs }) => ({ report: JSON.parse(report) as NodeReport, atMs: Number(atMs) })));
  let prunedAtMs = -Infinity;
  return {
    say: (home, report, atMs) => engine.write(async (transaction) => {
      const row: Insertable<NodeReportTable> = {
        home, node: report.node, at_ms: Math.floor(atMs), report: JSON.stringify(report), settled: isSettled(report) ? 1n : 0n,
      };
      await transaction.insertInto('node_report').values(row)
        .onConflict((conflict) => conflict.column('home').doUpdateSet({
          node: row.node, at_ms: row.at_ms, report: row.report, settled: row.settled!,
        })).execute();
      if (atMs - prunedAtMs < pruneMs) return;
      prunedAtMs = atMs;
      const olderThan = (ms: number) => transaction.deleteFrom('node_report').where('at_ms', '<', BigInt(Math.floor(atMs) - ms));
      await olderThan(keptMs).where('settled', '=', 1n).execute();
      await olderThan(unsettledKeptMs).execute();
    }),
    list: async () => {
      const all = await reports(false);
      const newestMs = all[0]?.atMs ?? 0;
      return all.filter(({ atMs }) => atMs >= newestMs - keptMs);
    },
    listUnsettled: () => reports(true),
  };
}

/** Nothing of it can come any more. */
function isSettled({ state, journal: { rowsToShip, lagMsOfCells = {}, rowsInMemory, setAside, setAsideOf } }: NodeReport): boolean {
  return state === 'stopped' && rowsToShip === 0 && rowsInMemory === 0 && !Object.values(lagMsOfCells).includes(null)
    && (setAsideOf === undefined ? setAside === 0 : setAsideOf?.length === 0);
}
