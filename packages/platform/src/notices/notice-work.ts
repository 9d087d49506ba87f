/**
 * The work of alerts and webhooks, done by one platform at a time: polls for events, and delivers notices that are due. Every poll is short;
 * failed work is retried at the next.
 */
import { randomBytes } from 'node:crypto';
import { baselineStanding } from '@metergate/core/tap/baseline.ts';
import { formatDollars } from '@metergate/core/money.ts';
import { unusualDay, unusualSince } from '@metergate/core/alert/unusual-day.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { GuardOf } from '@metergate/store/network/address-guard.ts';
import type { Store } from '@metergate/store/store.ts';
import { createWorkLease } from '../work/work-lease.ts';
import { createDelivering } from './delivering.ts';
import { windowAt } from '@metergate/core/spend/window.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';

interface NoticeWorkOptions {
  readonly store: Store;
  readonly guardOf: GuardOf;
  readonly clock: () => number;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** Per attempt, milliseconds. */
  readonly deadlineMs?: number;
}

export interface NoticeWork {
  /** One pass; the deliveries that it begins continue after it. False: another platform does the work. */
  pass(): Promise<boolean>;
  /** Resolves when every delivery that was begun has ended. */
  idle(): Promise<void>;
  /** Ends what is under way, then lets another platform take over at once. */
  end(): Promise<void>;
}

const leaseName = 'notices';
/** How often days, budgets and Baselines are checked. */
const slowMs = 60_000;
const pruneMs = 3_600_000;
const keptMs = 30 * 86_400_000;

export function createNoticeWork({ store, guardOf, clock, holder, deadlineMs = 10_000 }: NoticeWorkOptions): NoticeWork {
  const lease = createWorkLease(store.workLeases, leaseName, holder);
  const delivering = createDelivering({ store, guardOf, clock, deadlineMs });
  /** How far runs have been checked. */
  let cursor = 0;
  let slowAtMs = 0;
  let prunedAtMs = 0;
  /** What has to be checked once since the lease was taken. */
  let left: { readonly doneMs: number | null } | null = null;

  async function look(nowMs: number): Promise<void> {
    await store.alertWatch.caps(nowMs);
    const reached = await store.alertWatch.runs(cursor, nowMs);
    if (reached !== cursor) await store.workLeases.advance(leaseName, holder, reached);
    cursor = reached;
    if (nowMs - slowAtMs >= slowMs) {
      for (const organization of await store.alertWatch.listening()) {
        await lookAtDay(store, organization, nowMs);
        await lookAtBudgetsOf(store, organization, nowMs);
        await lookAtBaselines(store, organization, nowMs);
      }
      slowAtMs = nowMs;
    }
    if (nowMs - prunedAtMs >= pruneMs) {
      await store.deliveries.prune(nowMs - keptMs);
      prunedAtMs = nowMs;
    }
  }

  /** Does what another platform, or this one before it was killed, did not finish. All windows begin at midnight, UTC. */
  async function continueFor(doneMs: number | null): Promise<void> {
    const nowMs = clock();
    await store.deliveries.retake(nowMs);
    const { startMs } = windowAt('day', nowMs);
    if (doneMs === null || doneMs >= startMs) return;
    const dayEndMs = Math.min(startMs, windowAt('day', doneMs).endMs!) - 1;
    await store.alertWatch.caps(dayEndMs);
    for (const organization of await store.alertWatch.listening()) {
      await lookAtDay(store, organization, dayEndMs);
      await lookAtBudgetsOf(store, organization, dayEndMs);
    }
  }

  return {
    async pass() {
      const held = await lease.hold(clock());
      if (held === null) return false;
      cursor = Math.max(cursor, held.cursor);
      if (held.taken) left = held;
      if (left !== null) await continueFor(left.doneMs);
      left = null;
      await look(clock());
      await delivering.beginDue();
      return true;
    },
    idle: delivering.idle,
    async end() {
      await delivering.idle();
      await lease.release();
    },
  };
}

/** What reads budgets is loaded for the first organization that has one: most of it is what checks the input of people who set them. */
async function lookAtBudgetsOf(store: Store, organization: OrganizationId, nowMs: number): Promise<void> {
  if ((await store.monthBudgets.list(organization)).length === 0) return;
  const { lookAtBudgets } = await import('./look-at-budgets.ts');
  await lookAtBudgets({ store, randomBytes, nowMs }, organization);
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
    atMs: Math.floor(nowMs), data: { assessment: baseline.id, closesAt: isoText(closesAtMs) },
  });
}
