/**
 * Google's own format, of the Gemini API and of Vertex: `usageMetadata`, cumulative in a stream, where the last one counts. A stream is one of
 * events or one JSON array. Searches are known by `groundingMetadata` alone, without a count of what is billed (`Grounding`).
 */
import { watched, watchedEach, WatchedValue, type ElementTally } from '../../json/watched-value.ts';
import { nothingFound, type Dialect } from '../dialect.ts';
import { providerName, type FoundUsage } from '../found-usage.ts';
import type { ToolCalls } from '../reading.ts';
import { GeminiUsage } from './gemini-usage.ts';

export function createGeminiDialect(): Dialect {
  return new GeminiDialect();
}

/** The distinct texts of a list. */
class Texts implements ElementTally {
  readonly element = watched();
  readonly place = watchedEach(this);
  readonly found = new Set<string>();

  begin(): void {}

  ended(): void {
    const text = this.element.string();
    if (text !== null && text !== '' && this.found.size < textsMax) this.found.add(text);
  }
}

const textsMax = 256;

/** Where an answer is from: pieces of a map, or of documents that were searched. */
class Chunks implements ElementTally {
  readonly #map = watched();
  readonly #retrieved = watched();
  readonly element = watched({ maps: this.#map, retrievedContext: this.#retrieved });
  readonly place = watchedEach(this);
  hasMap = false;
  hasDocument = false;

  begin(): void {}

  ended(): void {
    if (this.#map.kind === 'object') this.hasMap = true;
    if (this.#retrieved.kind === 'object') this.hasDocument = true;
  }
}

/**
 * `groundingMetadata`: what was searched for an answer. Each different query has a fee; of models before Gemini 3 the prompt has one, however
 * many queries it took. Maps and documents have one for the prompt.
 */
class Grounding {
  readonly #queries = new Texts();
  readonly #imageQueries = new Texts();
  readonly #chunks = new Chunks();
  readonly place = watched({
    webSearchQueries: this.#queries.place, imageSearchQueries: this.#imageQueries.place, groundingChunks: this.#chunks.place,
  });

  clear(): void {
    this.#queries.found.clear();
    this.#imageQueries.found.clear();
    this.#chunks.hasMap = this.#chunks.hasDocument = false;
  }

  /** For a stream: the calls in everything that came so far. Null: nothing was searched. */
  calls(model: string | null): ToolCalls | null {
    const queries = this.#queries.found.size + this.#imageQueries.found.size;
    const webSearch = paidSearches(model, queries);
    const fileSearch = this.#chunks.hasDocument ? 1 : 0;
    return webSearch + fileSearch === 0 ? null : { webSearch, webFetch: 0, fileSearch, codeInterpreter: 0 };
  }

  get maps(): number {
    return this.#chunks.hasMap ? 1 : 0;
  }
}

/** Of models before Gemini 3 a prompt has one fee, however many queries it took. */
export function paidSearches(model: string | null, queries: number): number {
  return model !== null && /gemini-[12](?:\.\d)?-/.test(model) ? Math.min(queries, 1) : queries;
}

/** One answer, or what one event or element of a stream carries of it. */
class AnswerPlaces {
  readonly model = watched();
  readonly finishReason = watched();
  readonly grounding = new Grounding();
  readonly candidates = watched(null, watched({ finishReason: this.finishReason, groundingMetadata: this.grounding.place }));
  readonly #tier = watched();
  readonly #traffic = watched();
  readonly #usage = new GeminiUsage(['tokenCount', { audio: 'AUDIO', image: 'IMAGE' }], (figures) => ({
    promptTokenCount: figures.input, cachedContentTokenCount: figures.cached, toolUsePromptTokenCount: figures.tools,
    candidatesTokenCount: figures.output, responseTokenCount: figures.output, thoughtsTokenCount: figures.thoughts, totalTokenCount: figures.total,
    promptTokensDetails: figures.inputKinds.place, toolUsePromptTokensDetails: figures.toolKinds.place,
    candidatesTokensDetails: figures.outputKinds.place, cacheTokensDetails: figures.cachedKinds.place,
    serviceTier: this.#tier, trafficType: this.#traffic,
  }));
  /** In place of candidates, of a prompt that was refused. */
  readonly #blockReason = watched();
  readonly fields = {
    modelVersion: this.model, candidates: this.candidates, usageMetadata: this.#usage.place,
    promptFeedback: watched({ blockReason: this.#blockReason }),
  };

  finish(): string | null {
    return providerName(this.finishReason.string()) ?? providerName(this.#blockReason.string());
  }

  /** The tier, on Vertex the kind of traffic. */
  servedAs(): string | null {
    return providerName(this.#tier.string()) ?? providerName(this.#traffic.string());
  }

  /** Null if it reports none. */
  read(): FoundUsage | null {
    return this.#usage.read(this.grounding.maps);
  }
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
    for (const places of [this.#whole, this.#part]) places.grounding.clear();
  }

  #take(places: AnswerPlaces): void {
    const { findings } = this;
    findings.model = providerName(places.model.string()) ?? findings.model;
    findings.finishReason = places.finish() ?? findings.finishReason;
    findings.serviceTier = places.servedAs() ?? findings.serviceTier;
    findings.toolCalls = places.grounding.calls(findings.model);
    if (places.candidates.kind === 'array') findings.metered = true;
    if (findings.usage?.kind === 'not_a_figure') return;
    findings.usage = places.read() ?? findings.usage;
    findings.usageFinal = findings.usage !== null && findings.finishReason !== null;
  }
}
