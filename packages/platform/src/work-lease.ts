/**
 * The lease on work that one platform at a time does, as one platform holds it: asked for at a slow pace while another has it, and renewed when
 * half of it is over. A clock that was put back is told by a lease that lasts longer than any does: then it is asked for again.
 */
import type { WorkLeases } from '@metergate/store/webhooks/work-lease.ts';

export interface WorkLease {
  /** How far the work had come when this was last asked of the store; null: another platform does it. */
  hold(nowMs: number): Promise<{ readonly cursor: number } | null>;
  /** Lets another platform go on at once. */
  release(): Promise<void>;
}

const leaseMs = 30_000;
/** Who does not have the lease asks for it this often. */
const askMs = 5_000;

/** `holder`: this platform, among those that share the store. */
export function createWorkLease(leases: Pick<WorkLeases, 'hold' | 'release'>, name: string, holder: string): WorkLease {
  let held: { readonly untilMs: number; readonly cursor: number } | null = null;
  let askAtMs = 0;
  return {
    async hold(wallMs) {
      const nowMs = Math.floor(wallMs);
      if (held !== null && isWithin(held.untilMs - nowMs, leaseMs / 2, leaseMs)) return held;
      if (held === null && isWithin(askAtMs - nowMs, 0, askMs)) return null;
      askAtMs = nowMs + askMs;
      const untilMs = nowMs + leaseMs;
      const taken = await leases.hold(name, holder, { nowMs, untilMs });
      held = taken === null ? null : { untilMs, cursor: taken.cursor };
      return held;
    },
    async release() {
      if (held !== null) await leases.release(name, holder);
      held = null;
    },
  };
}

/** The lower bound is not. */
function isWithin(value: number, above: number, max: number): boolean {
  return value > above && value <= max;
}
