/** The state and dependencies of one gateway node. `gateway.ts` builds it once; the stages take it as their first argument and keep no state. */
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { Provider } from '@metergate/core/wire/wire.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import type { UpstreamCredentials } from '../credentials/upstream-credentials.ts';
import type { CallTurns } from '../fairness/call-turns.ts';
import type { Drains } from '../fairness/drains.ts';
import type { OwnCalls } from './own-calls.ts';
import type { Faults } from './faults.ts';
import type { Guards } from '../guards/guards.ts';
import type { VerifyGrant } from '../guards/verify-grant.ts';
import type { HeldBodies } from '../fairness/held-bodies.ts';
import type { CallLog } from '../log/call-log.ts';
import type { CallMetrics } from '../metrics/call-metrics.ts';
import type { RefusalEntries } from '@metergate/core/report/refusal-entries.ts';
import type { RefusalCounts } from '../metrics/refusal-counts.ts';
import type { Destination } from '../network/destination.ts';
import type { CreateCopyReader } from '../usage/create-copy-reader.ts';
import type { HeldSettings } from '../settings/held-settings.ts';
import type { SessionHeaders } from '@metergate/core/call/session.ts';
import type { CallTraces } from '../traces/call-traces.ts';
import type { SocketSessions } from '../websocket/sessions.ts';
import type { Clock } from '../clock/clock.ts';
import type { GatewayCounters } from './counters.ts';

/** Where named providers and declared upstreams are reached. */
export interface Destinations {
  provider(provider: Provider, organization: string): Destination;
  /** The region that a provider's address names, such as `eu`; null: none. */
  region(provider: Provider): string | null;
  /** `name`: of one that was declared by name. */
  upstream(owner: { readonly organization: string; readonly name?: string; readonly version: number; readonly url: string }): Destination;
}

export interface GatewayNode {
  readonly id: GatewayNodeId;
  readonly settings: HeldSettings;
  readonly journal: Journal;
  readonly destinations: Destinations;
  readonly upstreamCredentials: UpstreamCredentials;
  readonly createCopyReader: CreateCopyReader;
  readonly heldBodies: HeldBodies;
  readonly turns: CallTurns;
  readonly drains: Drains;
  /** WebSocket connections that are open. */
  readonly sessions: SocketSessions;
  readonly guards: Guards;
  readonly verifyGrant: VerifyGrant;
  readonly clock: Clock;
  readonly counters: GatewayCounters;
  readonly metrics: CallMetrics;
  readonly refusalCounts: RefusalCounts;
  readonly refusalEntries: RefusalEntries;
  readonly log: CallLog;
  /** Null: no spans of calls are wanted. */
  readonly traces: CallTraces | null;
  /** In which headers agents tell their sessions. */
  readonly sessionHeaders: SessionHeaders;
  readonly faults: Faults;
  /** Null: the node makes none. */
  readonly ownCalls: OwnCalls | null;
}
