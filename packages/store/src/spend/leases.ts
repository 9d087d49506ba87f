/**
 * Gateway nodes and their leases in the shared store (rules: Spend across nodes; rules 5a and 5b). Core decides what is granted. Here
 * the basis for it is read and the answer is written, in one short transaction. Locks are taken in one order: turns, leases, feed; shipping
 * takes the last two in the same order. Time is the database's own.
 * On the embedded store the one node is the authority: every answer is unbounded, and nothing is written.
 */
import type { LeaseAnswer } from '@metergate/core/spend/lease/account.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { answerClaim } from '@metergate/core/spend/lease/answer.ts';
import { leaseNodeState, quarantineAfterMs } from '@metergate/core/spend/lease/node-state.ts';
import { leaseName } from '@metergate/core/spend/lease/subject.ts';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import { calendarWindows, windowAt } from '@metergate/core/spend/window.ts';
import { dayLengthMs } from '@metergate/core/time/utc-day.ts';
import { sql, type Transaction } from 'kysely';
import { recordAudit } from '../operation/audit-trail.ts';
import { bumpLeaseFeed, bumpFeedStatement } from './apply-to-leases.ts';
import { lockLeased, writeLeases, type KeptLease } from './lease-rows.ts';
import { ownWriter } from '../schema/migrations/list.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface HeartbeatAnswer {
  /** The store's time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Number of the feed. If it has changed, leases must be confirmed now. */
  readonly feed: number;
  /** False: the store has forgotten the node, which must start over. */
  readonly known: boolean;
}

export interface Leases {
  /**
   * A process begins on a data directory and is known from now on. What earlier processes left there, whose journal it has
   * shipped, is returned.
   */
  begin(node: GatewayNodeId, home: string): Promise<void>;
  /** When a process on the data directory last reported, on the store's clock, which reads `nowMs`. Null: none is known. */
  lastHeartbeat(home: string): Promise<{ readonly heardAtMs: number; readonly nowMs: number } | null>;
  heartbeat(node: GatewayNodeId): Promise<HeartbeatAnswer>;
  /** Only the number of the feed. */
  feed(): Promise<number>;
  /** Answers in the order of the claims. Null: the node is not known. `number` grows with each batch of the node. */
  claim(node: GatewayNodeId, number: number, claims: readonly SubjectClaim[]): Promise<LeaseAnswer[] | null>;
  /** A process ended and has shipped everything. */
  end(node: GatewayNodeId): Promise<void>;
  /**
   * Frees what nodes held that were silent for too long, with a row in the audit trail; returns how many nodes. Only a node that
   * was silent at the sweep before counts, so sweeps must be further apart than heartbeats.
   */
  sweep(): Promise<number>;
  /** Drops leases of windows and runs that ended long ago, and of unknown nodes, a slice at a time; returns how many. */
  tidy(): Promise<number>;
}

export function leasesIn(context: StoreContext): Leases {
  const { engine } = context;
  if (engine.kind === 'sqlite') return authority(context);
  const silentBefore = new Map<string, bigint>();
  return {
    async begin(node, home) {
      const before = await engine.write(async (transaction) => {
        const nowMs = await storeTime(transaction);
        const others = await transaction.deleteFrom('gateway_node').where('home', '=', home).where('id', '!=', node).returning('id').execute();
        await transaction.insertInto('gateway_node')
          .values({ id: node, home, started_at_ms: nowMs, heard_at_ms: nowMs, freed: 0, keeps_days: 1, writer: ownWriter }).execute();
        return others.map(({ id }) => id);
      });
      await dropLeasesOf(context, before);
    },
    lastHeartbeat: (home) => engine.read(async (db) => {
      const last = await db.selectFrom('gateway_node').select(['heard_at_ms', nowMsText.as('now_ms')]).where('home', '=', home)
        .orderBy('heard_at_ms', 'desc').limit(1).executeTakeFirst();
      return last === undefined ? null : { heardAtMs: Number(last.heard_at_ms), nowMs: Number(last.now_ms) };
    }),
    heartbeat: (node) => engine.read(async (db) => {
      const { rows: [row] } = await sql<{ now_ms: bigint; feed: bigint; known: boolean }>`with heard as (
          update gateway_node set heard_at_ms = ${askedMsText}, freed = 0 where id = ${node} returning id)
        select ${askedMsText} as now_ms, (select value from lease_feed) as feed, exists (select 1 from heard) as known`.execute(db);
      return { nowMs: Number(row!.now_ms), feed: Number(row!.feed), known: row!.known };
    }),
    feed: () => context.feeds.read('leases'),
    claim: (node, number, claims) => claimIn(context, { node, number, claims }),
    async end(node) {
      await engine.write((transaction) => transaction.deleteFrom('gateway_node').where('id', '=', node).execute());
      await dropLeasesOf(context, [node]);
    },
    sweep: () => sweepNodes(context, silentBefore),
    tidy: () => tidyLeases(context),
  };
}

function authority({ clock }: StoreContext): Leases {
  return {
    begin: async () => {},
    lastHeartbeat: async () => null,
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
/** When the statement came, for one by itself: Citus takes no time in an update that goes on while it runs. */
const askedMsText = sql<bigint>`cast(extract(epoch from statement_timestamp()) * 1000 as bigint)`;

async function storeTime(transaction: Transaction<Schema>): Promise<number> {
  const { rows } = await sql<{ now_ms: bigint }>`select ${nowMsText} as now_ms`.execute(transaction);
  return Number(rows[0]!.now_ms);
}

/**
 * Drops leases of forgotten nodes a slice at a time, since a node that served many keys has very many. If this is cut short,
 * `tidy` drops the rest.
 */
async function dropLeasesOf({ engine }: StoreContext, nodes: readonly string[]): Promise<void> {
  if (nodes.length === 0) return;
  for (let dropped = sliceDropped; dropped === sliceDropped;) {
    dropped = await engine.write(async (transaction) => Number((await sql`delete from spend_lease where ctid in (
      select ctid from spend_lease where node in (${sql.join(nodes)}) limit ${sliceDropped})`.execute(transaction)).numAffectedRows ?? 0n));
  }
  await engine.write(bumpLeaseFeed);
}

interface Claiming {
  readonly node: GatewayNodeId;
  readonly number: number;
  readonly claims: readonly SubjectClaim[];
}

/** Locks the node, so that what is granted here is written before the node is forgotten, and dropped with the rest. */
const lockNode = 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms from gateway_node where id = $1 for key share';

function claimIn({ engine }: StoreContext, { node, number, claims }: Claiming): Promise<LeaseAnswer[] | null> {
  return engine.transact(
    (send) => Promise.all([send(lockNode, [node]), lockLeased(send, claims.map(({ subject }) => subject))]),
    (send, [[known], sums]) => {
      if (known === undefined) return null;
      const nowMs = Number(known['now_ms']);
      const written: KeptLease[] = [];
      let bumpsFeed = false;
      const answers = claims.map((claim): LeaseAnswer => {
        const { subject } = claim;
        const leased = sums.get(leaseName(subject))!;
        const { answer, kept, confirmAll } = answerClaim(leased, { node, number, claim, nowMs });
        if (kept !== null) written.push({ ...kept, subject, limit: leased.limit });
        bumpsFeed ||= confirmAll;
        return answer;
      });
      writeLeases(send, written);
      if (bumpsFeed) void send(bumpFeedStatement);
      return answers;
    },
  );
}

/** Nodes that are silent, or reported in the store's future. */
const anyToSweep = `select 1 as found from gateway_node,
  (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint) as now_ms, cast($1 as bigint) as after_ms) as t
  where heard_at_ms <= now_ms - after_ms or heard_at_ms > now_ms + after_ms limit 1`;

const runOverAfterMs = 3_600_000;
const sliceLeases = 1_000;
/** Nobody waits for rows of forgotten nodes; this many take well under a statement's time limit. */
const sliceDropped = 50_000;

async function tidyLeases({ engine }: StoreContext): Promise<number> {
  let dropped = 0;
  for (;;) {
    const rows = await engine.write(async (transaction) => {
      const nowMs = await storeTime(transaction);
      // Over for a day.
      const windows = calendarWindows.map((window) =>
        sql`(l."window" = ${window} and l.start_ms < ${windowAt(window, nowMs - dayLengthMs).startMs})`);
      const { numAffectedRows } = await sql`delete from spend_lease where ctid in (select l.ctid from spend_lease as l
        left join run as r on l.scope = 'run' and r.organization = l.organization and r.id = l.subject
        where ${sql.join(windows, sql` or `)} or (r.state <> 'live' and r.ended_at_ms < ${nowMs - runOverAfterMs})
        or (l.scope = 'run' and r.id is null and ((l.granted_nano = 0 and l.shipped_nano = 0)
          or exists (select 1 from erased_organization as e where e.organization = l.organization)))
        or not exists (select 1 from gateway_node as g where g.id = l.node)
        limit ${sliceLeases})`.execute(transaction);
      return Number(numAffectedRows ?? 0n);
    });
    dropped += rows;
    if (rows < sliceLeases) return dropped;
  }
}

/**
 * `before`: the nodes that were silent at the last sweep, and since when. Only those still silent lose anything: a step of the store's
 * clock makes all nodes look silent until each reports again a second later.
 */
async function sweepNodes(context: StoreContext, before: Map<string, bigint>): Promise<number> {
  // Reads first, since hardly any sweep finds a node to look at.
  const [[found] = []] = await context.engine.look(anyToSweep, [[BigInt(quarantineAfterMs)]]);
  if (found === undefined) {
    before.clear();
    return 0;
  }
  const swept = await context.engine.write(async (transaction) => {
    const nowMs = await storeTime(transaction);
    await bringBack(transaction, nowMs);
    const silent = await transaction.selectFrom('gateway_node').select(['id', 'heard_at_ms', 'freed'])
      .where('heard_at_ms', '<=', BigInt(nowMs - quarantineAfterMs)).forUpdate().skipLocked().execute();
    const still = silent.filter(({ id, heard_at_ms: heardAtMs }) => before.get(id) === heardAtMs);
    const judged = still.map((node) => ({ ...node, state: leaseNodeState(Number(node.heard_at_ms), nowMs) }));
    const free = judged.filter(({ freed, state }) => freed === 0n && state !== 'quarantined');
    for (const node of free) await freeLeases(context, transaction, node);
    const forgotten = judged.filter(({ state }) => state === 'forgotten').map(({ id }) => id);
    if (forgotten.length > 0) await transaction.deleteFrom('gateway_node').where('id', 'in', forgotten).execute();
    if (free.length > 0) await bumpLeaseFeed(transaction);
    return { silent, freed: free.length, forgotten };
  });
  before.clear();
  for (const { id, heard_at_ms: heardAtMs } of swept.silent) before.set(id, heardAtMs);
  await dropLeasesOf(context, swept.forgotten);
  return swept.freed;
}

/** If the store's clock stepped back, nodes that reported in its future count as if they reported now: their silence is measured from here. */
async function bringBack(transaction: Transaction<Schema>, nowMs: number): Promise<void> {
  await transaction.updateTable('gateway_node').set({ heard_at_ms: nowMs }).where('id', 'in', (ahead) =>
    ahead.selectFrom('gateway_node').select('id').where('heard_at_ms', '>', BigInt(nowMs + quarantineAfterMs)).forUpdate().skipLocked()).execute();
}

async function freeLeases(
  context: StoreContext, transaction: Transaction<Schema>, { id, heard_at_ms: heardAtMs }: { readonly id: string; readonly heard_at_ms: bigint },
): Promise<void> {
  const freed = await transaction.updateTable('spend_lease')
    .set((column) => ({ granted_nano: column.ref('shipped_nano'), settled_nano: column.ref('shipped_nano'), under_way_nano: 0 }))
    .where('node', '=', id).where((where) => where.or([
      where('granted_nano', '>', where.ref('shipped_nano')), where('settled_nano', '>', where.ref('shipped_nano')), where('under_way_nano', '>', 0n),
    ])).returning(['organization']).execute();
  await transaction.updateTable('gateway_node').set({ freed: 1 }).where('id', '=', id).execute();
  for (const organization of new Set(freed.map((row) => row.organization))) {
    const leases = freed.filter((row) => row.organization === organization).length;
    await recordAudit(context, transaction, {
      intent: { actor: { kind: 'system', id: null, name: null }, detail: { heardAt: new Date(Number(heardAtMs)).toISOString(), leases } },
      change: { action: 'freeLeases', organization, subject: id },
    });
  }
}
