/**
 * Entry of the gateway thread: builds a node from the parent's settings, and says when it listens. To the parent: `{listening: {host,
 * port}}`, or `{failed: {code, message, syscall}}` and the end; `{metrics, id}` on `{metrics: true, id}`; `{condition}` whenever what the
 * node cannot do changes; `{warning}` when something needs an operator; `{lines}` for the log, `{spans}` for traces; `{alive: true}` on
 * `{alive: true}`; `{drained: true}` after `{drain: true}`, when all calls have ended and the journal is closed. `{leave: true}` comes before that,
 * as soon as the process is asked to stop, and is answered by `{left: true}`. This thread never opens the store (rules: Processes).
 */
import { createHash, randomBytes } from 'node:crypto';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { priceBookOf, type PriceTexts } from '@metergate/core/price/price-texts.ts';
import { LeaseBook } from '@metergate/core/spend/lease/book.ts';
import type { Provider } from '@metergate/core/wire/wire.ts';
import { gathered } from '@metergate/store/desk/gathered-port.ts';
import { createStoreClient, type StoreClient } from '@metergate/store/desk/store-client.ts';
import type { Journal, JournalCondition, OpenCalls } from '@metergate/store/journal/journal.ts';
import type { JournalSync } from '@metergate/store/journal/segment.ts';
import { createJournal } from '@metergate/store/journal/writer.ts';
import { begunCallsOf, type BegunCalls } from './node/begun-calls.ts';
import { createConditionWatch, type NodeCondition } from './node/condition.ts';
import { connectionBounds, descriptorLimit } from './fairness/descriptors.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { OwnCalls } from './node/own-calls.ts';
import type { OwnCallSettings } from './node/own-call-settings.ts';
import { Guards } from './guards/guards.ts';
import type { RateCounters } from './guards/rate-limit.ts';
import { RunRegistry } from './guards/run-registry.ts';
import { Runs } from './guards/runs.ts';
import type { LeaseCounters } from './guards/spend-leases.ts';
import type { GatewayCounters } from './node/counters.ts';
import { LeasesByCell, type NodeLeases } from './guards/leases-by-cell.ts';
import { Standings } from './guards/standing.ts';
import { createGrantVerifier } from './guards/verify-grant.ts';
import type { HeldForCalls } from './held-for-calls.ts';
import type { SessionCounters } from './websocket/sessions.ts';
import { CallLog } from './log/call-log.ts';
import type { CallMetricsSnapshot } from './metrics/call-metrics.ts';
import { giveBackLongPieces } from '@metergate/store/threads/freed-memory.ts';
import { giveBackWhenIdle } from '@metergate/store/threads/idle-memory.ts';
import { createNodeClock, type NodeClock } from './clock/node-clock.ts';
import { namesThrough } from '@metergate/store/network/name-port.ts';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { createDestinationPools, type DestinationPools } from './network/destination-pools.ts';
import { verifyAddressGuard } from './network/guard-self-test.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { unusedInternals } from './node/unused-internals.ts';
import { createHeldSettings } from './settings/create-held-settings.ts';
import type { HeldSettings } from './settings/held-settings.ts';
import { CallTraces } from './traces/call-traces.ts';
import type { Sampling } from './traces/sampler.ts';
import { createCopyReader } from './usage/create-copy-reader.ts';

/** What the parent gives. `storePort` has the store thread at its other end. */
export interface GatewayThreadData {
  readonly host: string;
  readonly port: number;
  readonly nodeId: GatewayNodeId;
  readonly storePort: MessagePort;
  /** Resolves the names of declared upstreams; the main thread is at its other end. */
  readonly namesPort: MessagePort;
  readonly journalDirectory: string;
  readonly journalSync: JournalSync;
  readonly providerUrls: Readonly<Record<Provider, string>>;
  /** CIDRs a declared upstream may use besides public addresses. */
  readonly upstreamAllow: readonly string[];
  readonly heldBodiesMb: number;
  /** The headers in which agents tell their sessions, in lower case. */
  readonly sessionHeaders: readonly string[];
  readonly graceSeconds: number;
  /** Null: the node makes no calls of its own. */
  readonly ownCalls: OwnCallSettings | null;
  /** The most live runs that this node holds. */
  readonly runRegistryMax: number;
  /** Other nodes may spend from the same store. */
  readonly sharedStore: boolean;
  /** One line for every call and refusal. */
  readonly accessLog: boolean;
  /** Null: no spans of calls. */
  readonly traceSampling: Sampling | null;
}

/** What the parent may say. */
type ToGatewayThread =
  | { readonly metrics: true; readonly id: number }
  | { readonly alive: true }
  | { readonly leave: true }
  | { readonly drain: true };

/** Counters and gauges of one node, as the parent shows them on `/metrics`. */
export interface GatewayThreadMetrics extends BegunCalls, Readonly<GatewayCounters> {
  /** Figures of calls and refusals, with few labels. */
  readonly calls: CallMetricsSnapshot;
  readonly heldBodyBytes: number;
  /** Calls still being read after their caller left. */
  readonly drains: number;
  /** All that is held for requests and calls, by kind. */
  readonly held: HeldForCalls;
  /** WebSocket connections since the start, and the messages on them. */
  readonly webSockets: SessionCounters;
  readonly upstreamPools: number;
  readonly snapshotAgeMs: number;
  /** 99th percentile since the last reading. */
  readonly eventLoopDelayMs: number;
  readonly journal: Journal['counters'];
  /** Calls that passed because the rate limiter's own state was broken. */
  readonly rateLimitFaults: number;
  readonly liveRuns: number;
  /** How far the wall clock is from the node's time; 0: they agree. */
  readonly clockStepMs: number;
  /** Null: the store is the node's own. `active`: leases held or waited for. */
  readonly leases: (LeaseCounters & { readonly active: number }) | null;
}

interface Parts {
  readonly gateway: Gateway;
  readonly log: CallLog;
  readonly journal: Journal;
  readonly openCalls: OpenCalls;
  readonly destinations: DestinationPools;
  readonly settings: HeldSettings;
  readonly clock: NodeClock;
  readonly rateCounters: RateCounters;
  readonly registry: RunRegistry;
  readonly leases: NodeLeases | null;
  readonly look: () => NodeCondition | null;
  readonly traces: CallTraces | null;
  readonly ownCalls: OwnCalls | null;
  /** Sends the refusals since the last time. */
  readonly sendRefusals: () => void;
}

const clockWatchMs = 1_000;
const conditionWatchMs = 1_000;
const refusalsPauseMs = 2_000;
const monotonicMs = (): number => performance.now();
const data = workerData as GatewayThreadData;
const parent = parentPort!;

try {
  serveParent(await start());
} catch (error) {
  const { code = 'gateway_failed', message, syscall } = error as Error & { readonly code?: unknown; readonly syscall?: unknown };
  parent.postMessage({ failed: { code: String(code), message, syscall } });
  parent.close();
  data.storePort.close();
  data.namesPort.close();
}

async function start(): Promise<Parts> {
  giveBackLongPieces();
  await verifyAddressGuard();
  const client = createStoreClient({ port: gathered(data.storePort), clock: monotonicMs });
  const clock = createNodeClock({ wallMs: Date.now, monotonicMs });
  client.onTime((storeMs, atMs) => clock.follow(storeMs, atMs));
  client.onWritten((untilMs) => clock.notBefore(untilMs));
  const registry = new RunRegistry(data.runRegistryMax);
  const leases = data.sharedStore
    ? new LeasesByCell({ bookOf: () => new LeaseBook(spreadOf(data.nodeId)), client, registry, clock, systemWallMs: Date.now }) : null;
  if (leases !== null) client.onConfirmLeases((cell) => leases.confirmSoon(cell));
  const rateCounters: RateCounters = { rateLimitFaults: 0 };
  const standings = new Standings(monotonicMs, rateCounters, leases);
  client.onCapped((sums) => sums.forEach((each) => standings.cappedOf(each.organization).told(each)));
  client.onUncounted((spent) => spent.forEach((each) => standings.cappedOf(each.organization).spent(each)));
  const settings = createHeldSettings({
    client, priceBookFrom, clock: monotonicMs, standingOf: (answer) => standings.of(answer),
    onOverlayFault: (error) => parent.postMessage({ warning: `The loaded prices are not in force: ${error.message}` }),
  });
  await client.heard;
  const segments = createJournal({ directory: data.journalDirectory, sync: data.journalSync, randomBytes, clock: monotonicMs });
  const journal = nudging(client, segments);
  const bounds = connectionBounds(descriptorLimit());
  const allow = parseAddressRanges(data.upstreamAllow);
  const names = namesThrough(data.namesPort);
  const destinations = createDestinationPools({
    urls: data.providerUrls,
    guardOf: (organization) => createAddressGuard({ allow, resolveAll: names(organization) }),
    monotonicMs, idleConnectionsMax: bounds.idle,
    // A call is sent from the callback of its opening's commit, which runs in the check phase as it is.
    dispatchIn: (dispatch) => dispatch(),
  });
  const runs = new Runs({ registry, journal, store: client, clock });
  client.onChange(({ id, organization }) => { if (organization === null) registry.forgetAll(id); });
  client.onSpentBeside((spent) => spent.forEach((each) => {
    standings.spentBeside(each);
    runs.spentBeside(each);
  }));
  client.onRunsEnded((ended) => ended.forEach((run) => runs.endedElsewhere(run)));
  client.onRunsTightened((tightened) => tightened.forEach((run) => runs.tightenedElsewhere(run)));
  const log = new CallLog({ access: data.accessLog, monotonicMs, post: (lines) => parent.postMessage({ lines }) });
  const traces = data.traceSampling === null ? null
    : new CallTraces({ sampling: data.traceSampling, post: (spans) => parent.postMessage({ spans }) });
  const ownCalls = data.ownCalls === null ? null : new OwnCalls(data.ownCalls);
  const gateway = await startGateway({
    id: data.nodeId, host: data.host, port: data.port, settings, journal, destinations, createCopyReader, clock,
    credentialClock: { wallMs: () => clock.followedMs(), monotonicMs },
    heldBodiesBytesMax: data.heldBodiesMb * 1024 * 1024, connectionsMax: bounds.callers,
    guards: new Guards(clock, runs, leases), verifyGrant: createGrantVerifier(), log, traces, sessionHeaders: data.sessionHeaders,
    ownCalls,
  });
  const look = conditionOf(gateway, segments, client, leases);
  const sendRefusals = (): void => {
    const counts = gateway.refusalCounts.taken();
    if (counts.length > 0) client.sendRefusals(counts, gateway.refusalEntries.taken());
  };
  return {
    gateway, log, journal, openCalls: segments, destinations, settings, clock, rateCounters, registry, leases, look, traces, ownCalls, sendRefusals,
  };
}

function serveParent(parts: Parts): void {
  const { gateway, journal, openCalls, destinations, settings, clock, rateCounters, registry, leases, look, sendRefusals } = parts;
  const loopDelay = monitorEventLoopDelay({ resolution: 20 });
  loopDelay.enable();
  parent.on('message', (message: ToGatewayThread) => {
    if ('alive' in message) {
      parent.postMessage(message);
    } else if ('leave' in message) {
      gateway.leave();
      parent.postMessage({ left: true });
    } else if ('metrics' in message) {
      const metrics: GatewayThreadMetrics = {
        ...gateway.counters,
        ...begunCallsOf(openCalls.openCalls(), Date.now()),
        calls: gateway.metrics.snapshot(),
        heldBodyBytes: gateway.heldBodyBytes(),
        drains: gateway.drains(),
        held: gateway.held(),
        webSockets: gateway.webSockets,
        upstreamPools: destinations.upstreamPools,
        snapshotAgeMs: Math.round(settings.ageMs()),
        eventLoopDelayMs: Math.round(loopDelay.percentile(99) / 1e6),
        journal: { ...journal.counters },
        rateLimitFaults: rateCounters.rateLimitFaults,
        liveRuns: registry.live,
        clockStepMs: clock.stepMs(),
        leases: leases === null ? null : { ...leases.counters, active: leases.active },
      };
      loopDelay.reset();
      parent.postMessage({ metrics, id: message.id });
    } else {
      void drain(parts);
    }
  });
  setInterval(watchClock(clock), clockWatchMs).unref();
  setInterval(sendRefusals, refusalsPauseMs).unref();
  setInterval(() => {
    const condition = look();
    if (condition !== null) parent.postMessage({ condition });
  }, conditionWatchMs).unref();
  giveBackWhenIdle({ freed: true });
  parent.postMessage({ listening: { host: gateway.host, port: gateway.port } });
  for (const sentence of unusedInternals()) parent.postMessage({ warning: sentence });
}

/** Reports what the node cannot do, whenever that changes. */
function conditionOf(gateway: Gateway, journal: JournalCondition, client: StoreClient, leases: NodeLeases | null): () => NodeCondition | null {
  let newsOfLeasesMs = monotonicMs();
  client.onTime(() => { newsOfLeasesMs = monotonicMs(); });
  return createConditionWatch({
    journal, monotonicMs,
    leasesAnsweredMs: leases === null ? null : () => Math.max(newsOfLeasesMs, leases.answeredMs ?? -Infinity),
    unverified: () => gateway.metrics.snapshot().refusals.get('budget_unverifiable') ?? 0,
  });
}

/** Says once that the wall clock is ahead or behind, and once when the time in force agrees with it again (rule 5b). */
function watchClock(clock: NodeClock): () => void {
  let told = 0;
  const followed = data.sharedStore ? 'it is the time of the shared store'
    : 'it follows the clock forward once that has lasted for a minute, and goes at half speed until a clock that is behind has caught up';
  return () => {
    clock.wallMs();
    const step = clock.stepMs();
    if (Math.sign(step) === Math.sign(told)) return;
    told = step;
    parent.postMessage({
      warning: step === 0 ? 'The time that this node uses agrees with the wall clock again.'
        : `The wall clock is ${Math.abs(step)} ms ${step > 0 ? 'ahead of' : 'behind'} the time that this node uses, `
          + `which does not jump: ${followed}.`,
    });
  };
}

async function drain({ gateway, log, journal, destinations, traces, ownCalls, sendRefusals }: Parts): Promise<void> {
  await gateway.drain(data.graceSeconds * 1_000);
  sendRefusals();
  // A journal that cannot take the last rows does not keep the log, the spans and the store from ending as they should.
  await journal.end().catch((error: unknown) => parent.postMessage({ warning: (error as Error).message }));
  await Promise.all([destinations.close(), ownCalls?.close()]);
  log.flush();
  traces?.flush();
  parent.postMessage({ drained: true });
  parent.close();
  data.storePort.close();
  data.namesPort.close();
}

/** Where in a period this node acts, so that nodes do not all act at once: from 0 up to 1. */
function spreadOf(node: GatewayNodeId): number {
  return createHash('sha256').update(node).digest().readUInt32BE(0) / 2 ** 32;
}

/** The journal, saying to the store thread that something was closed, so that it is shipped soon. */
function nudging(client: StoreClient, journal: Journal): Journal {
  const nudged = (done: (error: Error | null) => void) => (error: Error | null = null): void => {
    done(error);
    client.nudgeJournal();
  };
  return {
    open: (opening, done, beginning) => journal.open(opening, done, beginning),
    close(record, done) {
      journal.close(record, nudged(done));
    },
    settle(record, done) {
      journal.settle(record, nudged(done));
    },
    tightenRun(row, done) {
      journal.tightenRun(row, nudged(done));
    },
    endRun(row, done) {
      journal.endRun(row, nudged(done));
    },
    end: () => journal.end(),
    counters: journal.counters,
  };
}

/** The list in force with the operator's prices over it. @throws Error that names what is wrong with them. */
function priceBookFrom(prices: PriceTexts): PriceBook {
  const book = priceBookOf(prices, (text) => createHash('sha256').update(text).digest('hex'));
  if ('refusal' in book) throw new Error(book.refusal);
  return book;
}
