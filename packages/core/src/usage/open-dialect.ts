/**
 * An answer whose path names no API: the dialect is recognized by the answer's own form. A JSON body or the events of a stream may be those
 * of chat completions, of the Responses API or of messages, or hold a plain `usage` (images, audio, threads). Rule 6a. Later figures
 * replace earlier ones, as in all of these APIs. An answer that reports its usage in words of another API, which no field of a record stands
 * for, is still one of an operation that is charged.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { nothingFound, type Dialect } from './dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage, type RawFigures } from './found-usage.ts';
import { OpenUsage } from './open-usage.ts';
import { noTokens } from './reading.ts';
import { tokenFigure } from './token-figure.ts';
import { ToolItems } from './tool-items.ts';
import { unitsOf } from './units.ts';

/** The dialect of one response. `readsCost`: the destination is a declared upstream. */
export function createOpenDialect(readsCost: boolean): Dialect {
  return new OpenDialect(readsCost);
}

/** Where an answer, or what an event carries of one, says what is to be known. */
class AnswerPlaces {
  readonly type = watched();
  readonly #object = watched();
  readonly model = watched();
  readonly id = watched();
  readonly status = watched();
  readonly stopReason = watched();
  readonly serviceTier = watched();
  readonly finishReason = watched();
  readonly #choiceIndex = watched();
  readonly choices: WatchedValue;
  readonly #incompleteReason = watched();
  readonly tools = new ToolItems();
  readonly usage: OpenUsage;
  /** Further places of it, read only on declared upstreams. */
  readonly #otherUsages: readonly OpenUsage[];
  /** Google's, Mistral's for pages, Cohere's. */
  readonly #metadata = watched();
  readonly #pagesRead = watched();
  readonly #pages = watched({ pages_processed: this.#pagesRead });
  readonly #units = watched();
  readonly fields: Readonly<Record<string, WatchedValue>>;

  constructor(readsCost: boolean) {
    this.usage = new OpenUsage(readsCost);
    const [groq, choice] = this.#otherUsages = readsCost ? [new OpenUsage(readsCost), new OpenUsage(readsCost)] : [];
    this.choices = watched(null, watched({
      index: this.#choiceIndex, finish_reason: this.finishReason, ...(choice === undefined ? {} : { usage: choice.place }),
    }));
    this.fields = {
      id: this.id, type: this.type, object: this.#object, model: this.model,
      status: this.status, stop_reason: this.stopReason, service_tier: this.serviceTier,
      choices: this.choices, incomplete_details: watched({ reason: this.#incompleteReason }),
      status_details: watched({ reason: this.#incompleteReason }), output: this.tools.place,
      tool_usage: this.tools.usagePlace, tools: this.tools.toolsPlace,
      usage: this.usage.place,
      usageMetadata: this.#metadata, usage_info: this.#pages, meta: watched({ billed_units: this.#units }),
      ...(groq === undefined ? {} : { x_groq: watched({ usage: groq.place }) }),
    };
  }

  /** `ofEvent`: the answer comes in parts, and this may be one of another choice than the first. */
  finish(ofEvent: boolean): string | null {
    const status = providerName(this.status.string());
    const reason = status === 'incomplete' ? providerName(this.#incompleteReason.string()) : null;
    const ofChoice = !ofEvent || this.#isFirstChoice ? providerName(this.finishReason.string()) : null;
    return ofChoice ?? providerName(this.stopReason.string())
      ?? (reason === null ? status : `incomplete:${reason}`);
  }

  /** Several choices are streamed in separate chunks, distinguished by `index`. */
  get #isFirstChoice(): boolean {
    return this.#choiceIndex.kind !== 'number' || tokenFigure(this.#choiceIndex) === 0;
  }

  /** A batch, an agent's session or a dream reports the usage of all its work so far, with zeros at its beginning: that is of no call. */
  get isRunningTotal(): boolean {
    return batches.some((name) => this.#object.isString(name)) || sessions.some((name) => this.type.isString(name));
  }

  /** Pages that were read, from an answer that counts nothing else; null: none. */
  pagesOnly(): FoundUsage | null {
    const pages = tokenFigure(this.#pagesRead);
    return typeof pages !== 'number' ? null : foundUsage(noTokens, null, null, { units: unitsOf({ pages }), cachedSplit: false });
  }

  /** The usage in the first of its places that holds one. */
  reported(): { readonly usage: OpenUsage; readonly read: ReturnType<OpenUsage['read']> } {
    for (const usage of [this.usage, ...this.#otherUsages]) {
      const read = usage.read();
      if (read !== null) return { usage, read };
    }
    return { usage: this.usage, read: null };
  }

  /** Whether there is a usage, in any API's words. */
  get hasUsage(): boolean {
    if (this.isRunningTotal) return false;
    return this.usage.place.kind === 'object' || [this.#metadata, this.#pages, this.#units].some(({ kind }) => kind === 'object');
  }

  /** Whether the work is accepted and its usage is not known yet. */
  get pending(): boolean {
    return this.usage.place.kind === 'null' && (this.status.isString('queued') || this.status.isString('in_progress'));
  }
}

const batches = ['batch', 'agent.session'] as const;
const sessions = ['session', 'session_thread', 'dream'] as const;
const endingTypes = ['message_stop', 'response.completed', 'response.incomplete', 'response.failed'] as const;

class OpenDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = true;
  readonly #outer: AnswerPlaces;
  readonly #inner: AnswerPlaces;
  readonly #carried: WatchedValue;
  readonly #deltaStopReason = watched();
  readonly event: WatchedValue;
  readonly body: WatchedValue;
  #figures: { -readonly [Name in keyof RawFigures]: RawFigures[Name] } = { ...noTokens };
  #cost: string | null = null;
  #messages = false;
  /** The last usage was one of a session that goes on. */
  #isRunning = false;

  constructor(readsCost: boolean) {
    this.#outer = new AnswerPlaces(readsCost);
    this.#inner = new AnswerPlaces(readsCost);
    this.#carried = watched(this.#inner.fields);
    const delta = watched({ stop_reason: this.#deltaStopReason });
    // An event of a live session wraps those of the responses that it has others make.
    const wrapped = watched({ response: this.#carried });
    this.event = watched({ ...this.#outer.fields, delta, message: this.#carried, response: this.#carried, event: wrapped });
    this.body = this.event;
  }

  get keepsPartial(): boolean {
    return this.#messages || this.#isRunning;
  }

  clear(): void {
    this.findings.cachedInInput = true;
    this.#figures = { ...noTokens };
    this.#cost = null;
    this.#messages = false;
    this.#isRunning = false;
  }

  takeBody(): void {
    this.findings.finishReason = this.#outer.finish(false);
    this.findings.deferred = this.#outer.pending;
    this.findings.work = providerName(this.#outer.id.string());
    this.#take(this.#outer);
    this.findings.usageFinal = true;
    this.findings.metered = this.#outer.choices.kind === 'array' || this.#outer.type.isString('message')
      || (this.findings.usage === null && this.#outer.hasUsage);
  }

  takeEvent(): void {
    const { findings } = this;
    const outer = this.#outer;
    const inner = this.#inner;
    const { type } = outer;
    if (type.isString('message_start')) this.#messages = true;
    findings.finishReason = this.#finishOfEvent() ?? findings.finishReason;
    const took = [inner, outer].filter((places) => this.#take(places)).length > 0;
    if (took) this.#isRunning = type.isString('session.usage.updated');
    if (took && this.#isRunning) findings.usageFinal = false;
    else if (took) findings.usageFinal = !this.#messages || (!type.isString('message_start') && findings.finishReason !== null);
    if (this.#messages || this.#carried.kind === 'object' || outer.choices.kind === 'array') findings.metered = true;
    else if (findings.usage === null && outer.hasUsage) findings.metered = true;
    findings.deferred = findings.usage === null && (inner.pending || outer.pending);
  }

  endsDialogue(): boolean {
    return endingTypes.some((type) => this.#outer.type.isString(type));
  }

  #finishOfEvent(): string | null {
    const outer = this.#outer;
    const inner = this.#inner;
    if (this.#messages) return providerName(this.#deltaStopReason.string());
    const of = inner.status.kind === 'string' ? inner : outer;
    return of.finish(true);
  }

  /** False if no usage was reported. */
  #take(places: AnswerPlaces): boolean {
    const { model, serviceTier, tools, isRunningTotal } = places;
    const { findings } = this;
    findings.model = findings.model ?? providerName(model.string());
    findings.serviceTier = providerName(serviceTier.string()) ?? findings.serviceTier;
    findings.toolCalls = places.usage.toolCalls() ?? tools.read() ?? findings.toolCalls;
    findings.further = tools.further() ?? places.usage.further() ?? findings.further;
    findings.previewSearch = tools.previewSearch || findings.previewSearch;
    const { usage, read } = places.reported();
    if (read === null && findings.usage === null) findings.usage = places.pagesOnly();
    if (read === null || isRunningTotal || findings.usage?.kind === 'not_a_figure') return false;
    if ('kind' in read) {
      findings.usage = read;
      return true;
    }
    for (const name of Object.keys(this.#figures) as (keyof RawFigures)[]) this.#figures[name] = read.figures[name] ?? this.#figures[name];
    this.#cost = read.cost ?? this.#cost;
    if (read.onTop) findings.cachedInInput = false;
    findings.usage = usage.takeBeside(findings) ? foundUsage(this.#figures, this.#cost, read.total, read.read) : badUsage;
    return findings.usage !== null;
  }
}
