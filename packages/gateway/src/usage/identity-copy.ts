/**
 * The copy of a response without content coding: the bytes go to the reader as they pass, nothing is kept, nothing waits.
 */
import type { Reading } from '@metergate/core/usage/reading.ts';
import type { CopyReader } from './copy-reader.ts';
import type { GuardedReader } from './guarded-reader.ts';

export class IdentityCopy implements CopyReader {
  readonly readsAtOnce = true;
  readonly #reader: GuardedReader;
  #finished = false;

  constructor(reader: GuardedReader) {
    this.#reader = reader;
  }

  get dialogueEnded(): boolean {
    return this.#reader.dialogueEnded;
  }

  push(chunk: Buffer): void {
    if (!this.#finished) this.#reader.push(chunk);
  }

  drop(): void {
    this.#finished = true;
  }

  /** A second call is ignored. */
  finish(ending: 'whole' | 'cut', _waitMs: number, done: (reading: Reading) => void): void {
    if (this.#finished) return;
    this.#finished = true;
    done(this.#reader.finish(ending));
  }
}
