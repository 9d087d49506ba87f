/**
 * Entry of a thread that hashes passwords, one at a time. Started by `hashing-threads.ts`; the system gives it the processor time that other threads
 * leave.
 */
import { scryptSync } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { workAs } from '@metergate/store/threads/thread-priority.ts';

/** Whom it hashes for. */
export type HashingKind = 'knownPeople' | 'strangers';

/** One scrypt. Figures are those of `HashingCost`. */
export interface HashingQuestion {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly bytes: number;
  readonly options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
}

export interface HashingAnswer {
  /** Null: the system could not, for want of memory. */
  readonly hash: Uint8Array | null;
  /** How long the thread wanted to hash while others had the processor. */
  readonly waitedMs: number;
}

const parent = parentPort!;
workAs(workerData as HashingKind);

parent.on('message', (question: HashingQuestion) => parent.postMessage(answerTo(question)));

function answerTo(question: HashingQuestion): HashingAnswer {
  const [beganMs, before] = [performance.now(), process.threadCpuUsage()];
  const hash = hashOf(question);
  const { user, system } = process.threadCpuUsage(before);
  return { hash, waitedMs: Math.max(0, performance.now() - beganMs - (user + system) / 1_000) };
}

function hashOf({ password, salt, bytes, options }: HashingQuestion): Uint8Array | null {
  try {
    return Uint8Array.from(scryptSync(password, salt, bytes, options));
  } catch {
    return null;
  }
}
