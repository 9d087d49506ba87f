/** The gateway nodes on a shared store, as shown to an operator. The embedded store has one node, which is not listed. */
import { leaseNodeState, type LeaseNodeState } from '@metergate/core/spend/lease/node-state.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';

export interface GatewayNodeSeen {
  readonly id: string;
  readonly startedAtMs: number;
  /** On the store's clock. */
  readonly heardAtMs: number;
  readonly state: LeaseNodeState;
  /** Leases of caps and runs that the node holds. */
  readonly leases: number;
  /** The store was upgraded and takes no records from it: they wait in its journal. */
  readonly outdated: boolean;
}

export interface GatewayNodes {
  /** The one that reported last comes first; `nowMs` is the store's time. */
  list(): Promise<{ readonly nowMs: number; readonly nodes: readonly GatewayNodeSeen[] }>;
}

const nowOfStore = sql<{ now_ms: bigint }>`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms`;

export function gatewayNodesIn({ engine, clock }: StoreContext): GatewayNodes {
  if (engine.kind === 'sqlite') return { list: async () => ({ nowMs: clock(), nodes: [] }) };
  return {
    list: () => engine.read(async (db) => {
      const { rows: [time] } = await nowOfStore.execute(db);
      const nowMs = Number(time!.now_ms);
      const { oldest_writer: oldest } = await db.selectFrom('metergate_schema').select('oldest_writer').executeTakeFirstOrThrow();
      const found = await db.selectFrom('gateway_node').selectAll().orderBy('heard_at_ms', 'desc').limit(1_000).execute();
      const leases = await db.selectFrom('spend_lease').select(['node', (count) => count.fn.countAll<bigint>().as('leases')])
        .groupBy('node').execute();
      const byNode = new Map(leases.map(({ node, leases: each }) => [node, Number(each)]));
      return {
        nowMs,
        nodes: found.map(({ id, started_at_ms: startedAtMs, heard_at_ms: heardAtMs, writer }) => ({
          id, startedAtMs: Number(startedAtMs), heardAtMs: Number(heardAtMs), state: leaseNodeState(Number(heardAtMs), nowMs),
          leases: byNode.get(id) ?? 0, outdated: writer === null || writer < oldest,
        })),
      };
    }),
  };
}
