/**
 * Messages, the second wire: a message object as the body, or events: `message_start` holds first figures, `message_delta`
 * later ones, cumulative; a figure that comes later replaces the earlier. Spec: Usage fields read from forwarded responses.
 * A message may have several `message_delta` (server tools send them): what is known is partial until one has reported usage
 * and the end of the message is reported, by its stop reason or by `message_stop`.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { nothingFound, type Dialect } from './dialect.ts';
import { badUsage, foundUsage, providerName } from './found-usage.ts';
import { MessageUsage, type MessageFigures } from './message-usage.ts';

/** The dialect of one response. `readsCost`: the destination is a declared upstream. */
export function createMessagesDialect(readsCost: boolean): Dialect {
  return new MessagesDialect(readsCost);
}

function noFigures(): MessageFigures {
  return { input: null, output: null, cached: null, cacheWrite: null, cacheWriteOneHour: null };
}

/** Lays figures over those known so far; false if none of them is reported. */
function overlay(known: MessageFigures, read: MessageFigures): boolean {
  let reports = false;
  for (const name of figureNames) {
    if (read[name] === null) continue;
    known[name] = read[name];
    reports = true;
  }
  return reports;
}

const noToolCalls = { webSearch: 0, webFetch: 0, fileSearch: 0, codeInterpreter: 0 } as const;

const figureNames = ['input', 'output', 'cached', 'cacheWrite', 'cacheWriteOneHour'] as const;

class MessagesDialect implements Dialect {
  readonly findings = nothingFound(false);
  readonly endsWithDone = false;
  readonly keepsPartial = true;
  readonly #type = watched();
  readonly #model = watched();
  readonly #stopReason = watched();
  /** Where code was executed; its time has a fee that no answer counts. */
  readonly #container = watched();
  readonly #deltaContainer = watched();
  readonly #messageUsage: MessageUsage;
  readonly #deltaStopReason = watched();
  readonly #deltaUsage: MessageUsage;
  readonly body: WatchedValue;
  readonly event: WatchedValue;
  #figures: MessageFigures = noFigures();
  #cost: string | null = null;
  /** A `message_delta` has reported usage. */
  #deltaReported = false;
  #ranCode = false;

  constructor(readsCost: boolean) {
    this.#messageUsage = new MessageUsage(readsCost);
    this.#deltaUsage = new MessageUsage(readsCost);
    this.body = watched({ model: this.#model, stop_reason: this.#stopReason, container: this.#container, usage: this.#messageUsage.place });
    this.event = watched({
      type: this.#type,
      message: this.body,
      delta: watched({ stop_reason: this.#deltaStopReason, container: this.#deltaContainer }),
      usage: this.#deltaUsage.place,
    });
  }

  clear(): void {
    this.#figures = noFigures();
    this.#cost = null;
    this.#deltaReported = false;
    this.#ranCode = false;
  }

  takeBody(): void {
    const { findings } = this;
    findings.model = providerName(this.#model.string());
    findings.finishReason = providerName(this.#stopReason.string());
    findings.usageFinal = this.#takeUsage(this.#messageUsage);
  }

  takeEvent(): void {
    const { findings } = this;
    if (this.#type.isString('message_start')) {
      findings.model = providerName(this.#model.string()) ?? findings.model;
      this.#takeUsage(this.#messageUsage);
    } else if (this.#type.isString('message_delta')) {
      findings.finishReason = providerName(this.#deltaStopReason.string()) ?? findings.finishReason;
      if (this.#takeUsage(this.#deltaUsage)) this.#deltaReported = true;
      findings.usageFinal = this.#deltaReported && findings.finishReason !== null;
    } else if (this.endsDialogue()) {
      findings.usageFinal = this.#deltaReported;
    }
  }

  endsDialogue(): boolean {
    return this.#type.isString('message_stop');
  }

  /** Lays the figures that a usage object reports over those known so far; false if it reports none. */
  #takeUsage(usage: MessageUsage): boolean {
    const took = this.#layFigures(usage);
    if (this.#container.kind === 'object' || this.#deltaContainer.kind === 'object') this.#ranCode = true;
    if (this.#ranCode) this.findings.toolCalls = { ...noToolCalls, ...this.findings.toolCalls, codeInterpreter: 1 };
    return took;
  }

  #layFigures(usage: MessageUsage): boolean {
    const read = usage.read();
    if (read === null || this.findings.usage?.kind === 'not_a_figure') return false;
    if ('kind' in read) {
      this.findings.usage = read;
      return true;
    }
    const reports = overlay(this.#figures, read);
    this.#cost = usage.cost() ?? this.#cost;
    this.findings.usage = usage.takeBeside(this.findings)
      ? foundUsage({ ...this.#figures, reasoning: null, audioInput: null, audioOutput: null }, this.#cost) : badUsage;
    return reports && this.findings.usage !== null;
  }
}
