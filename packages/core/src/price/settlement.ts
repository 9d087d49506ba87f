/**
 * What an answer tells of work that an earlier call began → the record that settles it. Rule 6f. Each line of a batch is priced by itself, as the
 * request that it is, and the costs are added up: the length of one request never raises the price of another.
 */
import type { Cost } from './cost.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import type { OutcomePlace } from '../usage/outcome-place.ts';
import type { OutcomeListener } from '../usage/outcome-parts.ts';
import { noTokens, type Reading, type TokenFigures, type ToolCalls } from '../usage/reading.ts';
import { unitNames, unitsOf, type Units } from '../usage/units.ts';
import { costGapNames, noReadingFields, noWork, type CallOpening, type CallRecord, type CostGap } from '../record/call-record.ts';

/** What the work came to, under the names of the record. */
export type SettledFigures = Pick<CallRecord,
  | 'model' | 'finishReason' | 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens' | 'audioInputTokens'
  | 'audioOutputTokens' | 'usage' | 'cost' | 'costGaps' | 'serviceTier' | 'toolCalls' | 'units' | 'costSource' | 'pricedBy' | 'priceList'
  | 'cacheSavings'>;

/** Null: the sum of many requests does not tell what they cost. */
export type PricePart = (reading: Reading) => Cost | null;

/** Adds up what one answer tells of one piece of work. */
export class OutcomeTally implements OutcomeListener {
  readonly form: OutcomePlace['form'];
  readonly #id: string;
  readonly #price: PricePart;
  readonly #sum = new PartSum();
  #names: readonly string[] | null = null;
  #parts = 0;
  #unclear = false;

  constructor({ form, id }: OutcomePlace, price: PricePart) {
    this.form = form;
    this.#id = id;
    this.#price = price;
  }

  part(reading: Reading): void {
    const cost = this.#price(reading);
    if (cost === null) this.#unclear = true;
    else this.#sum.add(reading, cost);
    this.#parts += 1;
  }

  ended(works: readonly string[]): void {
    this.#names = works.length === 0 ? [this.#id] : works;
  }

  /** The provider's ids of work that has ended; empty if it has not, or the answer was not read to its end. */
  get works(): readonly string[] {
    return this.#names ?? [];
  }

  /** Null: nothing is known yet of what the work used. */
  figures(): SettledFigures | null {
    if (this.#names === null || this.#unclear || (this.#parts === 0 && this.form === 'batch')) return null;
    return this.#sum.figures();
  }
}

/** The record that settles work. `opening`: of the call that learned of it, with a new id and the moment at which it was learned. */
export function settlementOf(opening: CallOpening, works: readonly string[], figures: SettledFigures): CallRecord {
  return {
    ...opening, ...noReadingFields, ...figures, ...noWork,
    kind: 'settlement', works, transport: 'http', connection: null, streamed: false, status: 200, outcome: 'completed', usageReason: null,
    requestedModel: null, providerRequestId: null, requestBytes: 0, responseBytes: 0, firstByteMs: null, durationMs: null,
  };
}

const tokenNames = ['input', 'output', 'cached', 'cacheWrite', 'reasoning', 'audioInput', 'audioOutput'] as const satisfies (keyof TokenFigures)[];
const toolNames = ['webSearch', 'webFetch', 'fileSearch', 'codeInterpreter'] as const satisfies (keyof ToolCalls)[];

class PartSum {
  #first: { readonly reading: Reading; readonly cost: Cost } | null = null;
  #count = 0;
  #models = new Set<string | null>();
  readonly #tokens: { -readonly [Name in keyof TokenFigures]: number | null } = { ...noTokens };
  #tools: { -readonly [Name in keyof ToolCalls]: number } | null = null;
  #units: { -readonly [Name in keyof Units]?: number } = {};
  #cost: NanoDollars | null = null;
  #savings: NanoDollars | null = null;
  #unpriced = false;
  readonly #gaps = new Set<CostGap>();

  add(reading: Reading, cost: Cost): void {
    if (reading.usage === 'none') return;
    this.#count += 1;
    if (this.#first === null || (this.#first.cost.cost === null && cost.cost !== null)) this.#first = { reading, cost };
    // More names than one are all that counts, so no more are kept.
    if (this.#models.size < 2) this.#models.add(reading.model);
    for (const name of tokenNames) this.#tokens[name] = plus(this.#tokens[name], reading.tokens[name]);
    if (reading.toolCalls !== null) {
      this.#tools ??= { webSearch: 0, webFetch: 0, fileSearch: 0, codeInterpreter: 0 };
      for (const name of toolNames) this.#tools[name] += reading.toolCalls[name];
    }
    for (const name of unitNames) if (reading.units?.[name] !== undefined) this.#units[name] = (this.#units[name] ?? 0) + reading.units[name];
    if ((this.#cost ?? 0n) + (cost.cost ?? 0n) > nanoDollarsMax) this.#gaps.add('amount');
    this.#cost = added(this.#cost, cost.cost);
    this.#savings = added(this.#savings, cost.cacheSavings);
    this.#unpriced ||= cost.cost === null;
    for (const gap of cost.costGaps) this.#gaps.add(gap);
  }

  figures(): SettledFigures {
    if (this.#first === null) return { ...noReadingFields, usage: 'none' };
    const { reading, cost } = this.#first;
    // Lines without a price beside lines with one: the cost is not all of it.
    if (this.#unpriced && this.#cost !== null) this.#gaps.add('other_model');
    const tokens = this.#tokens;
    return {
      model: this.#models.size === 1 ? reading.model : null, finishReason: this.#count === 1 ? reading.finishReason : null,
      inputTokens: tokens.input, outputTokens: tokens.output, cachedTokens: tokens.cached, cacheWriteTokens: tokens.cacheWrite,
      reasoningTokens: tokens.reasoning, audioInputTokens: tokens.audioInput, audioOutputTokens: tokens.audioOutput,
      usage: 'reported', cost: this.#cost, costGaps: costGapNames.filter((name) => this.#gaps.has(name)), serviceTier: reading.serviceTier,
      toolCalls: this.#tools, units: unitsOf(this.#units), costSource: cost.costSource, pricedBy: cost.pricedBy, priceList: cost.priceList,
      cacheSavings: this.#savings,
    };
  }
}

/** Null: no part reported it. A sum past what a number holds exactly stays at that bound. */
function plus(sum: number | null, more: number | null): number | null {
  return more === null ? sum : Math.min((sum ?? 0) + more, Number.MAX_SAFE_INTEGER);
}

function added(sum: NanoDollars | null, more: NanoDollars | null): NanoDollars | null {
  return more === null ? sum : nanoDollars((sum ?? 0n) + more);
}
