/**
 * Questions of the gateway thread to the store thread, each with a deadline. An asker can also ask for an answer that comes after the deadline:
 * a distant store always answers late, and its answer still serves whoever asks next.
 */
import type { ToStore } from './protocol.ts';

/** The store did not answer, or reported that it cannot. */
export class StoreAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreAway';
  }
}

interface QuestionsOptions {
  readonly send: (message: ToStore) => void;
  /** Runs `task` once after `delayMs`, unless the returned function cancels it. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  readonly deadlineMs: number;
}

interface Asking<Answer> {
  /** Who asks: an organization, or all callers that are not known yet. */
  readonly asker: string;
  /** Replaces the general deadline. */
  readonly withinMs?: number;
  /** Gets an answer that comes up to five seconds after the deadline. */
  readonly late?: ((answer: Answer) => void) | undefined;
}

/**
 * The most questions under way at once. An asker may have as many as remain for others: half of them if it alone asks. One more is rejected. The
 * node asks only for what it does not hold, with one question per key or run.
 */
const questionsMax = 4_000;
/** How long after the deadline an answer is still accepted. */
const lateMs = 5_000;
const lateMax = 2_000;

interface Question {
  /** Gets the answer; its type is that of the question. */
  readonly resolve: (answer: never) => void;
  readonly reject: (error: StoreAway) => void;
  readonly cancel: () => void;
  readonly asker: string;
}

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #asked = new Map<number, Question>();
  /** By asker; only askers with questions under way. */
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
