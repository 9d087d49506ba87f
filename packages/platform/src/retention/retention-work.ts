/**
 * Removes what is past its age (decision 0032), in the background: one platform at a time, slice by slice, a fourth of the time. Every pass is
 * short. If removing fails, it is tried again an hour later, for that organization only.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { RetentionSlice } from '@metergate/store/retention/retention.ts';
import type { Store } from '@metergate/store/store.ts';
import { createWorkLease } from '../work/work-lease.ts';

interface RetentionWorkOptions {
  readonly store: Pick<Store, 'retention' | 'workLeases'>;
  /** Wall time; ages are measured by it. */
  readonly clock: () => number;
  /** Milliseconds on a clock that never steps. */
  readonly steadyClock: () => number;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** A line that an operator should see. */
  readonly say: (line: string) => void;
  /** The work failed for one organization, which is then skipped for an hour. */
  readonly failed: (fault: unknown) => void;
}

export interface RetentionWork {
  /** Slices for about a second. False: there is nothing to do now, another platform does it, or the clock is not trusted yet. */
  pass(): Promise<boolean>;
  /** What this platform has removed since it began. */
  removed(): Readonly<Removed>;
  /** Ends after the slice that is under way, then lets another platform continue at once. */
  end(): Promise<void>;
}

/** An organization with nothing due is looked at again after this long. */
const restMs = 3_600_000;
const passMs = 900;
const pauseMsMax = 250;
/** The longest that a slice should take: a writer of the embedded store waits for it. */
const sliceMs = 20;
const rows = { min: 2, first: 50, max: 500 } as const;
/** Removal is final: after a step, the clock is trusted only once it has run evenly for this long. */
const steadyForMs = 60_000;
const stepMs = 2_000;
const sayEachMs = 600_000;

interface Removed {
  records: number;
  events: number;
}

interface Told extends Removed {
  readonly atMs: number;
}

export function createRetentionWork({ store, clock, steadyClock, holder, say, failed }: RetentionWorkOptions): RetentionWork {
  const trusted = steadiness(clock, steadyClock);
  const lease = createWorkLease(store.workLeases, 'retention', holder);
  let listAtMs = 0;
  let waiting: { readonly organization: OrganizationId; readonly days: number }[] = [];
  let size: number = rows.first;
  const life = { ending: false };
  let passing: Promise<boolean> | null = null;
  const [told, removed] = [new Map<string, Told>(), { records: 0, events: 0 }];

  async function look(): Promise<boolean> {
    if (!trusted()) return false;
    const beginMs = steadyClock();
    if (waiting.length === 0) {
      if (beginMs < listAtMs) return false;
      waiting = [...await store.retention.organizations()];
      listAtMs = beginMs + restMs;
    }
    while (waiting.length > 0 && !life.ending && steadyClock() - beginMs < passMs) {
      if (await lease.hold(clock()) === null) return false;
      const { organization, days } = waiting[0]!;
      const more = await slice(organization, days).catch((fault: unknown) => { failed(fault); return false; });
      if (!more) waiting.shift();
    }
    return waiting.length > 0;
  }

  async function slice(organization: OrganizationId, days: number): Promise<boolean> {
    const beginMs = steadyClock();
    const { records, events, more } = await store.retention.removeSlice(organization, { nowMs: clock(), rowsMax: size });
    add(removed, { records, events });
    const tookMs = steadyClock() - beginMs;
    if (tookMs > sliceMs) size = Math.max(rows.min, Math.floor(size / 2));
    else if (tookMs < sliceMs / 2) size = Math.min(rows.max, size + 25);
    await tell(organization, days, { records, events, more });
    if (more) await new Promise((resume) => setTimeout(resume, Math.min(pauseMsMax, tookMs * 3)));
    return more;
  }

  /** Logs progress: when much has been removed, every ten minutes, and at the end. */
  async function tell(organization: OrganizationId, days: number, { records, events, more }: RetentionSlice): Promise<void> {
    const sum = told.get(organization) ?? { records: 0, events: 0, atMs: steadyClock() };
    told.set(organization, sum);
    add(sum, { records, events });
    if (more && steadyClock() - sum.atMs < sayEachMs) return;
    told.delete(organization);
    if (sum.records + sum.events === 0) return;
    const gone = (await store.retention.progress(organization))?.goneBeforeMs ?? null;
    say(`Removed ${sum.records} records and ${sum.events} tap events of ${organization}, which keeps them ${days} days${
      gone === null ? '' : `: those before ${isoText(gone)} are gone`}${more ? '; it goes on' : ''}.`);
  }

  return {
    pass() {
      passing ??= look().finally(() => { passing = null; });
      return passing;
    },
    removed: () => ({ ...removed }),
    async end() {
      life.ending = true;
      await passing?.catch(() => {});
      await lease.release();
    },
  };
}

function add(sum: Removed, more: Readonly<Removed>): void {
  sum.records += more.records;
  sum.events += more.events;
}

/** Whether both clocks advanced equally for a minute. */
function steadiness(clock: () => number, steadyClock: () => number): () => boolean {
  let [wallMs, sinceMs] = [clock(), steadyClock()];
  return () => {
    const passedMs = steadyClock() - sinceMs;
    if (Math.abs(clock() - wallMs - passedMs) > stepMs) [wallMs, sinceMs] = [clock(), steadyClock()];
    return steadyClock() - sinceMs >= steadyForMs;
  };
}
