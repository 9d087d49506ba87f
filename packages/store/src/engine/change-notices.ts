/**
 * Learns on PostgreSQL, on a separate connection, that settings or runs were changed somewhere (rules: Snapshots). A notice only makes
 * the next poll come sooner. Listeners poll regularly anyway, so a lost connection, or a pooler that passes no notices on, costs time and
 * nothing else. A lost connection is re-established automatically.
 */
import pg from 'pg';

/** The channel that `migrations/0009-change-notices.sql` notifies on. */
const changeChannel = 'metergate_changes';

/** The kinds of notices: a change of an organization's settings or of prices, or an end or tightening of a run. */
export type ChangeNotice = 'settings' | 'runs';

export interface ChangeNotices {
  /** Ends the connection; there are no notices afterwards. */
  close(): Promise<void>;
}

/** Between a connection that was lost, or could not be opened, and the next attempt. */
const redialMs = 1_000;
const connectMs = 5_000;

/** Calls `told` on each notice, and once whenever listening began: what was missed before counts as changed. */
export function listenForChanges(url: string, told: (notice: ChangeNotice) => void): ChangeNotices {
  let closed = false;
  let client: pg.Client | null = null;
  let again: NodeJS.Timeout | null = null;

  function dial(): void {
    const dialled = new pg.Client({
      connectionString: url, application_name: 'metergate notices', connectionTimeoutMillis: connectMs, keepAlive: true,
    });
    let lost = false;
    const onceLost = (): void => {
      if (lost) return;
      lost = true;
      dialled.end().catch(() => {});
      if (!closed) again = setTimeout(dial, redialMs).unref();
    };
    client = dialled;
    dialled.on('error', onceLost).on('end', onceLost);
    dialled.on('notification', ({ payload }) => told(payload === 'run_feed' ? 'runs' : 'settings'));
    begin(dialled).catch(onceLost);
  }

  async function begin(dialled: pg.Client): Promise<void> {
    await dialled.connect();
    await dialled.query(`listen ${changeChannel}`);
    told('settings');
    told('runs');
  }

  dial();
  return {
    async close() {
      closed = true;
      if (again !== null) clearTimeout(again);
      await client?.end().catch(() => {});
    },
  };
}
