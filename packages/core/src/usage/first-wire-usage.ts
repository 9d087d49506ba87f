/**
 * The `usage` object of the first wire, which its APIs spell in two ways: chat completions, completions and embeddings count
 * `prompt` and `completion` tokens, the Responses API `input` and `output` tokens. Declared upstreams may add a cost.
 */
import { watched, watchedWhenMet, type WatchedMembers, type WatchedValue } from '../json/watched-value.ts';
import { badUsage, foundUsage, type FoundUsage } from './found-usage.ts';
import type { FurtherUsage, ToolCalls } from './reading.ts';
import { CostPlaces } from './reported-cost.ts';
import { SellerTools } from './seller-tools.ts';
import { tokenFigure } from './token-figure.ts';
import { UnitPlaces } from './unit-places.ts';

/** An API's words for input and output. */
type UsageSpelling = readonly [input: 'prompt' | 'input', output: 'completion' | 'output'];

/**
 * `readsCost`: the destination is a declared upstream. `totalIsInput`: the operation has no output, and some sellers (Voyage) count its input
 * under `total_tokens` alone.
 */
export interface UsagePlaces {
  readonly readsCost: boolean;
  readonly totalIsInput?: boolean;
}

/**
 * One `usage` object: its watched place and its value. What it holds is watched once the object is met: a reader has several such places, an
 * answer one such object, and hundreds of readers are made when as many answers come at once (decision 0306).
 */
export class FirstWireUsage {
  readonly place: WatchedValue;
  #members: UsageMembers | null = null;

  constructor(spelling: UsageSpelling, places: UsagePlaces) {
    this.place = watchedWhenMet(() => (this.#members = new UsageMembers(spelling, places)).fields);
  }

  /** Calls of the seller's own tools that the usage counts; null if it counts none. */
  toolCalls(): ToolCalls | null {
    return this.#members === null ? null : this.#members.tools.read();
  }

  /** Tokens that are charged beside these figures; null if none are reported. */
  further(): readonly FurtherUsage[] | null {
    return this.#members === null ? null : this.#members.tools.further();
  }

  /** Null if none is reported (yet); `badUsage` if something else is in its place. */
  read(): FoundUsage | null {
    if (!this.place.complete || this.place.kind === 'null') return null;
    return this.#members === null || this.place.kind !== 'object' ? badUsage : this.#members.read();
  }
}

class UsageMembers {
  readonly tools = new SellerTools();
  readonly fields: WatchedMembers;
  readonly #readsCost: boolean;
  readonly #totalIsInput: boolean;
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #longLived = watched();
  readonly #audioInput = watched();
  readonly #reasoning = watched();
  readonly #audioOutput = watched();
  readonly #total = watched();
  readonly #costParts = new CostPlaces();
  readonly #cacheHit = watched();
  readonly #units = new UnitPlaces();

  constructor([input, output]: UsageSpelling, { readsCost, totalIsInput = false }: UsagePlaces) {
    this.#readsCost = readsCost;
    this.#totalIsInput = totalIsInput && readsCost;
    this.fields = {
      [`${input}_tokens`]: this.#input,
      [`${output}_tokens`]: this.#output,
      [`${input}_tokens_details`]: watched({
        cached_tokens: this.#cached, cache_write_tokens: this.#cacheWrite, audio_tokens: this.#audioInput,
        ...this.#units.inputFields, cache_write_tokens_details: watched({ ttl_12h_tokens: this.#longLived }),
      }),
      [`${output}_tokens_details`]: watched({ reasoning_tokens: this.#reasoning, audio_tokens: this.#audioOutput, ...this.#units.outputFields }),
      total_tokens: this.#total,
      ...(readsCost ? {
        ...this.#costParts.fields, ...this.#units.fields, prompt_cache_hit_tokens: this.#cacheHit, ...this.tools.fields,
      } : {}),
    };
  }

  read(): FoundUsage | null {
    const total = tokenFigure(this.#total);
    const figures = {
      input: tokenFigure(this.#input) ?? (this.#totalIsInput ? total : null),
      output: tokenFigure(this.#output),
      cached: tokenFigure(this.#cached) ?? tokenFigure(this.#cacheHit),
      cacheWrite: tokenFigure(this.#cacheWrite),
      cacheWriteOneHour: tokenFigure(this.#longLived),
      reasoning: tokenFigure(this.#reasoning),
      audioInput: tokenFigure(this.#audioInput),
      audioOutput: tokenFigure(this.#audioOutput),
    };
    return foundUsage(figures, this.#readsCost ? this.#costParts.read() : null, total, this.#units.read());
  }
}
