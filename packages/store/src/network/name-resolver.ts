/**
 * Resolves names that organizations chose (declared upstreams, webhooks) in a separate process, which is started with the first of them. One
 * for the whole product: the threads that dial ask the main thread (`name-port.ts`). Decision 0101.
 */
import type { LookupAddress } from 'node:dns';
import { NamePlaces, type NameQuestion } from './name-places.ts';
import { startNameProcess, type NameProcess, type StartNameProcess } from './start-name-process.ts';

/** Null: it did not resolve, or not in time. */
export type NameAnswer = (addresses: readonly LookupAddress[] | null) => void;

export interface NameResolver {
  /** Answers within `nameDeadlineMs` and a quarter of a second. */
  resolve(question: Omit<NameQuestion, 'id'>, answer: NameAnswer): void;
  /** Ends the process. What is still asked for did not resolve. */
  close(): void;
}

interface NameResolverOptions {
  /** Never goes back, milliseconds. */
  readonly monotonicMs: () => number;
  /** One sentence for the operator. */
  readonly say: (sentence: string) => void;
  readonly start?: StartNameProcess;
}

const lookMs = 250;
/** Between two starts of the process. */
const startPauseMs = 1_000;
/** Without a name for so long, the process is ended, and its memory is given back. */
const idleMs = 300_000;

/** Starts no process before the first name. */
export function createNameResolver(options: NameResolverOptions): NameResolver {
  return new Resolver(options);
}

class Resolver implements NameResolver {
  readonly #options: NameResolverOptions;
  readonly #places = new NamePlaces();
  readonly #answers = new Map<number, NameAnswer>();
  #process: NameProcess | null = null;
  #startedAtMs = -Infinity;
  #usedAtMs = 0;
  #lastId = 0;
  #looking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: NameResolverOptions) {
    this.#options = options;
  }

  resolve({ organization, hostname }: Omit<NameQuestion, 'id'>, answer: NameAnswer): void {
    const id = this.#lastId += 1;
    if (this.#closed || !this.#places.ask({ id, organization, hostname }, this.#nowMs())) return answer(null);
    this.#answers.set(id, answer);
    this.#looking ??= setInterval(() => this.look(), lookMs).unref();
    this.#begin();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    for (const { id } of this.#places.giveUp()) this.#answer(id, null);
  }

  /** Answers what is late, and replaces the process if too much of it is. A timer calls it; public for tests. */
  look(): void {
    const nowMs = this.#nowMs();
    for (const { id } of this.#places.late(nowMs)) this.#answer(id, null);
    if (this.#process !== null && this.#places.mustReplace(nowMs)) {
      this.#options.say('Names of upstreams and webhooks take too long to resolve. The process that resolves them is replaced.');
      this.#process.kill();
      this.#lost();
    }
    if (this.#places.idle && nowMs - this.#usedAtMs >= idleMs) this.#stop();
    this.#begin();
  }

  #nowMs(): number {
    return this.#options.monotonicMs();
  }

  #answer(id: number, addresses: readonly LookupAddress[] | null): void {
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    answer?.(addresses);
  }

  /** Begins what has a place. */
  #begin(): void {
    if (this.#closed || this.#places.idle || !this.#isThere()) return;
    const nowMs = this.#nowMs();
    for (let next = this.#places.next(nowMs); next !== null; next = this.#places.next(nowMs)) {
      this.#usedAtMs = nowMs;
      this.#process!.ask(next.id, next.hostname);
    }
  }

  #isThere(): boolean {
    const nowMs = this.#nowMs();
    if (this.#process !== null) return true;
    if (nowMs - this.#startedAtMs < startPauseMs) return false;
    this.#startedAtMs = this.#usedAtMs = nowMs;
    const begun: { process: NameProcess | null } = { process: null };
    try {
      begun.process = this.#process = (this.#options.start ?? startNameProcess)({
        answered: (id, addresses) => {
          const wanted = this.#places.ended(id);
          if (wanted) this.#answer(id, addresses);
          this.#begin();
        },
        ended: (why) => {
          if (begun.process === null || this.#process !== begun.process) return;
          this.#options.say(`The process that resolves names of upstreams and webhooks is started again: ${why}.`);
          this.#lost();
        },
      });
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      this.#options.say(`The process that resolves names of upstreams and webhooks cannot be started (${code ?? name}).`);
    }
    return this.#process !== null;
  }

  #lost(): void {
    this.#process = null;
    for (const { id } of this.#places.replaced(this.#nowMs())) this.#answer(id, null);
    this.#begin();
  }

  #stop(): void {
    this.#process?.kill();
    this.#process = null;
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#looking = null;
  }
}
