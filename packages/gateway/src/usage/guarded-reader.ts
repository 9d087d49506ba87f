/**
 * A usage reader that cannot harm the call it watches: whatever it throws becomes a reading with usage `unknown` and
 * `reader_fault`, and it is not asked again.
 */
import { noTokens, type Reading, type UsageReader, type UsageReason } from '@metergate/core/usage/reading.ts';

export class GuardedReader {
  /** Null once it broke or was finished: a finished reader may be reading another response. */
  #reader: UsageReader | null;
  #broken = false;
  #dialogueEnded = false;

  /** `create` is called once, here. */
  constructor(create: () => UsageReader) {
    let reader: UsageReader | null = null;
    try {
      reader = create();
    } catch {
      this.#broken = true;
    }
    this.#reader = reader;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader === null) return;
    try {
      this.#reader.push(chunk);
      this.#dialogueEnded = this.#reader.dialogueEnded;
    } catch {
      this.#reader = null;
      this.#broken = true;
    }
  }

  get dialogueEnded(): boolean {
    return this.#dialogueEnded;
  }

  finish(ending: 'whole' | 'cut'): Reading {
    const reader = this.#reader;
    this.#reader = null;
    if (this.#broken || reader === null) return readerFault;
    try {
      return reader.finish(ending);
    } catch {
      return readerFault;
    }
  }
}

const readerFault: Reading = Object.freeze({
  model: null, finishReason: null, usage: 'unknown', usageReason: 'reader_fault', tokens: noTokens, reportedCost: null,
});

/** Says why a copy that was not read to its end has no usage, or only a part. What was reported before stays reported. */
export function withReason(reading: Reading, reason: UsageReason): Reading {
  if (reading.usageReason === 'reader_fault' || (reading.usage !== 'unknown' && reading.usage !== 'partial')) return reading;
  return { ...reading, usageReason: reason };
}
