/**
 * The work of alerts and webhooks, done by one platform at a time: polls for events, and delivers notices that are due. Every poll is short;
 * failed work is retried at the next.
 */
import { baselineStanding } from '@metergate/core/tap/baseline.ts';
import { formatDollars } from '@metergate/core/money.ts';
import { unusualDay, unusualSince } from '@metergate/core/alert/unusual-day.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import type { Store } from '@metergate/store/store.ts';
import { createDelivering } from './delivering.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';

export interface NoticeWorkOptions {
  readonly store: Store;
  readonly guard: AddressGuard;
  readonly clock: () => number;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** Per attempt, milliseconds. */
  readonly deadlineMs?: number;
}

export interface NoticeWork {
  /** One look; deliveries that it begins go on after it. False: another platform does the work. */
  pass(): Promise<boolean>;
  /** When every delivery that was begun has ended. */
  idle(): Promise<void>;
  /** Ends what is under way, then lets another platform go on at once. */
  end(): Promise<void>;
}

const leaseName = 'notices';
const leaseMs = 30_000;
/** Days and Baselines are looked at this often. */
const slowMs = 60_000;
const pruneMs = 3_600_000;
const keptMs = 30 * 86_400_000;
/** Who does not have the lease asks for it this often. */
const askMs = 5_000;

export function createNoticeWork({ store, guard, clock, holder, deadlineMs = 10_000 }: NoticeWorkOptions): NoticeWork {
  let held: { untilMs: number; cursor: number } | null = null;
  const delivering = createDelivering({ store, guard, clock, deadlineMs });
  let askAtMs = 0;
  let slowAtMs = 0;
  let prunedAtMs = 0;

  async function holds(nowMs: number): Promise<boolean> {
    if (held !== null && held.untilMs - nowMs > leaseMs / 2) return true;
    if (held === null && nowMs < askAtMs) return false;
    askAtMs = nowMs + askMs;
    const taken = await store.workLeases.hold(leaseName, holder, { nowMs: Math.floor(nowMs), untilMs: Math.floor(nowMs) + leaseMs });
    held = taken === null ? null : { untilMs: nowMs + leaseMs, cursor: Math.max(taken.cursor, held?.cursor ?? 0) };
    return held !== null;
  }

  async function look(nowMs: number): Promise<void> {
    await store.alertWatch.caps(nowMs);
    const cursor = await store.alertWatch.runs(held!.cursor, nowMs);
    if (cursor !== held!.cursor) await store.workLeases.advance(leaseName, holder, cursor);
    held!.cursor = cursor;
    if (nowMs - slowAtMs >= slowMs) {
      for (const organization of await store.alertWatch.listening()) {
        await lookAtDay(store, organization, nowMs);
        await lookAtBaselines(store, organization, nowMs);
      }
      slowAtMs = nowMs;
    }
    if (nowMs - prunedAtMs >= pruneMs) {
      await store.deliveries.prune(nowMs - keptMs);
      prunedAtMs = nowMs;
    }
  }

  return {
    async pass() {
      if (!await holds(clock())) return false;
      await look(clock());
      await delivering.beginDue();
      return true;
    },
    idle: delivering.idle,
    async end() {
      await delivering.idle();
      if (held !== null) await store.workLeases.release(leaseName, holder);
      held = null;
    },
  };
}

async function lookAtDay(store: Store, organization: OrganizationId, nowMs: number): Promise<void> {
  const days = await store.spentDays.of(organization, { scope: 'organization', subject: null, sinceMs: unusualSince(nowMs) });
  const unusual = unusualDay(days, nowMs);
  if (unusual === null) return;
  const day = dayName(unusual.dayMs);
  await store.alertWatch.raise({
    organization, type: 'spend.unusual', dedupe: `day/${day}`, atMs: Math.floor(nowMs),
    data: { day, spent: formatDollars(unusual.spent), usual: formatDollars(unusual.usual) },
  });
}

async function lookAtBaselines(store: Store, id: OrganizationId, nowMs: number): Promise<void> {
  const organization = await store.organizations.find(id);
  const [baseline] = organization === null ? [] : await store.baselines.list(id);
  if (organization === null || baseline === undefined) return;
  const { state, closesAtMs } = baselineStanding(baseline, organization.plan, nowMs);
  if (state === 'waiting') return;
  await store.alertWatch.raise({
    organization: id, type: state === 'reporting' ? 'baseline.reporting' : 'baseline.closed', dedupe: `baseline/${baseline.id}/${state}`,
    atMs: Math.floor(nowMs), data: { assessment: baseline.id, closesAt: closesAtMs === null ? null : new Date(closesAtMs).toISOString() },
  });
}
