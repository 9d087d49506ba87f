/**
 * Entry of the platform thread: opens its own store connection, listens, and runs long work in the background. Rules: Processes: nothing
 * it does can delay a forwarded call.
 * `{listening: {host, port}}` goes to the parent, or `{failed: {code, message, syscall}}`; `{warning}` for a fault that was answered
 * with 500; `{note}` for work that was done; `{alive: true}` in reply to the same. On `{leave: true}` answers end their connection, because
 * the process will stop, and `{left: true}` confirms it; on `{stop: true, graceMs}` it closes and ends.
 */
import { randomBytes } from 'node:crypto';
import { parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import type { Provider } from '@metergate/core/wire/wire.ts';
import { namesThrough } from '@metergate/store/network/name-port.ts';
import { createAddressGuard, type AddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { giveBackWhenIdle } from '@metergate/store/threads/idle-memory.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { workAs } from '@metergate/store/threads/thread-priority.ts';
import { sessionHoursDefault, type OidcSettings } from './auth/oidc/oidc-settings.ts';
import type { OidcParts } from './auth/oidc/oidc-parts.ts';
import { createFollowWork, type FollowFigures, type FollowWork } from './follow/follow-work.ts';
import { createErasureFinisher } from './use-cases/finish-erasures.ts';
import type { PlatformParts } from './http/parts.ts';
import { createNoticeWork, type NoticeWork } from './notices/notice-work.ts';
import { createReports, type Reports } from './reports/report-client.ts';
import { replicaFirst } from './reports/replica-first.ts';
import type { ReportThreadData } from './reports/report-thread.ts';
import type { PriceFeedSettings } from './price-feed/feed-work.ts';
import type { RunningPriceFeed } from './price-feed/run-feed.ts';
import { createProveWork, type ProveWork } from './proof/prove-work.ts';
import { createRetentionWork, type RetentionWork } from './retention/retention-work.ts';
import { limitRepeats } from './faults/limited-repeats.ts';
import { workHolder } from './work/work-holder.ts';
import { startPlatform } from './server.ts';
import { organizationsNearCaps, retentionDelayMs } from './store-figures.ts';
import { reportFaults } from './faults/reported-faults.ts';

/** For `/metrics`. */
export interface SettlingFigures {
  /** Work that is billed later and was settled, in the whole store. */
  readonly settled: number;
  /** What providers answered to this platform's questions. */
  readonly asked: FollowFigures;
}

/** What the parent passes. */
export interface PlatformThreadData {
  readonly databaseUrl: string;
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
  /** Resolves the names of webhooks; the main thread is at its other end. */
  readonly namesPort: MessagePort;
}

/** Messages of the parent. */
export type ToPlatformThread = { readonly alive: true } | { readonly leave: true } | { readonly stop: true; readonly graceMs: number };

const housekeepingMs = 5_000;
/** Pause between two looks for new events and due work. */
const noticesMs = 1_000;
/** Pause between two looks at what `/metrics` shows of the store. */
const figuresMs = 60_000;
/** Pause between two looks for work whose outcome is to be asked for. */
const followMs = 1_000;
/** Pause between two looks for figures to be compared; the first comes when the start is over. */
const provingMs = 30_000;
/** Pause between two passes that remove what is past its age. */
const retentionMs = 1_000;

/** Whether a look is under way. Defined before the code that uses it at the very start. */
let figuring = false;

const data = workerData as PlatformThreadData;
const parent = parentPort!;
const reportFault = reportFaults(Date.now, (warning) => parent.postMessage({ warning }));

workAs('platform');
try {
  await serve();
} catch (error) {
  const { code = 'platform_failed', message, syscall } = error as Error & { readonly code?: unknown; readonly syscall?: unknown };
  parent.postMessage({ failed: { code: String(code), message, syscall } });
  parent.close();
  data.namesPort.close();
}

async function serve(): Promise<void> {
  const store = await openStore({ url: data.databaseUrl, masterKey: data.masterKey, clock: Date.now, randomBytes, create: false });
  const reports = reportsBeside(store);
  const oidc = await oidcParts();
  try {
    const platform = await startPlatform(data, {
      partsAt: (port) => partsOn({ store, reports, oidc }, port), report: (fault) => reportFault('answer a request', fault),
    });
    await remember(store, publicUrlAt(platform.port));
    const finishErasures = createErasureFinisher(store);
    const housekeeping = setInterval(() => void keepHouse(store, finishErasures), housekeepingMs);
    const holder = workHolder({ engine: store.engine, host: platform.host, port: platform.port });
    const notices = noticeWorkOn(store, holder);
    const looking = setInterval(() => void lookForNotices(notices), noticesMs);
    const feed = await priceFeedOn(store, holder);
    const retention = retentionWorkOn(store, holder);
    const removing = setInterval(() => void removeOld(retention), retentionMs);
    const following = followWorkOn(store, holder);
    const proving = proveWorkOn(store, holder);
    const comparing = setInterval(() => void proving.pass().catch((fault: unknown) => reportFault('compare figures with records', fault)), provingMs);
    const asking = setInterval(() => void following.pass().catch((fault: unknown) => reportFault('follow work', fault)), followMs);
    const works = { retention, feed, following, proving };
    const counting = setInterval(() => void reportFigures(store, works), figuresMs);
    parent.on('message', (message: ToPlatformThread) => {
      if ('alive' in message) return parent.postMessage(message);
      if ('leave' in message) {
        platform.leave();
        return parent.postMessage({ left: true });
      }
      clearInterval(housekeeping);
      clearInterval(counting);
      clearInterval(looking);
      clearInterval(removing);
      clearInterval(asking);
      clearInterval(comparing);
      void platform.close(message.graceMs).then(() => notices.end().catch(() => {})).then(() => retention.end().catch(() => {}))
        .then(() => feed?.end().catch(() => {}))
        .then(() => Promise.all([following.end(), proving.end()]).catch(() => {}))
        .then(() => reports?.close()).then(() => store.close())
        .then(() => data.namesPort.close()).then(() => parent.close());
    });
    giveBackWhenIdle();
    parent.postMessage({ listening: { host: platform.host, port: platform.port } });
    // Not earlier: before the parent listens, a message would be lost.
    void reportFigures(store, works);
    // So that it is known whether the provider answers before the first person signs in.
    void oidc?.provider.warm();
  } catch (error) {
    await store.close();
    throw error;
  }
}

function noticeWorkOn(store: Store, holder: string): NoticeWork {
  const allow = parseAddressRanges(data.upstreamAllow);
  const names = namesThrough(data.namesPort);
  const guardOf = (organization: string): AddressGuard => createAddressGuard({ allow, resolveAll: names(organization) });
  return createNoticeWork({ store, guardOf, clock: Date.now, holder });
}

/** Null: no feed is configured. Its code is loaded only for one. */
async function priceFeedOn(store: Store, holder: string): Promise<RunningPriceFeed | null> {
  const { priceFeed: settings } = data;
  if (settings === null) return null;
  const { runPriceFeed } = await import('./price-feed/run-feed.ts');
  const guard = createAddressGuard({ allow: parseAddressRanges(data.upstreamAllow), resolveAll: namesThrough(data.namesPort)('prices') });
  return runPriceFeed({
    settings, store, guard, clock: Date.now, randomBytes: (n) => randomBytes(n), holder,
    say: (note) => parent.postMessage({ note }), warn: (warning) => parent.postMessage({ warning }),
  }, (fault) => reportFault('ask for the price feed', fault));
}

function followWorkOn(store: Store, holder: string): FollowWork {
  const { providerUrls, sandbox } = data;
  return createFollowWork({
    store, clock: Date.now, randomBytes: (n) => randomBytes(n), holder, providerUrls, sandbox,
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

/** Removes what is past its age. After a fault, the next pass tries again. */
async function removeOld(work: RetentionWork): Promise<void> {
  try {
    await work.pass();
  } catch (error) {
    reportFault('remove records for their age', error);
  }
}

interface RepeatedWorks {
  readonly retention: RetentionWork;
  readonly feed: RunningPriceFeed | null;
  readonly following: FollowWork;
  readonly proving: ProveWork;
}

/** For `/metrics`; after a fault, the next look tries again. */
async function reportFigures(store: Store, { retention, feed, following, proving }: RepeatedWorks): Promise<void> {
  if (figuring) return;
  figuring = true;
  try {
    parent.postMessage({ caps: await organizationsNearCaps(store, Date.now()) });
    const behindMs = await retentionDelayMs(store, Date.now());
    parent.postMessage({ retention: { ...retention.removed(), behindMs } });
    parent.postMessage({ proofs: await proving.figures() });
    if (feed !== null) parent.postMessage({ prices: await feed.figures() });
    parent.postMessage({ settling: { settled: await store.settlements.latest(), asked: following.asked() } satisfies SettlingFigures });
  } catch (error) {
    reportFault('count organizations near their caps and what is to be removed', error);
  } finally {
    figuring = false;
  }
}

let noticing = false;

/** Finds events, and who must be notified of them. After a fault, the next look tries again. */
async function lookForNotices(work: NoticeWork): Promise<void> {
  if (noticing) return;
  noticing = true;
  try {
    await work.pass();
  } catch (error) {
    reportFault('look for events to report', error);
  } finally {
    noticing = false;
  }
}

/** An embedded store reads on the calling thread; a shared one reads by itself, or its replica does. */
function reportsBeside({ engine }: Store): Reports | null {
  if (engine === 'sqlite') return reportsAt(data.databaseUrl);
  if (data.reportsDatabaseUrl === null) return null;
  const say = limitRepeats(Date.now, (warning) => parent.postMessage({ warning }));
  return replicaFirst({ replica: reportsAt(data.reportsDatabaseUrl), primary: reportsAt(data.databaseUrl), say });
}

function reportsAt(databaseUrl: string): Reports {
  const given: ReportThreadData = { databaseUrl, masterKey: data.masterKey };
  return createReports(() => new Worker(new URL('./reports/report-thread.ts', import.meta.url), { workerData: given }));
}

/** What only requests need is loaded with the first of them. */
async function partsOn({ store, reports, oidc }: Pick<PlatformParts, 'store' | 'reports' | 'oidc'>, port: number): Promise<PlatformParts> {
  const [
    sessions, { costToday, Passwords }, { hashingOnThreads }, { createAttempts }, { createSignInBegins }, { knownBrowsers }, { trustedProxies },
  ] = await Promise.all([
    import('./auth/create-sessions.ts'), import('./auth/passwords.ts'), import('./auth/hashing-threads.ts'), import('./auth/attempts.ts'),
    import('./auth/sign-in-begins.ts'), import('./auth/known-browsers.ts'), import('./http/client-address.ts'),
  ]);
  const publicUrl = publicUrlAt(port);
  const clock = Date.now;
  return {
    store, reports, clock, randomBytes: (n) => randomBytes(n), publicUrl, gatewayUrl: data.gatewayUrl, sandbox: data.sandbox,
    providerUrls: data.providerUrls, upstreamRules: { allow: data.upstreamAllow }, trusted: trustedProxies(data.trustedProxies),
    passwords: new Passwords(costToday, hashingOnThreads()),
    sessions: sessions.createSessions({
      store, masterKey: data.masterKey, publicUrl, clock, providedLifeMs: data.oidc?.sessionMs ?? sessionHoursDefault * 3_600_000,
    }),
    attempts: createAttempts(clock), signInBegins: createSignInBegins(clock), browsers: knownBrowsers(data.masterKey, clock), oidc,
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
  return data.publicUrl ?? `http://${reachable(data.host)}:${port}`;
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

function reachable(host: string): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return named.includes(':') ? `[${named}]` : named;
}

let busy = false;

/** Finishes what was interrupted and removes what has expired. After a fault, the next pass tries again. */
async function keepHouse(store: Store, finishErasures: () => Promise<void>): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    await store.masterKey.follow();
    await store.masterKey.endHandOver();
    await finishErasures();
  } catch (error) {
    reportFault('look after the store', error);
  } finally {
    busy = false;
  }
}
