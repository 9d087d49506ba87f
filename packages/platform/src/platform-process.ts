/**
 * Entry of the platform process: opens its own store connection, listens, and runs long work in the background. Rules: Processes: nothing
 * it does can delay a forwarded call. It has a process apart from calls, because threads of one process wait for each other's memory (decision 397).
 * It begins with what the parent sends first. `{listening: {host, port}}` goes to the parent, or `{failed: {code, message, syscall}}`; `{warning}`
 * for a fault that was answered with 500; `{note}` for work that was done; `{alive: true}` in reply to the same; `{name}` asks for the addresses of a
 * name. On `{leave: true}` answers end their connection, because the product will stop, and `{left: true}` confirms it; on `{stop: true, graceMs}`
 * it closes and ends.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Provider } from '@metergate/core/wire/wire.ts';
import { namesThrough, type ResolvedName } from '@metergate/store/network/name-port.ts';
import { createAddressGuard, type GuardOf } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { setCollecting } from '@metergate/store/threads/collecting.ts';
import { countCollectionsTogether, giveBackWhenIdle } from '@metergate/store/threads/idle-memory.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { leaveLastProcessor } from '@metergate/store/threads/processors.ts';
import { helpersBehind, workProcessBehind } from '@metergate/store/threads/thread-priority.ts';
import { sessionHoursDefault, type OidcSettings } from './auth/oidc/oidc-settings.ts';
import type { OidcParts } from './auth/oidc/oidc-parts.ts';
import { createFollowWork, type FollowWork } from './follow/follow-work.ts';
import { createErasureFinisher } from './use-cases/finish-erasures.ts';
import type { PlatformParts } from './http/parts.ts';
import { hostInUrl } from './network/host-in-url.ts';
import { createNoticeWork, type NoticeWork } from './notices/notice-work.ts';
import { createReports, reportThreadHeap, type ReportThreadOwner, type Reports } from './reports/report-client.ts';
import { replicaFirst } from './reports/replica-first.ts';
import { onTwoThreads } from './reports/two-report-threads.ts';
import type { ReportThreadData } from './reports/report-thread.ts';
import type { PriceFeedSettings } from './price-feed/feed-work.ts';
import type { RunningPriceFeed } from './price-feed/run-feed.ts';
import { createProveWork, type ProveWork } from './proof/prove-work.ts';
import { createRetentionWork, type RetentionWork } from './retention/retention-work.ts';
import { limitRepeats } from './faults/limited-repeats.ts';
import { createCellWorks, within, type CellWorks } from './work/cell-works.ts';
import { parentProcess } from './parent-process.ts';
import { createWorkFigures } from './work-figures.ts';
import { workHolder } from './work/work-holder.ts';
import { startPlatform, type Platform } from './server.ts';
import { reportFaults } from './faults/reported-faults.ts';

/** What the parent passes. */
export interface PlatformProcessData {
  readonly databaseUrl: string;
  /** The process that began this one forwards calls, on the same processors. */
  readonly besideCalls: boolean;
  /** A read replica for reports; null: none. */
  readonly reportsDatabaseUrl: string | null;
  readonly masterKey: Uint8Array;
  readonly host: string;
  readonly port: number;
  /** Null: from host and port. */
  readonly publicUrl: string | null;
  /** Where callers reach the gateway. */
  readonly gatewayUrl: string;
  readonly sandbox: boolean;
  readonly providerUrls: Readonly<Record<Provider, string>>;
  readonly upstreamAllow: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Null: nobody signs in by an identity provider. */
  readonly oidc: OidcSettings | null;
  /** The public price list that is asked for daily; null: off. */
  readonly priceFeed: PriceFeedSettings | null;
}

/** Messages of the parent. */
type ToPlatform = { readonly alive: true } | { readonly leave: true } | { readonly stop: true; readonly graceMs: number }
  | { readonly resolved: ResolvedName };

const housekeepingMs = 5_000;
/** Pause between two looks for new events and due work. */
const noticesMs = 1_000;
/** Pause between two looks at what `/metrics` shows of the store. */
const figuresMs = 60_000;
/** Pause between two looks for work whose outcome is to be asked for. */
const followMs = 1_000;
/** What each work has at least for its end, also when requests used up the grace. */
const stopMsMin = 1_000;
/** Pause between two looks for figures to be compared; the first comes when the start is over. */
const provingMs = 30_000;
/** Pause between two passes that remove what is past its age. */
const retentionMs = 1_000;

/** Whether the cells are looked after. Defined before the code that uses it at the very start. */
let keeping = false;

const parent = parentProcess<ToPlatform>();
const data = await parent.first as PlatformProcessData;
process.title = 'metergate platform';
// One of the processors is left to calls.
setCollecting(Math.max(1, availableParallelism() - (data.besideCalls ? 1 : 0)));
countCollectionsTogether();
const reportFault = reportFaults(Date.now, (warning) => parent.postMessage({ warning }));
const allowed = parseAddressRanges(data.upstreamAllow);
/** One for the parent: each of several would hear the answers to the others' questions. */
const namesOf = namesThrough({
  postMessage: (name) => parent.postMessage({ name }),
  on: (_, listener) => parent.on((message) => {
    if ('resolved' in message) listener(message.resolved);
  }),
});
/** Judges addresses that organizations chose; each name is resolved in its organization's share. */
const guardOf: GuardOf = (organization) => createAddressGuard({ allow: allowed, resolveAll: namesOf(organization) });

try {
  await serve();
} catch (error) {
  const { code = 'platform_failed', message, syscall } = error as Error & { readonly code?: unknown; readonly syscall?: unknown };
  parent.postMessage({ failed: { code: String(code), message, syscall } });
  parent.end();
}

function stayBehind(): void {
  workProcessBehind();
  helpersBehind();
  leaveLastProcessor();
}

async function serve(): Promise<void> {
  const store = await openStore({ url: data.databaseUrl, masterKey: data.masterKey, clock: Date.now, randomBytes, create: false });
  const beside = threadsBeside(store);
  const oidc = await oidcParts();
  try {
    const platform = await startPlatform(data, {
      partsAt: (port) => partsOn({ store, ...beside, oidc }, port), report: (fault) => reportFault('answer a request', fault),
    });
    await remember(store, publicUrlAt(platform.port));
    const holder = workHolder({ engine: store.engine, host: platform.host, port: platform.port });
    const works = createCellWorks({ cells: () => store.cells.each(), failed: reportFault, make: (cell): Works => ({
      store: cell, finishErasures: createErasureFinisher(cell), notices: noticeWorkOn(cell, holder), retention: retentionWorkOn(cell, holder),
      following: followWorkOn(cell, holder), proving: proveWorkOn(cell, holder),
    }) });
    const feed = await priceFeedOn(store, holder);
    const reportFigures = createWorkFigures({
      works, prices: feed === null ? null : () => feed.figures(), clock: Date.now, post: (message) => parent.postMessage(message),
      failed: reportFault,
    });
    const repeated = [
      setInterval(() => void keepHouse(store, works), housekeepingMs),
      setInterval(() => void works.pass('look for events to report', ({ notices }) => notices.pass()), noticesMs),
      setInterval(() => void works.pass('remove records for their age', ({ retention }) => retention.pass()), retentionMs),
      setInterval(() => void works.pass('follow work', ({ following }) => following.pass()), followMs),
      setInterval(() => void works.pass('compare figures with records', ({ proving }) => proving.pass()), provingMs),
      setInterval(() => void reportFigures(), figuresMs),
    ];
    parent.on((message) => {
      if ('resolved' in message) return;
      if ('alive' in message) return parent.postMessage({ alive: true, residentBytes: process.memoryUsage.rss() });
      if ('leave' in message) {
        platform.leave();
        return parent.postMessage({ left: true });
      }
      for (const each of repeated) clearInterval(each);
      void stopAll({ platform, works, feed, beside, store }, message.graceMs);
    });
    giveBackWhenIdle({ background: true, freed: true });
    parent.postMessage({ listening: { host: platform.host, port: platform.port } });
    // Not earlier: a start waits for it.
    if (data.besideCalls) stayBehind();
    void reportFigures();
    // So that it is known whether the provider answers before the first person signs in.
    void oidc?.provider.warm();
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Stopping {
  readonly platform: Pick<Platform, 'close'>;
  readonly works: CellWorks<Works>;
  readonly feed: RunningPriceFeed | null;
  readonly beside: ThreadsBeside;
  readonly store: Store;
}

/** Requests first, then each work. What others keep waiting past the grace is left: another platform goes on with it once its lease is over. */
async function stopAll({ platform, works, feed, beside, store }: Stopping, graceMs: number): Promise<void> {
  const byMs = performance.now() + graceMs;
  await platform.close(graceMs);
  const leftMs = (): number => Math.max(stopMsMin, byMs - performance.now());
  await works.end(({ notices }) => notices.end(), leftMs());
  await works.end(({ retention }) => retention.end(), leftMs());
  if (feed !== null) await within(feed.end().catch(() => {}), leftMs());
  await works.end(({ following, proving }) => Promise.all([following.end(), proving.end()]), leftMs());
  // Where both are there, reports end with them those of bills.
  await (beside.reports ?? beside.bills).close();
  await store.close();
  parent.close();
}

/** What is done in each cell. */
interface Works {
  readonly store: Store;
  readonly finishErasures: () => Promise<void>;
  readonly notices: NoticeWork;
  readonly retention: RetentionWork;
  readonly following: FollowWork;
  readonly proving: ProveWork;
}

function noticeWorkOn(store: Store, holder: string): NoticeWork {
  return createNoticeWork({ store, guardOf, clock: Date.now, holder });
}

/** Null: no feed is configured. Its code is loaded only for one. */
async function priceFeedOn(store: Store, holder: string): Promise<RunningPriceFeed | null> {
  const { priceFeed: settings } = data;
  if (settings === null) return null;
  const { runPriceFeed } = await import('./price-feed/run-feed.ts');
  return runPriceFeed({
    settings, store, guard: guardOf('prices'), clock: Date.now, randomBytes: (n) => randomBytes(n), holder,
    say: (note) => parent.postMessage({ note }), warn: (warning) => parent.postMessage({ warning }),
  }, (fault) => reportFault('ask for the price feed', fault));
}

function followWorkOn(store: Store, holder: string): FollowWork {
  const { providerUrls, sandbox } = data;
  return createFollowWork({
    store, clock: Date.now, randomBytes: (n) => randomBytes(n), holder, providerUrls, sandbox, guardOf,
    failed: (fault) => reportFault('ask what became of work that is billed later', fault),
    say: (line) => parent.postMessage({ note: line }),
  });
}

function retentionWorkOn(store: Store, holder: string): RetentionWork {
  return createRetentionWork({
    store, clock: Date.now, steadyClock: () => performance.now(), holder,
    say: (line) => parent.postMessage({ note: line }), failed: (fault) => reportFault('remove records for their age', fault),
  });
}

function proveWorkOn(store: Store, holder: string): ProveWork {
  return createProveWork({
    store, clock: Date.now, steadyClock: () => performance.now(), holder, warn: (warning) => parent.postMessage({ warning }),
    failed: (fault) => reportFault('compare figures with records', fault),
  });
}

interface ThreadsBeside {
  readonly reports: Reports | null;
  readonly bills: Reports;
}

/** An embedded store reads on the calling thread; a shared one reads by itself, or its replica does. Bills are always taken apart elsewhere. */
function threadsBeside({ engine }: Store): ThreadsBeside {
  if (engine === 'sqlite') {
    const reports = onTwoThreads(reportsAt(data.databaseUrl), reportsAt(data.databaseUrl));
    return { reports, bills: reports };
  }
  const bills = reportsAt(data.databaseUrl);
  if (data.reportsDatabaseUrl === null) return { reports: null, bills };
  const say = limitRepeats(Date.now, (warning) => parent.postMessage({ warning }));
  return { reports: replicaFirst({ replica: reportsAt(data.reportsDatabaseUrl), primary: bills, say }), bills };
}

function reportsAt(databaseUrl: string): ReportThreadOwner {
  const given: ReportThreadData = { databaseUrl, masterKey: data.masterKey };
  const options = { name: 'reports', workerData: given, resourceLimits: reportThreadHeap };
  return createReports(() => new Worker(new URL('./reports/report-thread.ts', import.meta.url), options));
}

/** What only requests need is loaded with the first of them. */
async function partsOn(
  { store, reports, bills, oidc }: Pick<PlatformParts, 'store' | 'reports' | 'bills' | 'oidc'>, port: number,
): Promise<PlatformParts> {
  const [
    sessions, { costToday, Passwords }, { hashingOnThreads }, { createAttempts }, { createSignInBounds }, { knownBrowsers }, { trustedProxies },
    { createAskers }, { createBodyBudget },
  ] = await Promise.all([
    import('./auth/create-sessions.ts'), import('./auth/passwords.ts'), import('./auth/hashing-threads.ts'), import('./auth/attempts.ts'),
    import('./auth/sign-in-bounds.ts'), import('./auth/known-browsers.ts'), import('./http/client-address.ts'), import('./http/askers.ts'),
    import('./http/body-budget.ts'),
  ]);
  const publicUrl = publicUrlAt(port);
  const clock = Date.now;
  return {
    store, reports, bills, clock, randomBytes: (n) => randomBytes(n), publicUrl, gatewayUrl: data.gatewayUrl, sandbox: data.sandbox,
    providerUrls: data.providerUrls, upstreamRules: { allow: data.upstreamAllow }, trusted: trustedProxies(data.trustedProxies),
    askers: createAskers(publicUrl),
    passwords: new Passwords(costToday, hashingOnThreads()),
    sessions: sessions.createSessions({
      store, masterKey: data.masterKey, publicUrl, clock, providedLifeMs: data.oidc?.sessionMs ?? sessionHoursDefault * 3_600_000,
    }),
    bodies: createBodyBudget(), attempts: createAttempts(clock), signInBounds: createSignInBounds(clock),
    browsers: knownBrowsers(data.masterKey, clock), oidc,
    report: (fault) => reportFault('answer a request', fault),
  };
}

/** The provider may be away when the platform starts: it is looked up when it is needed. */
async function oidcParts(): Promise<OidcParts | null> {
  if (data.oidc === null) return null;
  const [{ createIdentityProvider }, { begunSignIns }, { keptIdTokens }] = await Promise.all([
    import('./auth/oidc/identity-provider.ts'), import('./auth/oidc/begun-sign-in.ts'), import('./auth/oidc/kept-id-token.ts'),
  ]);
  const say = (warning: string): void => parent.postMessage({ warning });
  const provider = createIdentityProvider({ settings: data.oidc, clock: Date.now, say });
  const { masterKey, oidc: { sessionMs } } = data;
  return { provider, begun: begunSignIns(masterKey, Date.now), idTokens: keptIdTokens(masterKey, Date.now, sessionMs) };
}

function publicUrlAt(port: number): string {
  return data.publicUrl ?? `http://${hostInUrl(data.host)}:${port}`;
}

/** For commands in other shells: where links lead, and which provider URLs and addresses apply. Without it they use their own settings. */
async function remember(store: Store, publicUrl: string): Promise<void> {
  try {
    await store.platformAddress.remember(publicUrl);
    await store.serverSettings.remember({ providerUrls: data.providerUrls, upstreamAllow: data.upstreamAllow, sandbox: data.sandbox });
  } catch (error) {
    reportFault('note its address and settings in the store', error);
  }
}

/** Finishes what was interrupted and removes what has expired. After a fault, the next pass tries again. */
async function keepHouse(store: Store, works: CellWorks<Works>): Promise<void> {
  await works.pass('look after the store', async ({ store: { masterKey }, finishErasures }) => {
    await masterKey.follow();
    await masterKey.endHandOver();
    await finishErasures();
  });
  if (keeping) return;
  keeping = true;
  try {
    await store.cells.keepHouse();
  } catch (error) {
    reportFault('look after the cells', error);
  } finally {
    keeping = false;
  }
}
