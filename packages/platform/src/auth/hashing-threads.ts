/**
 * Hashing of passwords beside everything else: a thread for people who have signed in before from where they ask, and one for all others. A flood
 * of strangers delays no one who is known. The pool of the process, which resolves providers' names and makes journal files, hashes nothing.
 * Decision 0109.
 */
import { Worker } from 'node:worker_threads';
import type { HashingAnswer, HashingKind, HashingQuestion } from './hashing-thread.ts';
import { createHashingTurns, type HashingTurns } from './hashing-turns.ts';
import { HashingBusy, scryptInput, type Derive } from './passwords.ts';

/** Idle for so long a thread ends: it holds some megabytes, and the next one starts in a twentieth of a second. */
const idleMs = 60_000;

/** Objects of a thread, megabytes. What scrypt works in is not among them. */
const heap = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

/** @throws HashingBusy from what it gives, where too many wait. */
export function hashingOnThreads(): Derive {
  const lanes = { knownPeople: new Lane('knownPeople'), strangers: new Lane('strangers') };
  return (password, salt, cost, { isKnown, from }) =>
    lanes[isKnown ? 'knownPeople' : 'strangers'].ask(from, scryptInput(password, salt, cost));
}

class Lane {
  readonly #kind: HashingKind;
  readonly #turns: HashingTurns = createHashingTurns();
  #thread: Worker | null = null;
  #ending: NodeJS.Timeout | null = null;

  constructor(kind: HashingKind) {
    this.#kind = kind;
  }

  ask(from: string, question: HashingQuestion): Promise<Buffer> {
    return this.#turns.take(from, () => this.#hash(question)) ?? Promise.reject(new HashingBusy('too many passwords are being checked'));
  }

  async #hash(question: HashingQuestion): Promise<Buffer> {
    if (this.#ending !== null) clearTimeout(this.#ending);
    const thread = this.#thread ??= this.#begin();
    try {
      return await answered(thread, question);
    } finally {
      this.#ending = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #begin(): Worker {
    const begun = new Worker(new URL('./hashing-thread.ts', import.meta.url), { workerData: this.#kind, resourceLimits: heap });
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

/** @throws Error if the thread ends first, or cannot. */
function answered(thread: Worker, question: HashingQuestion): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => void thread.off('message', onMessage).off('exit', onExit);
    const onMessage = (answer: HashingAnswer): void => {
      settle();
      if (answer === null) reject(new Error('A password could not be hashed: there was no memory for it.'));
      else resolve(Buffer.from(answer));
    };
    const onExit = (): void => {
      settle();
      reject(new Error('The thread that hashes passwords ended.'));
    };
    thread.on('message', onMessage).on('exit', onExit);
    thread.postMessage(question);
  });
}
