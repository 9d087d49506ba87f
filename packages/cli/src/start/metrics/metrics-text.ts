/** Everything that `/metrics` shows, in Prometheus' text format. It is collected on each request; nothing is kept here. */
import type { SettlingFigures } from '@metergate/platform/work-figures.ts';
import type { PriceFigures } from '@metergate/platform/price-feed/run-feed.ts';
import { Counter, Gauge, Registry } from 'prom-client';
import type { GatewayThreadMetrics } from '@metergate/gateway/gateway-thread.ts';
import type { StoreThreadFigures } from '@metergate/store/desk/store-thread.ts';
import { processMs } from '@metergate/store/desk/lease-desk.ts';
import type { TraceCounters } from '../../traces/trace-exporter.ts';
import type { JournalDisk } from '../journal-disk.ts';
import type { ProofFigures } from '@metergate/platform/proof/prove-work.ts';
import type { OwnCallFigures } from '../own-calls.ts';
import type { ThreadPulses } from '../thread-pulse.ts';
import { addCallCounters, callHistograms } from './call-metrics-text.ts';

export interface CapFigures {
  readonly reached: number;
  readonly near: number;
}

export interface RetentionFigures {
  /** Removed by this platform since it began. */
  readonly records: number;
  readonly events: number;
  /** By how much the oldest record is past its organization's age. */
  readonly behindMs: number;
}

export interface GatewaySource {
  readonly metrics: () => Promise<GatewayThreadMetrics | null>;
  readonly storeFigures: () => StoreThreadFigures;
  readonly journalDisk: () => JournalDisk;
}

/** Where the figures come from. */
export interface MetricsSources {
  /** Returns null if no gateway runs in this process, or none yet. */
  readonly gateway: () => GatewaySource | null;
  /** Organizations near their caps; null: no platform runs in this process, or it has not counted yet. */
  readonly caps: () => CapFigures | null;
  /** Records removed for their age; null: as above. */
  readonly retention: () => RetentionFigures | null;
  /** How far figures are proved by their records; null: as above. */
  readonly proofs: () => ProofFigures | null;
  /** The age of the price list, and its feed; null: as above, or no feed is configured. */
  readonly prices: () => PriceFigures | null;
  /** Work that is billed later; null: as above. */
  readonly settling: () => SettlingFigures | null;
  /** Resident memory of the platform's process, bytes; null: as above. */
  readonly platformBytes: () => number | null;
  /** Spans of calls; null: none are wanted. */
  readonly traces: () => TraceCounters | null;
  /** The node's calls to itself; null: it makes none, or none has ended. */
  readonly ownCalls: () => OwnCallFigures | null;
  /** The threads of this process that run. */
  readonly threads: () => ThreadPulses;
  readonly runtime: { readonly version: string; readonly belowFloor: boolean };
}

/** Name, help and value of each figure of the gateway thread. */
const gauges: readonly (readonly [string, string, (metrics: GatewayThreadMetrics) => number])[] = [
  ['metergate_calls_in_flight', 'Calls being forwarded now.', (metrics) => metrics.inFlight],
  ['metergate_held_body_bytes', 'Memory reserved for request bodies held whole.', (metrics) => metrics.heldBodyBytes],
  ['metergate_drains', 'Calls still being read for their usage after their caller left.', (metrics) => metrics.drains],
  ['metergate_upstream_pools', 'Open connection pools of declared upstreams.', (metrics) => metrics.upstreamPools],
  ['metergate_snapshot_age_seconds', 'Time since the last message from the store.', (metrics) => metrics.snapshotAgeMs / 1000],
  [
    'metergate_journal_waiting_rows', 'Ended calls waiting in memory because the journal cannot be written.',
    (metrics) => metrics.journal.waiting,
  ],
  [
    'metergate_clock_step_seconds', 'Difference between the wall clock and the time that the node uses, while a step of the clock is not followed.',
    (metrics) => metrics.clockStepMs / 1000,
  ],
  ['metergate_leases', 'Spend leases held or waited for, on a shared store.', (metrics) => metrics.leases?.active ?? 0],
  ['metergate_live_runs', 'Live runs held by this node.', (metrics) => metrics.liveRuns],
  [
    'metergate_event_loop_delay_seconds', 'Event loop delay of the gateway thread, 99th percentile since the last scrape.',
    (metrics) => metrics.eventLoopDelayMs / 1000,
  ],
];
const counters: typeof gauges = [
  ['metergate_calls_forwarded_total', 'Calls journalled and sent to their destination.', (metrics) => metrics.forwarded],
  ['metergate_calls_refused_total', 'Requests answered by the gateway itself before anything was forwarded.', (metrics) => metrics.refused],
  ['metergate_websocket_connections_total', 'WebSocket connections that were opened.', (metrics) => metrics.webSockets.opened],
  ['metergate_faults_total', 'Requests that failed because of a fault in the gateway.', (metrics) => metrics.faults],
  [
    'metergate_rate_limit_faults_total', "Calls that passed because the rate limiter's own state was broken.",
    (metrics) => metrics.rateLimitFaults,
  ],
  ['metergate_lease_batches_total', 'Lease requests to the shared store.', (metrics) => metrics.leases?.batches ?? 0],
  ['metergate_lease_failures_total', 'Lease requests to the shared store that got no answer in time.', (metrics) => metrics.leases?.failures ?? 0],
  ['metergate_lease_waits_total', 'Calls that waited for a lease.', (metrics) => metrics.leases?.waits ?? 0],
  ['metergate_journal_opened_total', 'Openings of calls committed to the journal.', (metrics) => metrics.journal.opened],
  ['metergate_journal_closed_total', 'Closings of calls committed to the journal.', (metrics) => metrics.journal.closed],
  ['metergate_journal_commits_total', 'Event-loop turns committed to the journal.', (metrics) => metrics.journal.commits],
  ['metergate_journal_commit_failures_total',
    'Event-loop turns that could not be committed to the journal.', (metrics) => metrics.journal.commitFailures],
];

/** Writes what there is now. */
export function metricsWriter(
  { runtime, gateway, traces, caps, retention, proofs, prices, settling, platformBytes, ownCalls, threads }: MetricsSources,
): () => Promise<{ type: string; text: string }> {
  return async () => {
    const registry = new Registry();
    new Gauge({
      name: 'metergate_runtime_info', help: 'The runtime; below_floor is 1 if security fixes are missing.',
      labelNames: ['version', 'below_floor'], registers: [registry],
    }).set({ version: runtime.version, below_floor: runtime.belowFloor ? '1' : '0' }, 1);
    const memory = new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory of the process.', registers: [registry] });
    memory.set(process.memoryUsage.rss());
    const besideBytes = platformBytes();
    if (besideBytes !== null) addPlatformMemory(registry, besideBytes);
    addThreads(registry, threads());
    const standing = caps();
    if (standing !== null) addCaps(registry, standing);
    const removing = retention();
    if (removing !== null) addRetention(registry, removing);
    const priced = prices();
    if (priced !== null) addPrices(registry, priced);
    const settled = settling();
    if (settled !== null) addSettling(registry, settled);
    const spans = traces();
    if (spans !== null) addSpans(registry, spans);
    const proved = proofs();
    if (proved !== null) addProofs(registry, proved);
    const own = ownCalls();
    if (own !== null) addOwnCalls(registry, own);
    const source = gateway();
    const calls = source === null ? '' : await addGateway(registry, source);
    return { type: registry.contentType, text: await registry.metrics() + calls };
  };
}

function addProofs(registry: Registry, { differences, mended, provedMs }: ProofFigures): void {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
  gauge('metergate_figure_differences', 'Figures that differ from their records and were not mended.').set(differences);
  new Counter({ name: 'metergate_figures_mended_total', help: 'Sums of usage that were brought to what their records say.', registers: [registry] })
    .inc(mended);
  const proved = gauge('metergate_figures_proved_timestamp_seconds', 'All figures agreed with the records of this moment.');
  // Described from the start, without a value that an alert would take for a moment long ago.
  if (provedMs === null) proved.remove();
  else proved.set(provedMs / 1_000);
}

function addOwnCalls(registry: Registry, { tookMs, isTrusted }: OwnCallFigures): void {
  new Gauge({
    name: 'metergate_own_call_up', registers: [registry], help: '1 if the calls of the node to itself are answered, 0 after two that were not.',
  }).set(isTrusted ? 1 : 0);
  if (tookMs === null) return;
  new Gauge({
    name: 'metergate_own_call_seconds', registers: [registry], help: 'How long the last call of the node to itself took.',
  }).set(tookMs / 1_000);
}

function addPlatformMemory(registry: Registry, bytes: number): void {
  const help = 'Resident memory of the process in which the platform runs, beside this one.';
  new Gauge({ name: 'metergate_platform_resident_memory_bytes', help, registers: [registry] }).set(bytes);
}

function addThreads(registry: Registry, pulses: ThreadPulses): void {
  const up = new Gauge({
    name: 'metergate_thread_up', labelNames: ['thread'], registers: [registry], help: '1 if the thread answers, 0 after three seconds of silence.',
  });
  for (const [thread, { isSilent }] of Object.entries(pulses)) up.set({ thread }, isSilent ? 0 : 1);
}

function addCaps(registry: Registry, { reached, near }: CapFigures): void {
  const caps = new Gauge({
    name: 'metergate_organizations_near_cap', labelNames: ['state'], registers: [registry],
    help: 'Organizations with a reached cap, and organizations with a cap that is at least 80 percent spent; updated once a minute.',
  });
  caps.set({ state: 'reached' }, reached);
  caps.set({ state: 'near' }, near);
}

function addRetention(registry: Registry, { records, events, behindMs }: RetentionFigures): void {
  const removed = new Counter({
    name: 'metergate_retention_removed_total', labelNames: ['kind'], registers: [registry],
    help: 'Records and tap events that this platform removed because of their age; updated once a minute.',
  });
  removed.inc({ kind: 'record' }, records);
  removed.inc({ kind: 'tap_event' }, events);
  new Gauge({
    name: 'metergate_retention_behind_seconds', registers: [registry],
    help: 'By how much the oldest record is past its organization\'s age limit; 0 if none is; updated once a minute.',
  }).set(behindMs / 1_000);
}

function addPrices(registry: Registry, { listAgeMs, feedFailingMs }: PriceFigures): void {
  new Gauge({
    name: 'metergate_price_list_age_seconds', registers: [registry], help: 'Age of the price list in force, by its date; updated once a minute.',
  }).set(listAgeMs / 1_000);
  new Gauge({
    name: 'metergate_price_feed_failing_seconds', registers: [registry],
    help: 'For how long the price feed has given no usable list; 0 if it does; updated once a minute.',
  }).set(feedFailingMs / 1_000);
}

function addSettling(registry: Registry, { settled, asked }: SettlingFigures): void {
  new Counter({
    name: 'metergate_settlements_total', registers: [registry],
    help: 'Work that is billed later and was settled, in the whole store; updated once a minute.',
  }).inc(settled);
  const answers = new Counter({
    name: 'metergate_followed_questions_total', labelNames: ['answer'], registers: [registry],
    help: 'Questions of this platform to providers what became of work, by answer: settled, waiting, over (unknown), held; updated once a minute.',
  });
  for (const [answer, count] of Object.entries(asked)) answers.inc({ answer }, count);
}

function addWebSockets(registry: Registry, { webSockets: { fromCallers, fromProviders, closes } }: GatewayThreadMetrics): void {
  const messages = new Counter({
    name: 'metergate_websocket_messages_total', labelNames: ['from'], registers: [registry],
    help: 'Messages on WebSocket connections, by who sent them.',
  });
  messages.inc({ from: 'caller' }, fromCallers);
  messages.inc({ from: 'provider' }, fromProviders);
  const closed = new Counter({
    name: 'metergate_websocket_closes_total', labelNames: ['code'], registers: [registry],
    help: 'WebSocket connections that the gateway closed, by code.',
  });
  for (const [code, count] of closes) closed.inc({ code }, count);
}

function addSpans(registry: Registry, { sent, dropped }: TraceCounters): void {
  const spans = new Counter({
    name: 'metergate_spans_total', help: 'Spans of calls, by result: sent or dropped.', labelNames: ['result'], registers: [registry],
  });
  spans.inc({ result: 'sent' }, sent);
  spans.inc({ result: 'dropped' }, dropped);
}

function addJournalDisk(registry: Registry, { bytes, freeBytes }: JournalDisk): void {
  const registers = [registry];
  new Gauge({ name: 'metergate_journal_bytes', help: 'Size of the journal, which holds what is not in the store yet.', registers }).set(bytes);
  if (freeBytes === null) return;
  new Gauge({ name: 'metergate_journal_free_bytes', help: 'Free space on the disk of the journal.', registers }).set(freeBytes);
}

async function addGateway(registry: Registry, { metrics: metricsOf, storeFigures, journalDisk }: GatewaySource): Promise<string> {
  addJournalDisk(registry, journalDisk());
  const { recordsSetAside, spendDifferences, cellsAway, rowsShipped, shippedMs } = storeFigures();
  new Gauge({
    name: 'metergate_spend_differences', help: 'Sums of spend that differ from their records, at the last hourly comparison.',
    registers: [registry],
  }).set(spendDifferences);
  new Gauge({ name: 'metergate_cells_away', help: 'Cells of the store that do not answer this node.', registers: [registry] }).set(cellsAway);
  new Counter({
    name: 'metergate_records_set_aside_total', help: 'Records that the store refused, kept beside the journal.', registers: [registry],
  }).inc(recordsSetAside);
  new Counter({ name: 'metergate_shipped_rows_total', help: 'Journal rows shipped to the store.', registers: [registry] }).inc(rowsShipped);
  new Gauge({
    name: 'metergate_ship_lag_seconds', help: 'How long rows of the journal may have waited to be shipped.', registers: [registry],
  }).set(Math.max(0, processMs() - shippedMs) / 1_000);
  const metrics = await metricsOf();
  const up = new Gauge({ name: 'metergate_gateway_up', help: '1 if the gateway thread answered.', registers: [registry] });
  up.set(metrics === null ? 0 : 1);
  if (metrics === null) return '';
  for (const [name, help, value] of gauges) new Gauge({ name, help, registers: [registry] }).set(value(metrics));
  for (const [name, help, value] of counters) new Counter({ name, help, registers: [registry] }).inc(value(metrics));
  const held = new Gauge({
    name: 'metergate_held_for_calls', labelNames: ['kind'], registers: [registry],
    help: 'What the node holds for requests and calls, by kind; each is 0 when none is under way.',
  });
  for (const [kind, count] of Object.entries(metrics.held)) held.set({ kind }, count);
  addWebSockets(registry, metrics);
  addCallCounters(registry, metrics.calls);
  return callHistograms(metrics.calls);
}
