/**
 * Hashing of passwords beside everything else: a thread for people who have signed in before from where they ask, and one for all others. A flood
 * of strangers delays no one who is known. The pool of the process, which resolves providers' names and makes journal files, hashes nothing.
 * Decision 0109.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { HashingAnswer, HashingKind, HashingQuestion } from './hashing-thread.ts';
import { createHashingTurns, type HashingTurns } from './hashing-turns.ts';
import { HashingBusy, scryptInput, type Derive } from './passwords.ts';

/** Idle for so long a thread ends: it holds some megabytes, and the next one starts in a twentieth of a second. */
const idleMs = 60_000;

/** Objects of a thread, megabytes. What scrypt works in is not among them. */
const heap = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

/** A platform that stops waits for a rest that has begun. */
const restMsMax = 1_000;

/**
 * How long the thread for strangers rests after a hash for which it waited so long: as long. The system shares processors out one by one, so beside
 * busy ones it would get far more than its part; while nobody else wants a processor it never rests.
 */
export function restBehind(kind: HashingKind, waitedMs: number): number {
  return kind === 'strangers' ? Math.min(restMsMax, Math.round(waitedMs)) : 0;
}

/** @throws HashingBusy from what it gives, where too many wait. */
export function hashingOnThreads(): Derive {
  const lanes = { knownPeople: new Lane('knownPeople'), strangers: new Lane('strangers') };
  return (password, salt, cost, { isKnown, from }) =>
    lanes[isKnown ? 'knownPeople' : 'strangers'].ask(from, scryptInput(password, salt, cost));
}

class Lane {
  readonly #kind: HashingKind;
  readonly #turns: HashingTurns = createHashingTurns(() => this.#rest());
  #thread: Worker | null = null;
  #ending: NodeJS.Timeout | null = null;
  /** Of the latest hash. */
  #waitedMs = 0;

  constructor(kind: HashingKind) {
    this.#kind = kind;
  }

  ask(from: string, question: HashingQuestion): Promise<Buffer> {
    return this.#turns.take(from, () => this.#hash(question)) ?? Promise.reject(new HashingBusy('too many passwords are being checked'));
  }

  async #hash(question: HashingQuestion): Promise<Buffer> {
    if (this.#ending !== null) clearTimeout(this.#ending);
    const thread = this.#thread ??= this.#begin();
    this.#waitedMs = 0;
    try {
      const { hash, waitedMs } = await answered(thread, question);
      this.#waitedMs = waitedMs;
      if (hash === null) throw new Error('A password could not be hashed: there was no memory for it.');
      return Buffer.from(hash);
    } finally {
      this.#ending = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  async #rest(): Promise<void> {
    const ms = restBehind(this.#kind, this.#waitedMs);
    if (ms > 0) await pause(ms);
  }

  #begin(): Worker {
    const begun = new Worker(new URL('./hashing-thread.ts', import.meta.url), { name: 'hashing', workerData: this.#kind, resourceLimits: heap });
    // The end that follows is what is looked at.
    begun.on('error', () => {});
    begun.on('exit', () => {
      if (this.#thread === begun) this.#thread = null;
    });
    begun.unref();
    return begun;
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = null;
    void thread?.terminate();
  }
}

/** @throws Error if the thread ends first. */
function answered(thread: Worker, question: HashingQuestion): Promise<HashingAnswer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => void thread.off('message', onMessage).off('exit', onExit);
    const onMessage = (answer: HashingAnswer): void => {
      settle();
      resolve(answer);
    };
    const onExit = (): void => {
      settle();
      reject(new Error('The thread that hashes passwords ended.'));
    };
    thread.on('message', onMessage).on('exit', onExit);
    thread.postMessage(question);
  });
}
