/**
 * One platform's side of the lease on work that only one platform does at a time. It asks at a slow pace while another has it, and renews it when
 * half of it is over. If the lease seems to last longer than any can, the clock was put back, and the lease is asked for again.
 */
import type { WorkLeases } from '@metergate/store/webhooks/work-lease.ts';

export interface WorkLease {
  /** How far the work had come when the store was last asked; null: another platform does it. */
  hold(nowMs: number): Promise<{ readonly cursor: number } | null>;
  /** Lets another platform continue at once. */
  release(): Promise<void>;
}

const leaseMs = 30_000;
/** A platform without the lease asks for it this often. */
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

/** The lower bound is excluded. */
function isWithin(value: number, above: number, max: number): boolean {
  return value > above && value <= max;
}
