/**
 * What a held body says, read as it comes: whether the option goes in (spec: Endpoints rules 1 and 2), the model that the record names (rule 6d),
 * and what may refuse the call: work that is done later or hides its usage (rule 6c) and the models that it asks for (rule 6g). Each
 * reader is there only where its answer is wanted.
 */
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import { createStreamFlagScanner, type IncludeUsageDecision, type StreamFlagScanner } from '@metergate/core/call/include-usage.ts';
import { LaterScanner } from '@metergate/core/usage/later-scanner.ts';
import { StreamUsageScanner } from '@metergate/core/usage/stream-usage-scanner.ts';
import type { AskedOfBody } from '@metergate/core/usage/unmetered.ts';
import { createBodyModelReader, type BodyModelReader } from './body-models.ts';
import type { BodyReception } from './body-reception.ts';
import { createModelWatch, modelName, type ModelWatch } from './requested-model.ts';

export interface ReadOfBody extends AskedOfBody {
  /** Of a chat body. */
  readonly verdict: IncludeUsageDecision | undefined;
  readonly model: string | null;
  readonly modelsAsked: BodyModels;
}

export class BodyReading {
  /** Reads a chat body. Any other has a `#watch`. */
  #scanner: StreamFlagScanner | null;
  #watch: ModelWatch | null;
  #later: LaterScanner | null;
  #hidden: StreamUsageScanner | null;
  #models: BodyModelReader | null;

  constructor({ request: { rawHeaders }, route, readsLater, readsHidden, readsModels }: BodyReception) {
    this.#scanner = route.bodyHeld ? createStreamFlagScanner() : null;
    this.#watch = route.bodyHeld ? null : createModelWatch(rawHeaders);
    this.#later = readsLater === null ? null : new LaterScanner(readsLater);
    this.#hidden = readsHidden ? new StreamUsageScanner() : null;
    this.#models = readsModels ? createBodyModelReader(rawHeaders) : null;
  }

  /** The next bytes, cut anywhere. */
  push(chunk: Buffer): void {
    this.#scanner?.push(chunk);
    this.#watch?.push(chunk);
    this.#later?.push(chunk);
    this.#hidden?.push(chunk);
    this.#models?.push(chunk);
  }

  /** What it says, if it ends here. `pieces`: all of it, cut anywhere. */
  result(pieces: readonly Buffer[]): ReadOfBody {
    const verdict = this.#scanner?.result();
    return {
      verdict,
      model: this.#watch === null ? modelName(this.#scanner?.model ?? null) : this.#watch.model(),
      asksLater: this.#later?.result() ?? 'unread',
      // The option that goes in asks for the usage.
      hidesUsage: verdict?.kind === 'insert' ? 'no' : this.#hidden?.result() ?? 'unread',
      modelsAsked: this.#models?.result(pieces) ?? 'unread',
    };
  }

  /** Gives its readers back for the next body, and lets go of the others. It must not be used afterwards. */
  release(): void {
    this.#scanner?.release();
    this.#scanner = null;
    this.#watch?.release();
    this.#watch = null;
    this.#later = null;
    this.#hidden = null;
    this.#models = null;
  }
}
