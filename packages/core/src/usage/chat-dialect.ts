/**
 * Chat completions, completions and embeddings of the first wire, and of declared upstreams: `model`, the first choice's
 * `finish_reason`, `usage`. Spec: Usage fields read from forwarded responses.
 * A stream reports usage in a final chunk; upstreams that send running figures in every chunk are read too: the last one
 * counts, and it is final once a finish reason was seen or the chunk has no choices. Some upstreams report it in `x_groq`, some in the choice
 * that ends.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { nothingFound, type Dialect } from './dialect.ts';
import { FirstWireUsage, type UsagePlaces } from './first-wire-usage.ts';
import { providerName, type FoundUsage } from './found-usage.ts';
import { ExecutedTools } from './seller-tools.ts';
import { tokenFigure } from './token-figure.ts';

/** The dialect of one response. */
export function createChatDialect(places: UsagePlaces): Dialect {
  return new ChatDialect(places);
}

function newUsage(places: UsagePlaces): FirstWireUsage {
  return new FirstWireUsage(['prompt', 'completion'], places);
}

class ChatDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = true;
  readonly keepsPartial = false;
  readonly #model = watched();
  readonly #finishReason = watched();
  readonly #choiceIndex = watched();
  readonly #firstChoice: WatchedValue;
  readonly #serviceTier = watched();
  /** The id that comes instead of an answer if a chat was deferred; read on declared upstreams only. */
  readonly #requestId = watched();
  /** Read on declared upstreams only. */
  readonly #executed = new ExecutedTools();
  readonly #usage: FirstWireUsage;
  /** Further places of it, read on declared upstreams only. */
  readonly #otherUsages: readonly FirstWireUsage[];
  readonly body: WatchedValue;
  readonly event: WatchedValue;

  constructor(places: UsagePlaces) {
    this.#usage = newUsage(places);
    const [groq, choice] = this.#otherUsages = places.readsCost ? [newUsage(places), newUsage(places)] : [];
    const ran = watched({ executed_tools: this.#executed.place });
    this.#firstChoice = watched({
      index: this.#choiceIndex, finish_reason: this.#finishReason, ...(choice === undefined ? {} : { usage: choice.place, message: ran, delta: ran }),
    });
    this.body = watched({
      model: this.#model, choices: watched(null, this.#firstChoice), usage: this.#usage.place, service_tier: this.#serviceTier,
      ...(groq === undefined ? {} : { x_groq: watched({ usage: groq.place }), request_id: this.#requestId }),
    });
    this.event = this.body;
  }

  takeBody(): void {
    const { findings } = this;
    findings.model = providerName(this.#model.string());
    findings.finishReason = providerName(this.#finishReason.string());
    findings.serviceTier = providerName(this.#serviceTier.string());
    findings.usage = this.#readUsage();
    findings.usageFinal = true;
    findings.toolCalls = this.#usage.toolCalls() ?? this.#executed.read();
    findings.further = this.#usage.further() ?? findings.further;
    if (findings.usage !== null || this.#firstChoice.kind !== 'absent') return;
    findings.work = providerName(this.#requestId.string());
    findings.deferred = findings.work !== null;
  }

  takeEvent(): void {
    const { findings } = this;
    if (findings.model === null) findings.model = providerName(this.#model.string());
    if (this.#finishReason.kind === 'string' && this.#isFirstChoice()) {
      findings.finishReason = providerName(this.#finishReason.string()) ?? findings.finishReason;
    }
    if (this.#serviceTier.kind === 'string') findings.serviceTier = providerName(this.#serviceTier.string());
    findings.toolCalls = this.#executed.read() ?? findings.toolCalls;
    const usage = this.#readUsage();
    if (usage === null) return;
    findings.usage = usage;
    findings.toolCalls = this.#usage.toolCalls() ?? findings.toolCalls;
    findings.further = this.#usage.further() ?? findings.further;
    findings.usageFinal = findings.finishReason !== null || this.#firstChoice.kind === 'absent';
  }

  endsDialogue(): boolean {
    return false;
  }

  #readUsage(): FoundUsage | null {
    let read = this.#usage.read();
    for (const usage of this.#otherUsages) read ??= usage.read();
    return read;
  }

  /** Several choices are streamed in separate chunks, distinguished by `index`. */
  #isFirstChoice(): boolean {
    return this.#choiceIndex.kind !== 'number' || tokenFigure(this.#choiceIndex) === 0;
  }
}
