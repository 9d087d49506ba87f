/**
 * Whether this process is ready for calls, and the warnings while it is not. The gateway thread reports what it cannot do. A full disk is
 * detected here, even while no call comes. A warning is given when trouble begins, once a minute while it lasts, and when it is over. That the
 * disk is filling is reported before calls are refused for it.
 */
import type { NodeCondition } from '@metergate/gateway/condition.ts';
import { freeBytesOf } from './journal-disk.ts';

/** Why calls should not be sent here. `store`: only calls under caps and in runs are refused. */
export type UnreadyCause = 'starting' | 'stopping' | 'journal' | 'store';

export interface Unready {
  readonly cause: UnreadyCause;
  /** What is wrong and what to do. */
  readonly sentence: string;
}

export interface NodeWatchOptions {
  /** Where the journal lies; null: this process keeps none. */
  readonly directory: string | null;
  readonly tell: (level: 'error' | 'warn' | 'info', sentence: string) => void;
  readonly monotonicMs: () => number;
  /** Bytes that may still be written at a path; null if the system does not say. */
  readonly freeBytes?: (path: string) => number | null;
}

export interface NodeWatch {
  /** What this process waits for before it is ready, or that it stops; null: neither. */
  phase: Unready | null;
  update(condition: NodeCondition): void;
  /** Empty: ready. */
  unready(): readonly Unready[];
  /** Logs what is due; call this every second. */
  look(): void;
}

const repeatAfterMs = 60_000;
const mib = 1_048_576;
/** With less, a segment of the journal cannot grow. */
const freeBytesMin = 64 * 1024;
/** The rest is for open calls, not for new ones. */
const freeBytesScarce = 4 * mib;
/** With less, the operator is warned in time to make room. */
const freeBytesLow = 512 * mib;
const repeatLowAfterMs = 3_600_000;

export function createNodeWatch({ directory, tell, monotonicMs, freeBytes = freeBytesOf }: NodeWatchOptions): NodeWatch {
  let condition: NodeCondition = { journal: null, unconfirmed: false };
  const reportedMs = new Map<UnreadyCause, number>();
  let lowReportedMs = -Infinity;

  function journalTrouble(): string | null {
    const free = directory === null ? null : freeBytes(directory);
    const fault = condition.journal ?? (free !== null && free < freeBytesMin ? 'the disk is full' : null);
    if (fault !== null) {
      return `The journal in ${directory} cannot be written: ${fault}. Calls get 500 and nothing is forwarded. Make room on that disk, or fix `
        + 'its rights; no restart is needed.';
    }
    return free === null || free >= freeBytesScarce ? null
      : `The disk of the journal in ${directory} is almost full: when it is, calls get 500. Make room on it; no restart is needed.`;
  }

  /** Warns before it becomes a problem. */
  function reportLowDisk(): void {
    const free = directory === null ? null : freeBytes(directory);
    if (free === null || free >= freeBytesLow || free < freeBytesScarce || monotonicMs() - lowReportedMs < repeatLowAfterMs) return;
    lowReportedMs = monotonicMs();
    tell('warn', `The disk of the journal in ${directory} has ${Math.floor(free / mib)} MiB left. What is not in the store yet waits there; when the `
      + 'disk is full, calls get 500. Make room on it.');
  }

  function troubles(): Unready[] {
    const journal = journalTrouble();
    return [
      ...(journal === null ? [] : [{ cause: 'journal', sentence: journal } as const]),
      ...(condition.unconfirmed ? [{ cause: 'store', sentence: 'The shared store does not answer: calls under caps and in runs get 503. '
        + 'Bring PostgreSQL back; no restart is needed.' } as const] : []),
    ];
  }

  return {
    phase: { cause: 'starting', sentence: 'Starting.' },
    update(latest) { condition = latest; },
    unready() { return this.phase === null ? troubles() : [this.phase, ...troubles()]; },
    look() {
      reportLowDisk();
      const now = troubles();
      for (const { cause, sentence } of now) {
        if (monotonicMs() - (reportedMs.get(cause) ?? -Infinity) < repeatAfterMs) continue;
        reportedMs.set(cause, monotonicMs());
        tell('error', sentence);
      }
      for (const cause of reportedMs.keys()) {
        if (now.some((each) => each.cause === cause)) continue;
        reportedMs.delete(cause);
        tell('info', cause === 'journal' ? 'The journal can be written again.' : 'The shared store answers again.');
      }
    },
  };
}
