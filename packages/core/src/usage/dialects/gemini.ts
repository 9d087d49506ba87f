/**
 * Google's own format, of the Gemini API and of Vertex: `usageMetadata`, cumulative in a stream, where the last one counts. A stream is one of
 * events or one JSON array. Thoughts are counted beside the candidates and are output; what tools read is counted beside the prompt and is input.
 */
import { watched, watchedEach, WatchedValue, type ElementTally } from '../../json/watched-value.ts';
import { forgetFindings, nothingFound, type Dialect } from '../dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage } from '../found-usage.ts';
import { tokenFigure, type TokenFigure } from '../token-figure.ts';
import { unitsOf } from '../units.ts';

export function createGeminiDialect(): Dialect {
  return new GeminiDialect();
}

/** Tokens of one kind of content in a list of such counts. */
class Modalities implements ElementTally {
  readonly #modality = watched();
  readonly #count = watched();
  readonly element = watched({ modality: this.#modality, tokenCount: this.#count });
  readonly place = watchedEach(this);
  #audio: TokenFigure = null;
  #image: TokenFigure = null;

  begin(): void {
    this.#audio = this.#image = null;
  }

  ended(): void {
    if (this.#modality.isString('AUDIO')) this.#audio = tokenFigure(this.#count);
    else if (this.#modality.isString('IMAGE')) this.#image = tokenFigure(this.#count);
  }

  read(): { readonly audio: TokenFigure; readonly image: TokenFigure } {
    return this.place.kind === 'array' ? { audio: this.#audio, image: this.#image } : { audio: null, image: null };
  }
}

/** One answer, or what one event or element of a stream carries of it. */
class AnswerPlaces {
  readonly model = watched();
  readonly finishReason = watched();
  readonly candidates = watched(null, watched({ finishReason: this.finishReason }));
  readonly #prompt = watched();
  readonly #cached = watched();
  readonly #tools = watched();
  readonly #output = watched();
  readonly #thoughts = watched();
  readonly #total = watched();
  readonly #promptKinds = new Modalities();
  readonly #outputKinds = new Modalities();
  readonly #cachedKinds = new Modalities();
  readonly #usage = watched({
    promptTokenCount: this.#prompt, cachedContentTokenCount: this.#cached, toolUsePromptTokenCount: this.#tools,
    candidatesTokenCount: this.#output, responseTokenCount: this.#output, thoughtsTokenCount: this.#thoughts, totalTokenCount: this.#total,
    promptTokensDetails: this.#promptKinds.place, candidatesTokensDetails: this.#outputKinds.place, cacheTokensDetails: this.#cachedKinds.place,
  });
  /** In place of candidates, of a prompt that was refused. */
  readonly #blockReason = watched();
  readonly fields = {
    modelVersion: this.model, candidates: this.candidates, usageMetadata: this.#usage, promptFeedback: watched({ blockReason: this.#blockReason }),
  };

  finish(): string | null {
    return providerName(this.finishReason.string()) ?? providerName(this.#blockReason.string());
  }


  /** Null if it reports none. */
  read(): FoundUsage | null {
    const { kind, complete } = this.#usage;
    if (!complete || kind === 'null') return null;
    if (kind !== 'object') return badUsage;
    const [into, out, kept] = [this.#promptKinds.read(), this.#outputKinds.read(), this.#cachedKinds.read()];
    const units = {
      imageInputTokens: into.image, imageOutputTokens: out.image, cachedAudioTokens: kept.audio, cachedImageTokens: kept.image,
    };
    if (Object.values(units).includes('not_a_figure')) return badUsage;
    return foundUsage({
      input: sum(tokenFigure(this.#prompt), tokenFigure(this.#tools)), output: sum(tokenFigure(this.#output), tokenFigure(this.#thoughts)),
      cached: tokenFigure(this.#cached), cacheWrite: null, cacheWriteOneHour: null, reasoning: tokenFigure(this.#thoughts),
      audioInput: into.audio, audioOutput: out.audio,
    }, null, tokenFigure(this.#total), {
      units: unitsOf(units as { readonly [Name in keyof typeof units]: number | null }),
      cachedSplit: kept.audio !== null || kept.image !== null,
    });
  }
}

/** Of two figures beside each other, of which either may be left out. */
function sum(one: TokenFigure, other: TokenFigure): TokenFigure {
  if (one === 'not_a_figure' || other === 'not_a_figure') return 'not_a_figure';
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}

class GeminiDialect implements Dialect, ElementTally {
  readonly findings = nothingFound(true);
  readonly endsWithDone = false;
  readonly keepsPartial = true;
  readonly #whole = new AnswerPlaces();
  readonly #part = new AnswerPlaces();
  readonly element = watched(this.#part.fields);
  readonly event = watched(this.#whole.fields);
  readonly body = new WatchedValue(this.#whole.fields, null, this);

  begin(): void {}

  /** An element of a stream that is one array. */
  ended(): void {
    this.#take(this.#part);
  }

  takeBody(): void {
    if (this.body.kind !== 'object') return;
    this.#take(this.#whole);
    this.findings.usageFinal = true;
  }

  takeEvent(): void {
    this.#take(this.#whole);
  }

  endsDialogue(): boolean {
    return false;
  }

  clear(): void {
    forgetFindings(this.findings);
    this.event.forget();
    this.body.forget();
  }

  #take(places: AnswerPlaces): void {
    const { findings } = this;
    findings.model = providerName(places.model.string()) ?? findings.model;
    findings.finishReason = places.finish() ?? findings.finishReason;
    if (places.candidates.kind === 'array') findings.metered = true;
    if (findings.usage?.kind === 'not_a_figure') return;
    findings.usage = places.read() ?? findings.usage;
    findings.usageFinal = findings.usage !== null && findings.finishReason !== null;
  }
}
