/**
 * The bytes of one response → its reading: model, finish reason, usage. Spec: Usage fields read from forwarded responses;
 * rules: Record. Memory does not grow with the response. A fault in the reader becomes usage `unknown`, `reader_fault`: reading must never harm
 * the call.
 */
import type { Endpoint, Wire } from '../wire/wire.ts';
import type { BodyForm, FormVerdict } from './body-form.ts';
import { createChatDialect } from './chat-dialect.ts';
import { resetDialect, type Dialect, type Findings } from './dialect.ts';
import { EitherForm, type NamedForm } from './either-form.ts';
import { EitherReader } from './either-reader.ts';
import type { FoundUsage } from './found-usage.ts';
import { createMessagesDialect } from './messages-dialect.ts';
import { createOpenDialect } from './open-dialect.ts';
import { dialectFacts } from './upstream-dialects.ts';
import { createResponsesDialect } from './responses-dialect.ts';
import {
  nothingDue, usageUnknown, type Reading, type ReadingContext, type UsageReader, type UsageReason,
} from './reading.ts';

/**
 * The reader for one response with status 2xx; what other statuses report is never usage. `finish` gives it back: it must
 * not be touched afterwards, since the next response may already be read with it. Readers are kept because making one
 * takes dozens of small objects, which at thousands of calls a second is most of what the collector would have to do.
 */
export function createUsageReader(context: ReadingContext): UsageReader {
  if (context.dialectIsSuggested === true) return new EitherReader(dialectReader(context), dialectReader({ ...context, dialect: null }));
  return dialectReader(context);
}

function dialectReader(context: ReadingContext): UsageReader {
  const kept = idleReaders(context);
  const without = context.without ?? 'absent';
  const idle = kept.pop();
  if (idle !== undefined) return idle.begin(without);
  const dialect = typeof context.dialect === 'string' ? dialectFacts[context.dialect].create() : dialectOf(context);
  const form = new EitherForm(dialect, formOf(context));
  return new ResponseReader({ dialect, form, kept, outputDue: outputEndpoints.has(context.endpoint) }).begin(without);
}

/** The form that the type of the answer names. */
function formOf({ streamed, inLines }: ReadingContext): NamedForm {
  return !streamed ? 'whole' : inLines === true ? 'lines' : 'events';
}

/** Endpoints whose usage tells what came out. Embeddings have no output; of other paths the answer's form says it (`Findings.metered`). */
const outputEndpoints: ReadonlySet<Endpoint> = new Set(['chat.completions', 'completions', 'responses', 'messages']);

/** How many idle readers of one kind are kept; each holds a few kilobytes. */
const idleReadersMax = 128;
const idleByKind = { events: new Map<Wire, IdleOfWire>(), lines: new Map<Wire, IdleOfWire>(), whole: new Map<Wire, IdleOfWire>() };
type IdleOfWire = Map<Endpoint, ResponseReader[]>;

/** Of dialects with their own readers, by dialect and form. */
const idleOfDialects = new Map<string, ResponseReader[]>();

function idleOfDialect(kind: string): ResponseReader[] {
  let kept = idleOfDialects.get(kind);
  if (kept === undefined) idleOfDialects.set(kind, kept = []);
  return kept;
}

function idleReaders(context: ReadingContext): ResponseReader[] {
  const { wire, endpoint, dialect } = context;
  const kind = formOf(context);
  if (typeof dialect === 'string') return idleOfDialect(`${dialect} ${kind}`);
  const byWire = idleByKind[kind];
  let byEndpoint = byWire.get(wire);
  if (byEndpoint === undefined) byWire.set(wire, byEndpoint = new Map());
  let kept = byEndpoint.get(endpoint);
  if (kept === undefined) byEndpoint.set(endpoint, kept = []);
  return kept;
}

/** By the endpoint, if it names one. */
function dialectOf({ wire, endpoint }: ReadingContext): Dialect {
  const readsCost = wire === 'upstream';
  switch (endpoint) {
    case 'chat.completions':
    case 'completions':
      return createChatDialect({ readsCost });
    case 'embeddings':
      return createChatDialect({ readsCost, totalIsInput: true });
    case 'responses':
      return createResponsesDialect(readsCost);
    case 'messages':
      return createMessagesDialect(readsCost);
    case 'models':
    case 'other':
      return createOpenDialect(readsCost);
  }
}

interface ReaderParts {
  readonly dialect: Dialect;
  readonly form: BodyForm;
  /** Where it is kept while idle. */
  readonly kept: ResponseReader[];
  readonly outputDue: boolean;
}

type FiguresFound = FoundUsage & { readonly kind: 'figures' };

class ResponseReader implements UsageReader {
  readonly #dialect: Dialect;
  readonly #form: BodyForm;
  readonly #kept: ResponseReader[];
  readonly #outputDue: boolean;
  #broken = false;
  #without: NonNullable<ReadingContext['without']> = 'absent';

  constructor({ dialect, form, kept, outputDue }: ReaderParts) {
    this.#dialect = dialect;
    this.#form = form;
    this.#kept = kept;
    this.#outputDue = outputDue;
  }

  /** For one response: the reason if it reports no usage. */
  begin(without: NonNullable<ReadingContext['without']>): this {
    this.#without = without;
    return this;
  }

  get dialogueEnded(): boolean {
    return this.#form.dialogueEnded;
  }

  push(chunk: Uint8Array): void {
    if (this.#broken) return;
    try {
      this.#form.push(chunk);
    } catch {
      this.#broken = true;
    }
  }

  finish(ending: 'whole' | 'cut'): Reading {
    if (this.#broken) return usageUnknown('reader_fault');
    try {
      const verdict = this.#form.end(ending);
      const reading = this.#readingOf(verdict, this.#form.dialogueEnded ? 'whole' : ending);
      this.#giveBack();
      return reading;
    } catch {
      return usageUnknown('reader_fault');
    }
  }

  /** A reader that broke is never used again. */
  #giveBack(): void {
    if (this.#kept.length === idleReadersMax) return;
    this.#form.clear();
    resetDialect(this.#dialect);
    this.#kept.push(this);
  }

  #readingOf(verdict: FormVerdict, ending: 'whole' | 'cut'): Reading {
    const { findings } = this.#dialect;
    const { usage } = findings;
    const missing: UsageReason = verdict === 'not_readable' ? 'not_readable' : ending === 'cut' ? 'cut' : 'absent';
    if (usage === null) return this.#withoutUsage(missing);
    if (usage.kind === 'not_a_figure') return this.#unknown('not_a_figure');
    if (findings.usageFinal) return reportedReading(findings, usage, this.#lacking(usage));
    if (this.#dialect.keepsPartial) return reportedReading(findings, usage, missing);
    return ending === 'whole' ? reportedReading(findings, usage, this.#lacking(usage)) : this.#unknown('cut');
  }

  /** Usage that leaves out an expected figure is reported as partial, so that its cost is not taken for the bill; null: nothing lacks. */
  #lacking({ hasInput, hasOutput }: FiguresFound): UsageReason | null {
    const outputDue = this.#outputDue || this.#dialect.findings.metered;
    return hasInput && (hasOutput || !outputDue) ? null : 'absent';
  }

  #unknown(usageReason: UsageReason): Reading {
    const { model, finishReason, serviceTier, work } = this.#dialect.findings;
    return { ...usageUnknown(usageReason), model, finishReason, serviceTier, work };
  }

  /**
   * Work that is done later is reported as such, also for an operation that is not known for it. A cut answer of an operation that reports nothing
   * is cut all the same: newer models of images report at the end.
   */
  #withoutUsage(missing: UsageReason): Reading {
    const { findings } = this.#dialect;
    if (missing === 'absent' && findings.deferred) return this.#unknown('deferred');
    switch (this.#without) {
      case 'absent': return this.#unknown(missing);
      case 'deferred': return this.#unknown('deferred');
      case 'not_reported': return this.#unknown(missing === 'cut' ? 'cut' : 'not_reported');
      case 'not_read': return this.#unknown('not_reported');
      case 'none': return findings.metered ? this.#unknown(missing) : nothingDue;
    }
  }
}

/** `reason`: why it is partial; null if it is complete. */
export function reportedReading(findings: Findings, found: FiguresFound, reason: UsageReason | null): Reading {
  const { tokens, cost, outputBeside, units, cachedSplit, cachedBeside } = found;
  const { model, finishReason, cachedInInput, serviceTier, region, toolCalls, further, previewSearch, work } = findings;
  return {
    model, finishReason, usage: reason === null ? 'reported' : 'partial', usageReason: reason, tokens, reportedCost: cost,
    cachedInInput, outputBeside, serviceTier, region, toolCalls, further, units,
    cachedSplit, cachedBeside, previewSearch, work,
  };
}
