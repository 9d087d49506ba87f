/**
 * `usage.iterations` of the second wire → what the figures beside it leave out: the work of another model (an advisor), and the
 * compaction of the context. Iterations of the message itself are in those figures already, also that of a fallback model that answered in its
 * place; what the turn of the model that declined costs beside it is not reported.
 */
import { watched, watchedEach, type ElementTally } from '../json/watched-value.ts';
import { foundUsage, providerName } from './found-usage.ts';
import { nothingFurther, type FurtherUsage } from './reading.ts';
import { tokenFigure } from './token-figure.ts';

/** More than any message has; if there are more, the usage counts as not readable. */
const iterationsMax = 64;
const unreadable: FurtherUsage = Object.freeze({ model: null, tokens: null });

/** Usage of the turns that a provider made within one call, each at the price of its own model. */
export class Iterations implements ElementTally {
  readonly #type = watched();
  readonly #model = watched();
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #cacheWriteOneHour = watched();
  readonly element = watched({
    type: this.#type, model: this.#model, input_tokens: this.#input, output_tokens: this.#output,
    cache_read_input_tokens: this.#cached, cache_creation_input_tokens: this.#cacheWrite,
    cache_creation: watched({ ephemeral_1h_input_tokens: this.#cacheWriteOneHour }),
  });
  readonly place = watchedEach(this);
  #found: FurtherUsage[] = [];

  begin(): void {
    if (this.#found.length > 0) this.#found = [];
  }

  ended(): void {
    if (this.#type.isString('message') || this.#found.length > iterationsMax) return;
    if (this.#type.isString('fallback_message')) {
      this.#found.push(unreadable);
      return;
    }
    const model = providerName(this.#model.string());
    if (model === null && !this.#type.isString('compaction')) return;
    this.#found.push(this.#found.length === iterationsMax ? unreadable : this.#readElement(model));
  }

  /** Null if nothing was reported (yet). */
  read(): readonly FurtherUsage[] | null {
    if (this.place.kind !== 'array' || !this.place.complete) return null;
    return this.#found.length === 0 ? nothingFurther : this.#found;
  }

  #readElement(model: string | null): FurtherUsage {
    const cacheWrite = tokenFigure(this.#cacheWrite);
    const oneHour = tokenFigure(this.#cacheWriteOneHour);
    const usage = foundUsage({
      input: tokenFigure(this.#input), output: tokenFigure(this.#output), cached: tokenFigure(this.#cached),
      cacheWrite, cacheWriteOneHour: oneHour, reasoning: null, audioInput: null, audioOutput: null,
    }, null);
    return { model, tokens: usage?.kind === 'figures' && usage.hasInput && usage.hasOutput ? usage.tokens : null };
  }
}
