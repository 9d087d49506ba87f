/**
 * One gateway node: built from what it needs, listening, and drained. Nothing here reads the environment.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import { closeListeners } from '@metergate/store/network/closing-listener.ts';
import { quietMsWithin } from '@metergate/store/network/idle-sockets.ts';
import { listenWide, type Listeners } from '@metergate/store/network/wide-listener.ts';
import type { Connections } from './callers/connections.ts';
import { IdleClosing } from './callers/idle-closing.ts';
import { UpstreamCredentials } from './credentials/upstream-credentials.ts';
import { CallTurns } from './fairness/call-turns.ts';
import { createDrains } from './fairness/drains.ts';
import { createFaults } from './node/faults.ts';
import type { OwnCalls } from './node/own-calls.ts';
import type { Destinations, GatewayNode } from './node/gateway-node.ts';
import type { GatewayCounters } from './node/counters.ts';
import type { Clock } from './clock/clock.ts';
import type { Guards } from './guards/guards.ts';
import type { VerifyGrant } from './guards/verify-grant.ts';
import { createHeldBodies } from './fairness/held-bodies.ts';
import { heldForCalls, type HeldForCalls } from './held-for-calls.ts';
import { CallLog } from './log/call-log.ts';
import { CallMetrics } from './metrics/call-metrics.ts';
import { RefusalEntries, type RefusalEntryBounds } from '@metergate/core/report/refusal-entries.ts';
import { RefusalCounts } from './metrics/refusal-counts.ts';
import { createGatewayServer, type ServerOptions } from './server.ts';
import type { CreateCopyReader } from './usage/create-copy-reader.ts';
import type { CallTraces } from './traces/call-traces.ts';
import type { HeldSettings } from './settings/held-settings.ts';
import { SessionHeaders, sessionHeadersDefault } from '@metergate/core/call/session.ts';
import { SocketSessions, type SessionCounters } from './websocket/sessions.ts';

export interface GatewayOptions extends ServerOptions {
  readonly id: GatewayNodeId;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly settings: HeldSettings;
  readonly journal: Journal;
  readonly destinations: Destinations;
  readonly createCopyReader: CreateCopyReader;
  readonly heldBodiesBytesMax: number;
  /** By this thread's event loop by default. */
  readonly turns?: CallTurns;
  readonly guards: Guards;
  readonly verifyGrant: VerifyGrant;
  readonly clock: Clock;
  /** The clock of credentials that are made, as others have it; absent: that of calls. */
  readonly credentialClock?: Clock;
  /** Where calls and refusals are logged; nowhere by default. */
  readonly log?: CallLog;
  /** Where spans of calls go; nowhere by default. */
  readonly traces?: CallTraces | null;
  /** The headers in which agents tell their sessions, in lower case; the usual ones by default. */
  readonly sessionHeaders?: readonly string[];
  /** Null, the default: the node makes no calls of its own. */
  readonly ownCalls?: OwnCalls | null;
}

/** Between two sendings to the store. */
const refusalEntryBounds: RefusalEntryBounds = { ofKey: 20, ofOrganization: 200, all: 2_000 };

export interface Gateway {
  readonly host: string;
  readonly port: number;
  readonly counters: Readonly<GatewayCounters>;
  readonly metrics: CallMetrics;
  readonly refusalCounts: RefusalCounts;
  readonly refusalEntries: RefusalEntries;
  readonly drains: () => number;
  readonly webSockets: SessionCounters;
  readonly heldBodyBytes: () => number;
  /** What is currently held for requests and calls. */
  readonly held: () => HeldForCalls;
  /** The node will stop: answers announce that they are the last on their connection. Everything is still accepted. */
  leave(): void;
  /**
   * Accepts no more connections and closes those that carry nothing. Calls that come on the others are served. What is open after `graceMs` is cut
   * and recorded.
   */
  drain(graceMs: number): Promise<void>;
}

/** How often the pace of incoming bodies is checked. */
const paceCheckMs = 1_000;

/** Listens. Rejects with Node's own error (`EADDRINUSE`, `EACCES`, …) when it cannot. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const counters: GatewayCounters = { inFlight: 0, forwarded: 0, refused: 0, faults: 0 };
  const node: GatewayNode = {
    id: options.id,
    settings: options.settings,
    journal: options.journal,
    destinations: options.destinations,
    upstreamCredentials: new UpstreamCredentials((owner) => options.destinations.upstream(owner), options.credentialClock ?? options.clock),
    createCopyReader: options.createCopyReader,
    heldBodies: createHeldBodies(options.heldBodiesBytesMax),
    turns: options.turns ?? new CallTurns(),
    drains: createDrains(),
    sessions: new SocketSessions(() => options.clock.monotonicMs()),
    guards: options.guards,
    verifyGrant: options.verifyGrant,
    clock: options.clock,
    counters,
    metrics: new CallMetrics(),
    refusalCounts: new RefusalCounts(),
    refusalEntries: new RefusalEntries(refusalEntryBounds),
    log: options.log ?? new CallLog({ access: false, monotonicMs: () => options.clock.monotonicMs(), post: () => {} }),
    traces: options.traces ?? null,
    sessionHeaders: new SessionHeaders(options.sessionHeaders ?? sessionHeadersDefault),
    faults: createFaults(counters),
    ownCalls: options.ownCalls ?? null,
  };
  const { server, connections, earlyBytes } = createGatewayServer(node, options);
  const paces = setInterval(() => connections.checkPaces(node.clock.monotonicMs()), paceCheckMs).unref();
  server.once('close', () => clearInterval(paces));
  const listeners = await listenWide(server, options);
  const { port } = server.address() as AddressInfo;
  const monotonicMs = (): number => options.clock.monotonicMs();
  const idleClosing = new IdleClosing(server, connections.all);
  const leave = (): void => {
    connections.leave();
    idleClosing.look(monotonicMs());
  };
  return {
    host: options.host, port, counters, metrics: node.metrics, refusalCounts: node.refusalCounts,
    refusalEntries: node.refusalEntries,
    drains: () => node.drains.underWay,
    webSockets: node.sessions.counters,
    heldBodyBytes: () => node.heldBodies.heldBytes,
    held: () => heldForCalls(node, connections, earlyBytes()),
    leave,
    drain(graceMs) {
      // Cut calls must be in the journal before it ends.
      node.turns.end();
      const leaveAll = (): void => {
        leave();
        node.sessions.leave();
      };
      return drainServer({ server, listeners, connections, idleClosing, monotonicMs, leave: leaveAll }, graceMs);
    },
  };
}

/** How often connections that fell idle during a drain are looked for. */
const idleSweepMs = 50;

interface Draining {
  readonly server: Server;
  readonly listeners: Listeners;
  readonly connections: Connections;
  readonly idleClosing: IdleClosing;
  readonly monotonicMs: () => number;
  readonly leave: () => void;
}

function drainServer({ server, listeners, connections, idleClosing, monotonicMs, leave }: Draining, graceMs: number): Promise<void> {
  const quietMs = quietMsWithin(graceMs);
  let graceOver = false;
  const closeRest = (): void => {
    for (const relay of connections.underWay()) relay.cutNow();
    if (connections.underWay().length > 0) return;
    server.closeAllConnections();
    connections.closeAll();
  };
  const sweepNow = (): void => {
    idleClosing.close(monotonicMs(), graceOver ? 0 : quietMs);
    if (graceOver) closeRest();
  };
  return new Promise((resolve) => {
    const sweep = setInterval(() => setImmediate(sweepNow), idleSweepMs);
    const grace = setTimeout(() => {
      graceOver = true;
      for (const relay of connections.underWay()) relay.cutNow();
    }, graceMs);
    closeListeners(listeners, {
      closed() {
        // Only now, if the node has not left yet: a caller who learns it while the node listens would connect again in the moment of the close.
        leave();
        sweepNow();
      },
      ended() {
        clearTimeout(grace);
        clearInterval(sweep);
        resolve();
      },
    });
  });
}
