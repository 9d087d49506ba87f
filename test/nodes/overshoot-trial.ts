/**
 * Callers on the last dollars of a cap or of a run, on three nodes whose link to the store is slow, cut or gone: by how many calls the
 * limit is exceeded, beside the calls that were in flight. A call costs one cent and takes a while, so that each caller has one in flight.
 */
import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '@metergate/store/store.ts';
import { startCluster, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { startDatabaseRelay, type DatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';
import { Sharer, storeOf } from './shared-fixture.ts';

/** Three nodes, each with its own link to one store. */
export interface Network {
  readonly postgres: OwnPostgres;
  readonly databaseUrl: string;
  readonly cluster: Cluster;
  readonly store: Store;
  readonly relays: readonly DatabaseRelay[];
  readonly nodes: readonly ClusterNode[];
  stop(): Promise<void>;
}

export async function startNetwork(): Promise<Network> {
  const postgres = await startPostgres();
  const databaseUrl = await postgres.createDatabase();
  const cluster = await startCluster(databaseUrl);
  const store = await storeOf(cluster);
  const relays = await Promise.all([0, 1, 2].map(() => startDatabaseRelay(databaseUrl)));
  const nodes: ClusterNode[] = [];
  for (const { url } of relays) nodes.push(await cluster.node({ databaseUrl: url }));
  return {
    postgres, databaseUrl, cluster, store, relays, nodes,
    async stop() {
      await cluster.stop();
      await store.close();
      for (const relay of relays) await relay.close();
      await postgres.stop();
    },
  };
}

/** What happens to the link to the store: when it begins, how long it lasts, and how it is started and ended. */
export interface Trouble {
  readonly name: string;
  /** It begins when this share of the limit is spent: from 0, which is before the first call, up to 1. */
  readonly from: number;
  /** Null: until the trial ends. */
  readonly lastsMs: number | null;
  readonly begin: (network: Network) => void | Promise<void>;
  readonly end: (network: Network) => void | Promise<void>;
}

const slow = (delayMs: number): Trouble => ({
  name: `${delayMs} ms each way`, from: 0, lastsMs: null,
  begin: ({ relays }) => relays.forEach((relay) => relay.slowTo(delayMs)),
  end: ({ relays }) => relays.forEach((relay) => relay.slowTo(0)),
});

const cut = (name: string, of: (network: Network) => readonly DatabaseRelay[]): Trouble => ({
  name, from: 0.9, lastsMs: 3_000,
  begin: (network) => of(network).forEach((relay) => relay.cut()),
  end: (network) => of(network).forEach((relay) => relay.mend()),
});

async function readOnly({ databaseUrl }: Network, readOnlyNow: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('set session characteristics as transaction read write');
  await client.query(`alter system set default_transaction_read_only = ${readOnlyNow ? 'on' : 'off'}`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

export const troubles: readonly Trouble[] = [
  { ...slow(0), name: 'none' },
  cut('all nodes cut off', ({ relays }) => relays),
  cut('one node cut off', ({ relays }) => relays.slice(0, 1)),
  slow(50), slow(200), slow(1_000),
  { name: 'PostgreSQL stopped', from: 0.9, lastsMs: 3_000, begin: ({ postgres }) => postgres.pause(), end: ({ postgres }) => postgres.resume() },
  { name: 'PostgreSQL killed', from: 0.9, lastsMs: 500, begin: ({ postgres }) => postgres.crash(), end: ({ postgres }) => postgres.resume() },
  {
    name: 'PostgreSQL read-only', from: 0.9, lastsMs: 3_000, begin: (network) => readOnly(network, true), end: (network) => readOnly(network, false),
  },
];

export interface Trial {
  readonly network: Network;
  readonly trouble: Trouble;
  readonly limited: 'cap' | 'person' | 'label' | 'run';
  readonly name: string;
  readonly callersPerNode: number;
  /** The number of calls that the limit allows. */
  readonly limitCalls: number;
  /** A caller that has not got a 402 by then gives up. */
  readonly giveUpMs: number;
}

export interface TrialOutcome {
  /** By how many calls the limit was exceeded; below 0 if it was not reached. */
  readonly passedBy: number;
  readonly answered: number;
  /** Answers with `budget_unverifiable`, and answers other than that, 200 and 402. */
  readonly unverifiable: number;
  readonly others: number;
  /** Callers that finally learned that the limit is reached. */
  readonly learnedReached: number;
}

const callCents = 1;
const callMs = 150;

export async function tryLimit(trial: Trial): Promise<TrialOutcome> {
  const { network: { cluster, store, nodes }, limited, limitCalls, callersPerNode, trouble } = trial;
  const sharer = await Sharer.of(cluster, store, trial.name);
  const limit = limitCalls * callCents / 100;
  const headers: Record<string, string> = limited === 'run' ? { 'x-svc-run-id': 'tried', 'x-svc-run-budget': String(limit) }
    : limited === 'label' ? { 'x-svc-tags': 'other,team:search,other' } : {};
  if (limited === 'cap') await sharer.cap(limit);
  if (limited === 'label') await sharer.cap(limit, { scope: 'label', label: 'team:search' });
  if (limited === 'person') await sharer.cap(limit, { scope: 'person', person: await sharer.ofPerson(trial.name) });
  for (const node of nodes) await sharer.admitted(node, 0, headers);
  const counts = { unverifiable: 0, others: 0, learnedReached: 0 };
  const deadlineMs = performance.now() + trial.giveUpMs;
  const troubled = befall(trial, sharer);
  await Promise.all(nodes.flatMap((node) => Array.from({ length: callersPerNode }, async () => {
    while (performance.now() < deadlineMs) {
      const { status, code } = await sharer.call(node, callCents / 100, headers, callMs);
      if (status === 200) continue;
      if (status === 402) {
        counts.learnedReached += 1;
        return;
      }
      if (code === 'budget_unverifiable') counts.unverifiable += 1;
      else counts.others += 1;
      await pass(25);
    }
  })));
  await troubled;
  if (trouble.lastsMs === null) await trouble.end(trial.network);
  const { sum } = await sharer.spent();
  return { passedBy: Math.ceil((sum - limit) * 100 / callCents - 1e-6), answered: sharer.answered, ...counts };
}

async function befall({ network, trouble, limitCalls, giveUpMs }: Trial, sharer: Sharer): Promise<void> {
  const untilMs = performance.now() + giveUpMs;
  while (sharer.answered < limitCalls * trouble.from && performance.now() < untilMs) await pass(2);
  await trouble.begin(network);
  if (trouble.lastsMs === null) return;
  await pass(trouble.lastsMs);
  await trouble.end(network);
}
