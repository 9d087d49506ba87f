/** Answers about runs that came too late for their callers: each is kept for a moment, for a caller that asks again soon. */
import type { FoundRun, RunAnswer } from '@metergate/store/runs/make-runs.ts';
import type { Clock } from '../clock/clock.ts';

/** How many late answers are kept, and for how long: a refused caller asks again after a second. */
const lateMax = 1_000;
const lateKeptMs = 5_000;

export class LateAnswers {
  readonly #clock: Clock;
  /** By `runQuestion`; oldest first. */
  readonly #answers = new Map<string, { readonly answer: FoundRun; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(question: string, answer: RunAnswer): void {
    if (answer.kind !== 'run') return;
    this.#answers.delete(question);
    if (this.#answers.size >= lateMax) this.#answers.delete(this.#answers.keys().next().value!);
    this.#answers.set(question, { answer, atMs: this.#clock.monotonicMs() });
  }

  /** Null: there is none, or the run may have changed since. */
  take(question: string): FoundRun | null {
    if (this.#answers.size === 0) return null;
    const late = this.#answers.get(question);
    this.#answers.delete(question);
    return late === undefined || this.#clock.monotonicMs() - late.atMs > lateKeptMs ? null : late.answer;
  }

  /** The run has changed elsewhere since. */
  drop(organization: string, id: string): void {
    for (const mayCreate of [true, false]) this.#answers.delete(runQuestion(organization, id, mayCreate));
  }
}

/** The name of a question about a run. `mayCreate`: the store may make the run. */
export function runQuestion(organization: string, id: string, mayCreate: boolean): string {
  return `${organization} ${id}${mayCreate ? '' : ' found'}`;
}
