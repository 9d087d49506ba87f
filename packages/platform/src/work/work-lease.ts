/**
 * One platform's side of the lease on work that only one platform does at a time. It asks at a slow pace while another holds it, and renews it when
 * half of it is over. If the lease seems to last longer than possible, the clock was put back, and the lease is requested again.
 */
import type { WorkLeases } from '@metergate/store/operation/work-lease.ts';

interface HeldLease {
  /** How far the work had come when the store was last asked. */
  readonly cursor: number;
  /** It was taken just now: look for what a dead platform did not finish. */
  readonly taken: boolean;
  /** A moment at which a platform did the work before this one took it; null: none ever did. */
  readonly doneMs: number | null;
}

interface WorkLease {
  /** Null: another platform does it. */
  hold(nowMs: number): Promise<HeldLease | null>;
  /** Lets another platform continue at once. */
  release(): Promise<void>;
}

const leaseMs = 10_000;
/** A platform without the lease asks for it this often. */
const askMs = 2_000;

/** `holder`: this platform, among those that share the store; the same after a restart, so that a lease of a killed platform does not bind it. */
export function createWorkLease(leases: Pick<WorkLeases, 'hold' | 'release'>, name: string, holder: string): WorkLease {
  let held: HeldLease & { readonly untilMs: number } | null = null;
  let askAtMs = 0;
  return {
    async hold(wallMs) {
      const nowMs = Math.floor(wallMs);
      if (held !== null && isWithin(held.untilMs - nowMs, leaseMs / 2, leaseMs)) return { ...held, taken: false };
      if (held === null && isWithin(askAtMs - nowMs, 0, askMs)) return null;
      askAtMs = nowMs + askMs;
      const untilMs = nowMs + leaseMs;
      const taken = await leases.hold(name, holder, { nowMs, untilMs });
      held = taken === null ? null : {
        untilMs, cursor: taken.cursor, taken: held === null, doneMs: taken.beforeMs === null ? null : Math.min(nowMs, taken.beforeMs - leaseMs),
      };
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
