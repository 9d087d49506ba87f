/**
 * Support for filling an empty store in bulk: checks that it is empty, creates many service keys at once, prepares the engine for many rows
 * and tidies up afterwards. Rules: `seed`.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { noLackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { insertMissingRuns, type StoredRun } from '../runs/run-rows.ts';
import { stampOrganization } from '../settings/organizations.ts';

/** A key that nobody holds: its hash belongs to no key that was ever shown. */
interface SeededKey {
  readonly id: ServiceKeyId;
  readonly organization: OrganizationId;
  readonly hash: string;
  readonly prefix: string;
  readonly name: string;
  readonly project: string | null;
  readonly createdAtMs: number;
}

/** A run without a budget. */
export interface SeededRun {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly startedAtMs: number;
  /** When it is closed. If that is still to come, the run is live until then. */
  readonly endedAtMs: number;
}

export interface Seeding {
  /** No organization but `default`, no key and no call. */
  isEmpty(): Promise<boolean>;
  /** Adds keys of one organization, except those that are there. */
  addKeys(organization: OrganizationId, keys: readonly SeededKey[]): Promise<void>;
  /** Adds runs, except those that are there. Add their calls afterwards. */
  addRuns(runs: readonly SeededRun[], nowMs: number): Promise<void>;
  /** Call it before adding many rows: gives the engine memory for its pages. */
  begin(): Promise<void>;
  /** Call it afterwards: updates the engine's statistics of its tables. */
  settle(): Promise<void>;
}

const keysAtOnce = 5_000;
const runsAtOnce = 1_000;

const insert: BulkInsert<SeededKey> = {
  table: 'service_key',
  columns: [
    { name: 'id', kind: 'text', value: (key) => key.id }, { name: 'organization', kind: 'text', value: (key) => key.organization },
    { name: 'hash', kind: 'text', value: (key) => key.hash }, { name: 'prefix', kind: 'text', value: (key) => key.prefix },
    { name: 'name', kind: 'text', value: (key) => key.name }, { name: 'project', kind: 'text', value: (key) => key.project },
    { name: 'created_at_ms', kind: 'whole', value: (key) => key.createdAtMs },
  ],
  after: 'on conflict (id) do nothing',
};

export function seedingIn({ engine }: StoreContext): Seeding {
  return {
    isEmpty: () => engine.read(async (db) => {
      const organizations = await db.selectFrom('organization').select('name').limit(2).execute();
      const call = await db.selectFrom('call_record').select('sequence').limit(1).executeTakeFirst();
      const key = await db.selectFrom('service_key').select('id').limit(1).executeTakeFirst();
      return call === undefined && key === undefined && organizations.every(({ name }) => name === 'default');
    }),
    async addKeys(organization, keys) {
      for (let done = 0; done < keys.length; done += keysAtOnce) {
        const slice = keys.slice(done, done + keysAtOnce);
        await engine.change(async (transaction, revision) => {
          await stampOrganization(transaction, organization, revision);
          await insertRows(engine.kind, transaction, insert, slice);
          return slice.length;
        }, () => null);
      }
    },
    async addRuns(runs, nowMs) {
      for (let done = 0; done < runs.length; done += runsAtOnce) {
        const slice = runs.slice(done, done + runsAtOnce).map((run): StoredRun => runWithoutBudget(run, nowMs));
        await engine.transact(async () => {}, (send) => insertMissingRuns(engine.kind, send, slice));
      }
    },
    begin: () => engine.read(async (db) => {
      if (engine.kind === 'sqlite') await sql`pragma cache_size = -262144`.execute(db);
    }),
    settle: () => engine.unhurried(async (db) => {
      await sql`analyze`.execute(db);
      if (engine.kind === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
    }),
  };
}

function runWithoutBudget({ organization, id, startedAtMs, endedAtMs }: SeededRun, nowMs: number): StoredRun {
  const live = endedAtMs > nowMs;
  return {
    organization, id, startedAtMs, state: live ? 'live' : 'closed', endedAtMs: live ? null : endedAtMs,
    declared: null, effective: null, clampReason: null, spent: nanoDollars(0n), ...noLackingCalls,
    expiresAtMs: null, confirmed: true, lastCallAtMs: startedAtMs, change: 0n, beganBy: null, lowerings: [],
  };
}
