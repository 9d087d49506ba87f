/** One `usage` object of the second wire: its watched place and its value. */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import type { Findings } from './dialect.ts';
import { badUsage, providerName, type FoundUsage } from './found-usage.ts';
import { Iterations } from './iterations.ts';
import { unreadFurther, type TokenFigures } from './reading.ts';
import { CostPlaces } from './reported-cost.ts';
import { tokenFigure, type TokenFigure } from './token-figure.ts';

/** The figures that this wire reports. */
export type MessageFigures = { [Name in Exclude<keyof TokenFigures, 'reasoning' | 'audioInput' | 'audioOutput'>]: TokenFigure };

/** The usage object of the messages format, and where each figure stands in it. */
export class MessageUsage {
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #cacheWriteOneHour = watched();
  readonly #webSearch = watched();
  readonly #webFetch = watched();
  readonly #serviceTier = watched();
  readonly #speed = watched();
  readonly #region = watched();
  readonly #credit = watched();
  readonly #iterations = new Iterations();
  /** The places of all its members but the output. */
  readonly fieldsBeside = {
    input_tokens: this.#input,
    cache_read_input_tokens: this.#cached,
    cache_creation_input_tokens: this.#cacheWrite,
    cache_creation: watched({ ephemeral_1h_input_tokens: this.#cacheWriteOneHour }),
    server_tool_use: watched({ web_search_requests: this.#webSearch, web_fetch_requests: this.#webFetch }),
    service_tier: this.#serviceTier,
    speed: this.#speed,
    inference_geo: this.#region,
    fallback_credit: watched({ status: watched({ type: this.#credit }) }),
    iterations: this.#iterations.place,
  };
  readonly #costParts: CostPlaces | null;
  readonly place: WatchedValue;

  /** `readsCost`: the destination is a declared upstream. */
  constructor(readsCost: boolean) {
    this.#costParts = readsCost ? new CostPlaces() : null;
    this.place = watched({ output_tokens: this.#output, ...this.fieldsBeside, ...this.#costParts?.fields });
  }

  /** The cost that the destination reported, as text; null: none. */
  cost(): string | null {
    return this.#costParts?.read() ?? null;
  }

  /** The figures, null if there is no usage object yet, `badUsage` if something else is in its place. */
  read(): MessageFigures | FoundUsage | null {
    if (!this.place.complete || this.place.kind === 'null') return null;
    return this.place.kind === 'object' ? this.figures() : badUsage;
  }

  /** The figures as reported, each null if it is missing. */
  figures(): MessageFigures {
    return {
      input: tokenFigure(this.#input),
      output: tokenFigure(this.#output),
      cached: tokenFigure(this.#cached),
      cacheWrite: tokenFigure(this.#cacheWrite),
      cacheWriteOneHour: tokenFigure(this.#cacheWriteOneHour),
    };
  }

  /** Lays what stands beside the figures over what stood there before. False if a count of tools is not a figure. */
  takeBeside(findings: Findings): boolean {
    findings.serviceTier = this.#tier() ?? findings.serviceTier;
    findings.region = providerName(this.#region.string()) ?? findings.region;
    findings.further = this.#iterations.read() ?? findings.further;
    // Billed as if another model had been asked before, at rates that these figures do not show.
    if (this.#credit.isString('redeemed') && findings.further.length === 0) findings.further = unreadFurther;
    const webSearch = tokenFigure(this.#webSearch);
    const webFetch = tokenFigure(this.#webFetch);
    if (webSearch === 'not_a_figure' || webFetch === 'not_a_figure') return false;
    if ((webSearch ?? 0) + (webFetch ?? 0) > 0) {
      findings.toolCalls = { webSearch: webSearch ?? 0, webFetch: webFetch ?? 0, fileSearch: 0, codeInterpreter: 0 };
    }
    return true;
  }

  /** A faster mode has another price, as a tier has: its name goes before the tier's. */
  #tier(): string | null {
    if (this.#speed.kind === 'string' && !this.#speed.isString('standard')) return providerName(this.#speed.string());
    return providerName(this.#serviceTier.string());
  }
}
