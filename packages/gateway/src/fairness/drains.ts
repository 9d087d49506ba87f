/**
 * How many calls are read on after their caller left, per organization and per node (rule 8), and within which
 * bounds of time and bytes. Beyond the counts a call is cancelled at the provider.
 */
import type { OrganizationId } from '@metergate/core/id.ts';

export const drainsPerOrganizationMax = 32;
export const drainsPerNodeMax = 512;

/** How far an abandoned call is read on. */
export interface DrainBound {
  /** An armed cap or a run budget covers the call: what it costs must be learnt. */
  readonly covered: boolean;
  readonly durationMs: number;
  readonly bytesMax: number;
}

/** The longest that a timer runs; a longer one would fire at once. Some 24 days. */
const timerMsMax = 2 ** 31 - 1;

/**
 * `covered`: an armed cap or a run budget covers the call, so its cost must be learnt: 10 min and 64 MiB; any other 5 s and
 * 1 MiB. The organization may set the seconds of both.
 */
export function drainBoundFor(covered: boolean, drainSeconds: number | null): DrainBound {
  const durationMs = drainSeconds === null ? (covered ? 600_000 : 5_000) : Math.min(drainSeconds * 1_000, timerMsMax);
  return { covered, durationMs, bytesMax: (covered ? 64 : 1) * 1024 * 1024 };
}

export interface Drains {
  /**
   * Takes a place; false if all are taken. Calls that a limit covers may have as many of one organization as it leaves free, half
   * of the node's when it is alone: a caller who starts many and leaves them would otherwise spend what nobody counts.
   */
  enter(organization: OrganizationId, covered: boolean): boolean;
  leave(organization: OrganizationId): void;
  readonly underWay: number;
}

export function createDrains(): Drains {
  const byOrganization = new Map<OrganizationId, number>();
  let underWay = 0;
  return {
    enter(organization, covered) {
      const own = byOrganization.get(organization) ?? 0;
      const free = drainsPerNodeMax - underWay;
      if (free === 0 || own >= (covered ? Math.max(free, drainsPerOrganizationMax) : drainsPerOrganizationMax)) return false;
      byOrganization.set(organization, own + 1);
      underWay += 1;
      return true;
    },
    leave(organization) {
      const own = byOrganization.get(organization) ?? 0;
      if (own <= 1) byOrganization.delete(organization);
      else byOrganization.set(organization, own - 1);
      underWay -= 1;
    },
    get underWay() {
      return underWay;
    },
  };
}
