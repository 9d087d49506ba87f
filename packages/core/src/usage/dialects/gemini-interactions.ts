/**
 * Google's Interactions API: an interaction as the body, or events of which most carry running figures of all of it and the last carries it whole.
 * What was searched is counted in `grounding_tool_count`, in older answers only by the steps. An agent stands where no model does. Work in the
 * background has its id and a status.
 */
import { watched, watchedEach, type ElementTally, type WatchedValue } from '../../json/watched-value.ts';
import { nothingFound, type Dialect } from '../dialect.ts';
import { providerName } from '../found-usage.ts';
import type { ToolCalls } from '../reading.ts';
import { tokenFigure } from '../token-figure.ts';
import { paidSearches } from './gemini.ts';
import { GeminiUsage } from './gemini-usage.ts';

export function createInteractionsDialect(): Dialect {
  return new InteractionsDialect();
}

/** How often each of the tools that have a fee was used. */
interface ToolCounts { searches: number; documents: number; maps: number }
type CountedTool = keyof ToolCounts;

/** A list whose elements name tools, each with a count or for one use. */
class ToolList implements ElementTally {
  readonly #type = watched();
  readonly #count = watched();
  readonly #toolOf: Readonly<Record<string, CountedTool | undefined>>;
  readonly element = watched({ type: this.#type, count: this.#count });
  readonly place = watchedEach(this);
  #counts: ToolCounts = { searches: 0, documents: 0, maps: 0 };

  constructor(toolOf: Readonly<Record<string, CountedTool | undefined>>) {
    this.#toolOf = toolOf;
  }

  begin(): void {
    this.#counts = { searches: 0, documents: 0, maps: 0 };
  }

  ended(): void {
    const tool = this.#toolOf[this.#type.string() ?? ''];
    const count = this.#count.kind === 'absent' ? 1 : tokenFigure(this.#count);
    if (tool !== undefined && typeof count === 'number') this.#counts[tool] += count;
  }

  /** Null: there is no such list. */
  read(): ToolCounts | null {
    return this.place.kind === 'array' ? this.#counts : null;
  }
}

/** One `usage`. */
class Statistics {
  readonly tools = new ToolList({ google_search: 'searches', retrieval: 'documents', google_maps: 'maps' });
  readonly usage = new GeminiUsage(['tokens', { audio: 'audio', image: 'image' }], (figures) => ({
    total_input_tokens: figures.input, total_output_tokens: figures.output, total_thought_tokens: figures.thoughts,
    total_cached_tokens: figures.cached, total_tool_use_tokens: figures.tools, total_tokens: figures.total,
    input_tokens_by_modality: figures.inputKinds.place, output_tokens_by_modality: figures.outputKinds.place,
    cached_tokens_by_modality: figures.cachedKinds.place, tool_use_tokens_by_modality: figures.toolKinds.place,
    grounding_tool_count: this.tools.place,
  }));
  readonly place = this.usage.place;
}

/** Steps in which such a tool is used. */
const stepTools: Readonly<Record<string, CountedTool | undefined>> = {
  google_search_call: 'searches', file_search_call: 'documents', retrieval_call: 'documents', google_maps_call: 'maps',
};
const goesOn = ['queued', 'in_progress', 'requires_continuation'] as const;

class InteractionsDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = true;
  readonly keepsPartial = true;
  readonly #id = watched();
  readonly #status = watched();
  readonly #model = watched();
  readonly #agent = watched();
  readonly #tier = watched();
  readonly #usage = new Statistics();
  readonly #steps = new ToolList(stepTools);
  readonly body = watched({
    id: this.#id, status: this.#status, model: this.#model, agent: this.#agent, service_tier: this.#tier, usage: this.#usage.place,
    steps: this.#steps.place,
  });
  readonly #eventType = watched();
  readonly #eventStatus = watched();
  /** Running figures of all of the interaction so far. */
  readonly #running = [new Statistics(), new Statistics()] as const;
  readonly #step = watched();
  readonly event: WatchedValue = watched({
    event_type: this.#eventType, interaction: this.body, status: this.#eventStatus, usage: this.#running[0].place,
    metadata: watched({ total_usage: this.#running[1].place }), step: watched({ type: this.#step }),
  });
  /** Counted by the steps of a stream as they begin. */
  readonly #begun: ToolCounts = { searches: 0, documents: 0, maps: 0 };

  takeBody(): void {
    this.#takeInteraction();
    this.findings.metered = this.#id.kind === 'string' && this.#status.kind === 'string';
    this.findings.usageFinal = true;
  }

  takeEvent(): void {
    const { findings } = this;
    if (this.#eventType.kind === 'string') findings.metered = true;
    if (this.body.kind === 'object') this.#takeInteraction();
    const tool = stepTools[this.#step.string() ?? ''];
    if (tool !== undefined) this.#begun[tool] += 1;
    for (const statistics of this.#running) this.#takeUsage(statistics, statistics.tools.read() ?? this.#begun);
    if (this.#eventStatus.kind === 'string') this.#takeStatus(this.#eventStatus);
    findings.usageFinal = findings.usage !== null && findings.work === null && findings.finishReason !== null;
  }

  endsDialogue(): boolean {
    return this.#eventType.isString('interaction.completed') || this.#eventType.isString('interaction.complete');
  }

  clear(): void {
    this.#begun.searches = this.#begun.documents = this.#begun.maps = 0;
  }

  #takeInteraction(): void {
    const { findings } = this;
    findings.model = providerName(this.#model.string()) ?? providerName(this.#agent.string()) ?? findings.model;
    findings.serviceTier = providerName(this.#tier.string()) ?? findings.serviceTier;
    this.#takeUsage(this.#usage, this.#usage.tools.read() ?? this.#steps.read() ?? this.#begun);
    this.#takeStatus(this.#status);
  }

  #takeUsage(statistics: Statistics, counts: ToolCounts): void {
    const { findings } = this;
    if (findings.usage?.kind === 'not_a_figure') return;
    const usage = statistics.usage.read(counts.maps);
    if (usage === null) return;
    findings.usage = usage;
    findings.toolCalls = toolCallsOf(counts, findings.model);
  }

  /** Its id is that of work for as long as it goes on. */
  #takeStatus(status: WatchedValue): void {
    const { findings } = this;
    findings.finishReason = providerName(status.string()) ?? findings.finishReason;
    const isOpen = findings.finishReason !== null && (goesOn as readonly string[]).includes(findings.finishReason);
    findings.work = isOpen ? providerName(this.#id.string()) ?? findings.work : null;
    findings.deferred = isOpen && findings.usage === null;
  }
}

function toolCallsOf({ searches, documents }: ToolCounts, model: string | null): ToolCalls | null {
  const webSearch = paidSearches(model, searches);
  return webSearch + documents === 0 ? null : { webSearch, webFetch: 0, fileSearch: documents, codeInterpreter: 0 };
}
