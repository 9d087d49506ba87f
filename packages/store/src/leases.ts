/**
 * Gateway nodes and their leases in the shared store (design 2, Spend across nodes; 3, rows 5a and 5b). What is granted is core's
 * decision; here the sums it rests on are locked, read and written in one short transaction.
 * Locks go in the order of shipping: exposure, sums, leases, feed. Time is the database's own.
 * On the embedded store the one node is the authority: every answer is without bound, and nothing is written.
 */
import type { LeaseAnswer } from '@metergate/core/lease/account.ts';
import type { SubjectClaim } from '@metergate/core/lease/book.ts';
import { contestedMs, grantLease, outstanding } from '@metergate/core/lease/grant.ts';
import { forgetAfterMs, quarantineAfterMs, quarantineMs } from '@metergate/core/lease/node-state.ts';
import { leaseName } from '@metergate/core/lease/subject.ts';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { sql, type Transaction } from 'kysely';
import { recordAudit } from './audit-trail.ts';
import { stirLeases } from './sql/apply-to-leases.ts';
import { lockLeased, writeLeases, type KeptLease } from './sql/lease-rows.ts';
import type { Schema } from './sql/schema.ts';
import type { StoreGround } from './store.ts';

export interface NodeHeard {
  /** The store's time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Number of the feed: where it has moved, leases are to be confirmed now. */
  readonly feed: number;
  /** False: the store has forgotten the node, which must begin anew. */
  readonly known: boolean;
}

export interface Leases {
  /**
   * A process begins on a data directory: it is known from here on, and what others left there, whose journal it has shipped,
   * is returned.
   */
  begin(node: GatewayNodeId, home: string): Promise<void>;
  heartbeat(node: GatewayNodeId): Promise<NodeHeard>;
  /** Number of the feed alone. */
  feed(): Promise<number>;
  /** Answers in the order of the claims. Null: the node is not known. `number` grows with each batch of the node. */
  claim(node: GatewayNodeId, number: number, claims: readonly SubjectClaim[]): Promise<LeaseAnswer[] | null>;
  /** A process ended and has shipped everything. */
  end(node: GatewayNodeId): Promise<void>;
  /** Frees what nodes held that were not heard of for too long, with a row in the audit trail; says how many nodes it was. */
  sweep(): Promise<number>;
  /** Drops leases of windows and runs that have been over for long, a slice at a time; says how many it was. */
  tidy(): Promise<number>;
}

export function leasesIn(ground: StoreGround): Leases {
  const { engine } = ground;
  if (engine.kind === 'sqlite') return authority(ground);
  return {
    begin: (node, home) => engine.write(async (transaction) => {
      const nowMs = await storeTime(transaction);
      const before = await transaction.selectFrom('gateway_node').select('id').where('home', '=', home).where('id', '!=', node).forUpdate().execute();
      for (const { id } of before) await forget(transaction, id);
      await transaction.insertInto('gateway_node').values({ id: node, home, started_at_ms: nowMs, heard_at_ms: nowMs, freed: 0 }).execute();
      if (before.length > 0) await stirLeases(transaction);
    }),
    heartbeat: (node) => engine.read(async (db) => {
      const { rows: [row] } = await sql<{ now_ms: bigint; feed: bigint; known: boolean }>`with heard as (
          update gateway_node set heard_at_ms = ${nowMsText}, freed = 0 where id = ${node} returning id)
        select ${nowMsText} as now_ms, (select value from lease_feed) as feed, exists (select 1 from heard) as known`.execute(db);
      return { nowMs: Number(row!.now_ms), feed: Number(row!.feed), known: row!.known };
    }),
    feed: () => engine.read(async (db) => Number((await db.selectFrom('lease_feed').select('value').executeTakeFirstOrThrow()).value)),
    claim: (node, number, claims) => engine.write((transaction) => claimIn(transaction, { node, number, claims })),
    end: (node) => engine.write(async (transaction) => {
      await forget(transaction, node);
      await stirLeases(transaction);
    }),
    sweep: () => sweepNodes(ground),
    tidy: () => tidyLeases(ground),
  };
}

function authority({ clock }: StoreGround): Leases {
  return {
    begin: async () => {},
    heartbeat: async () => ({ nowMs: clock(), feed: 0, known: true }),
    feed: async () => 0,
    claim: async (_node, _number, claims) => claims.map(({ holds, settled }) => ({
      granted: holds, spent: settled, shipped: settled, limit: null, validMs: Infinity, confirmMs: Infinity, contested: false,
    })),
    end: async () => {},
    sweep: async () => 0,
    tidy: async () => 0,
  };
}

const nowMsText = sql<bigint>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

async function storeTime(transaction: Transaction<Schema>): Promise<number> {
  const { rows } = await sql<{ now_ms: bigint }>`select ${nowMsText} as now_ms`.execute(transaction);
  return Number(rows[0]!.now_ms);
}

async function forget(transaction: Transaction<Schema>, node: string): Promise<void> {
  await transaction.deleteFrom('spend_lease').where('node', '=', node).execute();
  await transaction.deleteFrom('gateway_node').where('id', '=', node).execute();
}

interface Claiming {
  readonly node: GatewayNodeId;
  readonly number: number;
  readonly claims: readonly SubjectClaim[];
}

async function claimIn(transaction: Transaction<Schema>, { node, number, claims }: Claiming): Promise<LeaseAnswer[] | null> {
  const known = await transaction.selectFrom('gateway_node').select(nowMsText.as('now_ms')).where('id', '=', node).executeTakeFirst();
  if (known === undefined) return null;
  const nowMs = Number(known.now_ms);
  const grounds = await lockLeased(transaction, claims.map(({ subject }) => subject));
  const written: KeptLease[] = [];
  let stirs = false;
  const answers = claims.map((claim): LeaseAnswer => {
    const { limit, spent, over, leases } = grounds.get(leaseName(claim.subject))!;
    const own = leases.find((each) => each.node === node) ?? {
      subject: claim.subject, node, granted: nanoDollars(0n), shipped: nanoDollars(0n), limit, claim: 0, shortAtMs: 0,
    };
    const others = leases.filter((each) => each.node !== node);
    const contested = others.some(({ shortAtMs }) => nowMs - shortAtMs < contestedMs);
    const known = { spent, shipped: own.shipped, limit, contested };
    if (number <= own.claim) return { ...known, granted: own.granted, validMs: 0, confirmMs: 0 };
    const leasedElsewhere = nanoDollars(others.reduce((sum, each) => sum + outstanding(each), 0n));
    const grant = grantLease({ limit, spent, leasedElsewhere, contested }, own, claim);
    if (grant.short && nowMs - own.shortAtMs >= contestedMs) stirs = true;
    written.push({ ...own, granted: grant.granted, limit, claim: number, shortAtMs: grant.short ? nowMs : 0 });
    // What is over is confirmed no more.
    return { ...known, granted: grant.granted, validMs: over ? 0 : grant.validMs, confirmMs: grant.confirmMs };
  });
  await writeLeases(transaction, written);
  if (stirs) await stirLeases(transaction);
  return answers;
}

const dayMs = 86_400_000;
/** After its start a window is over, and a day more has passed. */
const overAfterMs = { day: 2 * dayMs, week: 8 * dayMs, month: 32 * dayMs, year: 367 * dayMs } as const;
const runOverAfterMs = 3_600_000;
const sliceLeases = 1_000;

async function tidyLeases({ engine }: StoreGround): Promise<number> {
  let dropped = 0;
  for (;;) {
    const rows = await engine.write(async (transaction) => {
      const nowMs = await storeTime(transaction);
      const windows = Object.entries(overAfterMs).map(([window, ms]) => sql`(l."window" = ${window} and l.start_ms < ${nowMs - ms})`);
      const { numAffectedRows } = await sql`delete from spend_lease where ctid in (select l.ctid from spend_lease as l
        left join run as r on l.scope = 'run' and r.organization = l.organization and r.id = l.subject
        where ${sql.join(windows, sql` or `)} or (r.state <> 'live' and r.ended_at_ms < ${nowMs - runOverAfterMs})
        limit ${sliceLeases})`.execute(transaction);
      return Number(numAffectedRows ?? 0n);
    });
    dropped += rows;
    if (rows < sliceLeases) return dropped;
  }
}

async function sweepNodes(ground: StoreGround): Promise<number> {
  const { engine } = ground;
  return engine.write(async (transaction) => {
    const nowMs = await storeTime(transaction);
    const silent = await transaction.selectFrom('gateway_node').select(['id', 'heard_at_ms']).where('freed', '=', 0n)
      .where('heard_at_ms', '<=', BigInt(nowMs - quarantineAfterMs - quarantineMs)).forUpdate().skipLocked().execute();
    for (const { id, heard_at_ms: heardAtMs } of silent) {
      const freed = await transaction.updateTable('spend_lease').set((column) => ({ granted_nano: column.ref('shipped_nano') }))
        .where('node', '=', id).whereRef('granted_nano', '>', 'shipped_nano').returning(['organization']).execute();
      await transaction.updateTable('gateway_node').set({ freed: 1 }).where('id', '=', id).execute();
      for (const organization of new Set(freed.map((row) => row.organization))) {
        const leases = freed.filter((row) => row.organization === organization).length;
        await recordAudit(ground, transaction, {
          intent: { actor: { kind: 'system', id: null, name: null }, detail: { heardAt: new Date(Number(heardAtMs)).toISOString(), leases } },
          change: { action: 'freeLeases', organization, subject: id },
        });
      }
    }
    const forgotten = await transaction.selectFrom('gateway_node').select('id').where('heard_at_ms', '<=', BigInt(nowMs - forgetAfterMs))
      .forUpdate().skipLocked().execute();
    for (const { id } of forgotten) await forget(transaction, id);
    if (silent.length + forgotten.length > 0) await stirLeases(transaction);
    return silent.length;
  });
}
