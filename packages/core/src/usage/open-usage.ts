/** A `usage` object of an answer whose API its path does not name: the figures of any wire, by the words it uses. */
import { watched, watchedWhenMet, type WatchedValue } from '../json/watched-value.ts';
import type { Findings } from './dialect.ts';
import { badUsage, type RawFigures } from './found-usage.ts';
import { MessageUsage } from './message-usage.ts';
import type { FurtherUsage, ToolCalls } from './reading.ts';
import { CostPlaces } from './reported-cost.ts';
import { SellerTools } from './seller-tools.ts';
import { tokenFigure, type TokenFigure } from './token-figure.ts';
import { UnitPlaces, type ReadUnits } from './unit-places.ts';

/** The values of one such object. */
interface OpenFigures {
  readonly figures: RawFigures;
  readonly cost: string | null;
  readonly read: ReadUnits;
  /** Of input and output together, as reported; null if it may count what comes on top of them. */
  readonly total: TokenFigure;
  /** Words of the second wire: cached and written tokens come on top of the input. */
  readonly onTop: boolean;
}

/**
 * The usage object as providers with OpenAI's format report it: its watched place and its value. What it holds is watched once the object is met
 * (decision 0306).
 */
export class OpenUsage {
  readonly place: WatchedValue;
  #members: OpenMembers | null = null;

  /** `readsCost`: the destination is a declared upstream. */
  constructor(readsCost: boolean) {
    this.place = watchedWhenMet(() => (this.#members = new OpenMembers(readsCost)).fields);
  }

  /** Calls of the seller's own tools that the usage counts; null if it counts none. */
  toolCalls(): ToolCalls | null {
    return this.#members === null ? null : this.#members.tools.read();
  }

  /** Tokens that are charged beside these figures; null if none are reported. */
  further(): readonly FurtherUsage[] | null {
    return this.#members === null ? null : this.#members.tools.further();
  }

  /** Lays what stands beside the figures over what stood there before. False if a count of tools is not a figure. */
  takeBeside(findings: Findings): boolean {
    return this.#members === null || this.#members.message.takeBeside(findings);
  }

  /** Null if there is none (yet); `badUsage` if something else is in its place. */
  read(): OpenFigures | typeof badUsage | null {
    const { place } = this;
    if (!place.complete || place.kind === 'null') return null;
    return this.#members === null || place.kind !== 'object' ? badUsage : this.#members.read();
  }
}

/** Where each figure stands in it. */
class OpenMembers {
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #audioInput = watched();
  readonly #reasoning = watched();
  readonly #audioOutput = watched();
  readonly #total = watched();
  readonly #costParts = new CostPlaces();
  readonly #units = new UnitPlaces();
  readonly #longLived = watched();
  readonly #inputDetails = watched({
    cached_tokens: this.#cached, cache_write_tokens: this.#cacheWrite, audio_tokens: this.#audioInput,
    ...this.#units.inputFields,
    cache_write_tokens_details: watched({ ttl_12h_tokens: this.#longLived }),
  });
  readonly #outputDetails = watched({ reasoning_tokens: this.#reasoning, audio_tokens: this.#audioOutput, ...this.#units.outputFields });
  readonly tools = new SellerTools();
  /** Its own places are members of this one. */
  readonly message = new MessageUsage(false);
  readonly fields = {
    prompt_tokens: this.#input, completion_tokens: this.#output, output_tokens: this.#output,
    prompt_tokens_details: this.#inputDetails, prompt_token_details: this.#inputDetails,
    input_tokens_details: this.#inputDetails, input_token_details: this.#inputDetails,
    completion_tokens_details: this.#outputDetails, output_tokens_details: this.#outputDetails, output_token_details: this.#outputDetails,
    total_tokens: this.#total, ...this.#costParts.fields, ...this.#units.fields, ...this.tools.fields,
    ...this.message.fieldsBeside,
  };
  readonly #readsCost: boolean;

  constructor(readsCost: boolean) {
    this.#readsCost = readsCost;
  }

  read(): OpenFigures {
    const message = this.message.figures();
    const figures = {
      input: tokenFigure(this.#input) ?? message.input,
      output: tokenFigure(this.#output),
      cached: tokenFigure(this.#cached) ?? message.cached,
      cacheWrite: tokenFigure(this.#cacheWrite) ?? message.cacheWrite,
      cacheWriteOneHour: tokenFigure(this.#longLived) ?? message.cacheWriteOneHour,
      reasoning: tokenFigure(this.#reasoning),
      audioInput: tokenFigure(this.#audioInput),
      audioOutput: tokenFigure(this.#audioOutput),
    };
    const onTop = message.cached !== null || message.cacheWrite !== null;
    const cost = this.#readsCost ? this.#costParts.read() : null;
    return { figures, cost, read: this.#units.read(), total: onTop ? null : tokenFigure(this.#total), onTop };
  }
}
