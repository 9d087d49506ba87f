/**
 * A usage reader that cannot harm the call it watches: whatever it throws becomes a reading with usage `unknown` and
 * `reader_fault`, and it is not asked again.
 */
import { usageUnknown, type Reading, type UsageReader, type UsageReason } from '@metergate/core/usage/reading.ts';

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

const readerFault: Reading = Object.freeze(usageUnknown('reader_fault'));

/**
 * Says why a copy that was not read to its end has no usage. What was reported before stays reported; a running figure is kept
 * only if the answer itself was cut: an answer that ended whole had more to say, and we did not read it. Only an answer that was read
 * can show that no usage is due.
 */
export function withReason(reading: Reading, reason: UsageReason, ending: 'whole' | 'cut'): Reading {
  if (reading.usageReason === 'reader_fault' || reading.usage === 'reported') return reading;
  if (reading.usage === 'unknown' || (reading.usage === 'partial' && ending === 'cut')) return { ...reading, usageReason: reason };
  const { model, finishReason, serviceTier } = reading;
  return { ...usageUnknown(reason), model, finishReason, serviceTier };
}
