/**
 * Whether this process is ready for calls, and the warnings while it is not. The gateway thread reports what it cannot do. A full disk is
 * detected here, even while no call comes. A warning is given when trouble begins, once a minute while it lasts, and when it is over. A disk
 * that is filling is reported before calls are refused for it.
 */
import type { NodeCondition } from '@metergate/gateway/node/condition.ts';
import { freeBytesOf } from './journal-disk.ts';
import type { ThreadName } from './thread-pulse.ts';

/**
 * Why calls should not be sent here. `store`: only calls under caps and in runs are refused. `own_call`: a call of the node to itself was not
 * answered. The last three: that thread does not answer.
 */
type UnreadyCause = 'starting' | 'stopping' | 'journal' | 'store' | 'own_call' | `${ThreadName}_thread`;

export interface Unready {
  readonly cause: UnreadyCause;
  /** What is wrong and what to do. */
  readonly sentence: string;
}

interface NodeWatchOptions {
  /** Where the journal lies; null: this process keeps none. */
  readonly directory: string | null;
  readonly tell: (level: 'error' | 'warn' | 'info', sentence: string) => void;
  readonly monotonicMs: () => number;
  /** Threads that do not answer. */
  readonly silent?: () => readonly ThreadName[];
  /** Whether the node's calls to itself are answered; by default it makes none. */
  readonly forwards?: () => boolean;
  /** Bytes that may still be written at a path; null if the system does not say. */
  readonly freeBytes?: (path: string) => number | null;
}

export interface NodeWatch {
  /** What this process waits for before it is ready, or that it stops; null: neither. */
  phase: Unready | null;
  update(condition: NodeCondition): void;
  /** Empty: ready. A platform thread that is silent beside a gateway is trouble, but calls are served. */
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

const silences: Readonly<Record<ThreadName, string>> = {
  gateway: 'The gateway thread does not answer: calls hang.',
  store: 'The store thread does not answer: keys that this node has not seen get 500, and nothing is shipped.',
  platform: 'The platform thread does not answer: pages and the API hang.',
};
const overWords: Readonly<Partial<Record<UnreadyCause, string>>> = {
  journal: 'The journal can be written again.', store: 'The shared store answers again.',
  own_call: 'A call of this node to itself is answered again.', gateway_thread: 'The gateway thread answers again.',
  store_thread: 'The store thread answers again.', platform_thread: 'The platform thread answers again.',
};

export function createNodeWatch({
  directory, tell, monotonicMs, silent = () => [], forwards = () => true, freeBytes = freeBytesOf,
}: NodeWatchOptions): NodeWatch {
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
      ...silent().map((thread) => ({
        cause: `${thread}_thread` as const, sentence: `${silences[thread]} If it does not answer again by itself, restart this process.`,
      })),
      ...(forwards() || silent().includes('gateway') ? [] : [{ cause: 'own_call', sentence: 'A call of this node to itself gets no answer: those of '
        + 'callers most likely get none either. Look at what it has open (metrics) and at its log; if it does not recover, restart it.' } as const]),
      ...(journal === null ? [] : [{ cause: 'journal', sentence: journal } as const]),
      ...(condition.unconfirmed ? [{ cause: 'store', sentence: 'The shared store does not answer: calls under caps and in runs get 503. '
        + 'Bring PostgreSQL back; no restart is needed.' } as const] : []),
    ];
  }

  return {
    phase: { cause: 'starting', sentence: 'Starting.' },
    update(latest) { condition = latest; },
    unready() {
      const now = troubles().filter(({ cause }) => cause !== 'platform_thread' || directory === null);
      return this.phase === null ? now : [this.phase, ...now];
    },
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
        tell('info', overWords[cause]!);
      }
    },
  };
}
