/**
 * An answer at a path that suggests a dialect, without naming it for certain (`/v1/chat` is Cohere's, and Writer's): it is read in that dialect and
 * by its own form, and what reports usage counts. Decision 151.
 */
import type { Reading, UsageReader } from './reading.ts';

export class EitherReader implements UsageReader {
  readonly #suggested: UsageReader;
  readonly #byForm: UsageReader;

  constructor(suggested: UsageReader, byForm: UsageReader) {
    this.#suggested = suggested;
    this.#byForm = byForm;
  }

  get dialogueEnded(): boolean {
    return this.#suggested.dialogueEnded || this.#byForm.dialogueEnded;
  }

  push(chunk: Uint8Array): void {
    this.#suggested.push(chunk);
    this.#byForm.push(chunk);
  }

  finish(ending: 'whole' | 'cut'): Reading {
    const ended = this.dialogueEnded ? 'whole' : ending;
    const suggested = this.#suggested.finish(ended);
    const byForm = this.#byForm.finish(ended);
    return suggested.usage !== 'reported' && (byForm.usage === 'reported' || byForm.usage === 'partial') ? byForm : suggested;
  }
}
