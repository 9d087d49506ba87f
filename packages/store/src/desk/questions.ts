/**
 * Questions of the gateway thread to the store thread, each with a deadline. An answer that comes after it is still listened for, where the
 * asker wants that: a store far away answers late every time, and what it says is as good for whoever asks next.
 */
import type { ToStore } from './protocol.ts';

/** The store did not answer, or said that it cannot. */
export class StoreAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreAway';
  }
}

export interface QuestionsOptions {
  readonly send: (message: ToStore) => void;
  /** Runs `task` once after `delayMs`, unless cancelled by what it returns. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  readonly deadlineMs: number;
}

export interface Asking<Answer> {
  /** Whose question it is: that of an organization, or of all who are not known yet. */
  readonly asker: string;
  /** Replaces the general deadline. */
  readonly withinMs?: number;
  /** Gets an answer that comes within five seconds after it. */
  readonly late?: ((answer: Answer) => void) | undefined;
}

/**
 * Questions under way at once. One asker has as many as are left for others: half of them where it asks alone. A further one is rejected. Only
 * what is not held is asked for, one question per key or run.
 */
const questionsMax = 4_000;
/** How long after the deadline an answer is still listened for. */
const lateMs = 5_000;
const lateMax = 2_000;

interface Question {
  /** Of what was asked for. */
  readonly resolve: (answer: never) => void;
  readonly reject: (error: StoreAway) => void;
  readonly cancel: () => void;
  readonly asker: string;
}

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #asked = new Map<number, Question>();
  /** Of each asker that has any under way. */
  readonly #counts = new Map<string, number>();
  /** Questions that were already rejected because the store was late. */
  readonly #late = new Map<number, (answer: never) => void>();
  #number = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** `question` makes the message with its number. @throws StoreAway */
  ask<Answer>(question: (number: number) => ToStore, { asker, withinMs = this.#options.deadlineMs, late }: Asking<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const count = this.#counts.get(asker) ?? 0;
      if (count >= questionsMax - this.#asked.size) return reject(new StoreAway('Too many requests are waiting for the store.'));
      const number = this.#number += 1;
      const cancel = this.#options.after(withinMs, () => this.#settle(number, () => {
        if (late !== undefined) this.#listen(number, late);
        reject(new StoreAway(`The store did not answer within ${withinMs} ms.`));
      }));
      this.#asked.set(number, { resolve, reject, cancel, asker });
      this.#counts.set(asker, count + 1);
      this.#options.send(question(number));
    });
  }

  answered(number: number, answer: unknown): void {
    const late = this.#late.get(number);
    if (late !== undefined && this.#late.delete(number)) late(answer as never);
    this.#settle(number, ({ resolve }) => resolve(answer as never));
  }

  failed(number: number): void {
    this.#settle(number, ({ reject }) => reject(new StoreAway('The store cannot be reached.')));
  }

  #settle(number: number, how: (question: Question) => void): void {
    const question = this.#asked.get(number);
    if (question === undefined) return;
    this.#asked.delete(number);
    const { asker } = question;
    const left = this.#counts.get(asker)! - 1;
    if (left > 0) this.#counts.set(asker, left);
    else this.#counts.delete(asker);
    question.cancel();
    how(question);
  }

  #listen<Answer>(number: number, late: (answer: Answer) => void): void {
    if (this.#late.size >= lateMax) return;
    this.#late.set(number, late);
    this.#options.after(lateMs, () => void this.#late.delete(number));
  }
}
