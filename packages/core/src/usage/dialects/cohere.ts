/**
 * Cohere's own format, both versions: what is billed is in `billed_units`, beside what the model was given; embeddings bill images too. Streams
 * report it in their last event, in `delta` or in `response`. No answer names its model.
 */
import { watched } from '../../json/watched-value.ts';
import { nothingFound, type Dialect } from '../dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage } from '../found-usage.ts';
import { noTokens } from '../reading.ts';
import { tokenFigure } from '../token-figure.ts';
import { unitsOf } from '../units.ts';

export function createCohereDialect(): Dialect {
  return new CohereDialect();
}

class Counts {
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #imageTokens = watched();
  readonly #images = watched();
  readonly #billed = watched({
    input_tokens: this.#input, output_tokens: this.#output, image_tokens: this.#imageTokens, images: this.#images,
  });
  readonly place = watched({ billed_units: this.#billed, cached_tokens: this.#cached });

  /** Null if nothing is billed by tokens here. */
  read(): FoundUsage | null {
    const billed = this.#billed;
    if (!billed.complete || billed.kind === 'null') return null;
    if (billed.kind !== 'object') return badUsage;
    const [text, image, images] = [tokenFigure(this.#input), tokenFigure(this.#imageTokens), tokenFigure(this.#images)];
    if (image === 'not_a_figure' || images === 'not_a_figure' || text === 'not_a_figure') return badUsage;
    return foundUsage({
      ...noTokens, input: text === null && image === null ? null : (text ?? 0) + (image ?? 0), output: tokenFigure(this.#output),
      cached: tokenFigure(this.#cached),
    }, null, null, { units: unitsOf({ imageInputTokens: image, images }), cachedSplit: false });
  }
}

class AnswerPlaces {
  readonly #present = new Counts();
  readonly #former = new Counts();
  readonly finishReason = watched();
  readonly fields = { finish_reason: this.finishReason, usage: this.#present.place, meta: this.#former.place };

  read(): FoundUsage | null {
    return this.#present.read() ?? this.#former.read();
  }
}

class CohereDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = true;
  readonly keepsPartial = false;
  readonly #whole = new AnswerPlaces();
  readonly #part = new AnswerPlaces();
  readonly #message = watched();
  readonly #type = watched();
  readonly body = watched({ ...this.#whole.fields, message: this.#message, text: this.#message });
  readonly event = watched({ type: this.#type, delta: watched(this.#part.fields), response: watched(this.#part.fields) });

  takeBody(): void {
    this.findings.metered = this.#message.kind !== 'absent';
    this.#take(this.#whole);
  }

  takeEvent(): void {
    this.findings.metered = true;
    this.#take(this.#part);
  }

  endsDialogue(): boolean {
    return this.#type.isString('message-end');
  }

  #take(places: AnswerPlaces): void {
    const { findings } = this;
    findings.finishReason = providerName(places.finishReason.string()) ?? findings.finishReason;
    const usage = places.read();
    if (usage === null) return;
    findings.usage = usage;
    findings.usageFinal = true;
  }
}
