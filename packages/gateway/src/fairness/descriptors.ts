/**
 * How many callers a node may have at once, from the file descriptors that its process may open. A call takes two: its caller's connection
 * and the destination's. Some are reserved for the journal, the store and the platform. Rule 8a.
 */
import { readFileSync } from 'node:fs';

/** Descriptors kept from callers and destinations: those of the journal, the store, operations and the runtime itself. */
const keptMax = 256;

/** Connections at once, by who opens them. */
interface ConnectionBounds {
  /** Callers of the gateway. As many again are left for the destinations. */
  readonly callers: number;
  /** That one organization may leave idle at one destination, for all its keys. Some organizations must not take what others dial with. */
  readonly idle: number;
  /** What a platform in the same process may have of its own. */
  readonly platform: number;
}

/** @param descriptors what the process may open; Infinity if nothing bounds it. */
export function connectionBounds(descriptors: number): ConnectionBounds {
  const shared = Math.max(0, descriptors - Math.min(keptMax, descriptors / 4));
  return { callers: atLeast(8, shared * 0.4), idle: atLeast(4, shared * 0.05), platform: atLeast(4, shared * 0.15) };
}

function atLeast(least: number, most: number): number {
  return Math.max(least, Math.min(Math.floor(most), Number.MAX_SAFE_INTEGER));
}

/** Descriptors that this process may open; Infinity if the system does not say. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
    return /^\d+$/.test(soft) ? Number(soft) : Number.POSITIVE_INFINITY;
  } catch {
    return limitByReport();
  }
}

/** If there is no `/proc`. */
function limitByReport(): number {
  try {
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
    const soft = Number(userLimits?.open_files?.soft);
    return soft > 0 ? soft : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
