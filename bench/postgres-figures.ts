/**
 * What a PostgreSQL did between two moments, for benchmarks on the same machine: processor time, bytes of its log, transactions, lock waits, and
 * HOT updates of the sums in one database.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** What one server did. */
export interface ServerFigures {
  /** Of all its processes; Linux counts it in ticks of 10 ms. */
  readonly processorMs: number;
  readonly walBytes: number;
  readonly commits: number;
  /** What the log is about; empty unless it was asked for. */
  readonly tables: readonly { readonly table: string; readonly bytes: number; readonly changes: number }[];
  /** What its connections that had a statement or a transaction were at, and how many of them on average; the most frequent first. */
  readonly waits: readonly { readonly at: string; readonly mean: number }[];
  readonly deadlocks: number;
  readonly updates: number;
  readonly hotUpdates: number;
}

/** Begins to watch the server of this database. `byTable`: also says which tables its log is about. */
export async function serverFigures(url: string, byTable: boolean): Promise<{ since(): Promise<ServerFigures> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: [setting] } = await client.query<{ d: string }>('select setting as d from pg_settings where name = $1', ['data_directory']);
  const postmaster = Number(readFileSync(`${setting!.d}/postmaster.pid`, 'utf8').split('\n')[0]);
  const counts = async () => {
    const { rows: [row] } = await client.query<{ commits: string; deadlocks: string }>(
      'select xact_commit as commits, deadlocks from pg_stat_database where datname = current_database()');
    return { commits: Number(row!.commits), deadlocks: Number(row!.deadlocks) };
  };
  const look = async () => ({
    processorMs: serverMs(postmaster),
    walBytes: Number((await client.query<{ w: string }>(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as w`)).rows[0]!.w),
    ...await counts(),
  });
  const waits = await watchWaits(url);
  const before = await look();
  const beganAt = await logEnd(client);
  return {
    async since() {
      const after = await look();
      const seen = await waits.end();
      await pause(1_100);
      const { rows: [updates] } = await client.query<{ all: string; hot: string }>(`select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot
        from pg_stat_user_tables where relname in ('usage_sum', 'attribution_sum', 'word_sum', 'hour_sum', 'spend_day')`);
      const tables = byTable ? await logByTable(client, beganAt) : [];
      await client.end();
      return {
        processorMs: after.processorMs - before.processorMs, walBytes: after.walBytes - before.walBytes, commits: after.commits - before.commits,
        tables, waits: seen, deadlocks: after.deadlocks - before.deadlocks, updates: Number(updates!.all), hotUpdates: Number(updates!.hot),
      };
    },
  };
}

/** What its connections are at, again and again. */
async function watchWaits(url: string): Promise<{ end(): Promise<ServerFigures['waits']> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seen = new Map<string, number>();
  let looks = 0;
  const over = new AbortController();
  const watching = (async () => {
    for (; !over.signal.aborted; await pause(50)) {
      looks += 1;
      const { rows } = await client.query<{ at: string }>(`select concat_ws(' ', coalesce(wait_event_type, 'at work'), wait_event,
          case wait_event_type when 'Lock' then left(regexp_replace(query, '\\s+', ' ', 'g'), 60) end) as at
        from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`);
      for (const { at } of rows) seen.set(at, (seen.get(at) ?? 0) + 1);
    }
  })();
  return { async end() {
    over.abort();
    await watching;
    await client.end();
    return [...seen].map(([at, count]) => ({ at, mean: count / Math.max(1, looks) })).sort((one, other) => other.mean - one.mean);
  } };
}

async function logEnd(client: pg.Client): Promise<string> {
  return (await client.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')).rows[0]!.at;
}

/** Each entry of the log counts for the first block that it is about. */
async function logByTable(client: pg.Client, beganAt: string): Promise<{ table: string; bytes: number; changes: number }[]> {
  await client.query('create extension if not exists pg_walinspect');
  const { rows } = await client.query<{ table: string; bytes: string; changes: string }>(`
    select coalesce(c.relname, 'others') || ' ' || b.resource_manager || ' ' || b.record_type as table, sum(b.record_length) as bytes,
      count(*) as changes
    from pg_get_wal_block_info($1, pg_current_wal_flush_lsn(), false) as b left join pg_class as c on c.relfilenode = b.relfilenode
    where b.block_id = 0 group by 1 order by 2 desc limit 40`, [beganAt]);
  return rows.map(({ table, bytes, changes }) => ({ table, bytes: Number(bytes), changes: Number(changes) }));
}

/** Processor time of a server and of its processes, those that have ended among them. Linux counts in hundredths of a second. */
function serverMs(postmaster: number): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(entry) === postmaster) ticks += [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      else if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended between the two looks.
    }
  }
  return ticks * 10;
}

