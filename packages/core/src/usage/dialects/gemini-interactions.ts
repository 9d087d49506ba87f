/**
 * Google's Interactions API: an interaction as the body, or events of which most carry running figures of all of it and the last carries it whole.
 * Thoughts are counted beside the output and are output; what tools read is counted beside the input and is input. What was searched is counted in
 * `grounding_tool_count`, in older answers only by the steps. An agent stands where no model does. Work in the background has its id and a status.
 */
import { watched, watchedEach, type ElementTally, type WatchedValue } from '../../json/watched-value.ts';
import { forgetFindings, nothingFound, type Dialect } from '../dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage } from '../found-usage.ts';
import { noTokens, type ToolCalls } from '../reading.ts';
import { tokenFigure, tokenSum } from '../token-figure.ts';
import { unitsOf } from '../units.ts';
import { paidSearches } from './gemini.ts';
import { Modalities } from './modalities.ts';

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

const words = { audio: 'audio', image: 'image' } as const;

/** One `usage`. */
class Statistics {
  readonly #input = watched();
  readonly #output = watched();
  readonly #thoughts = watched();
  readonly #cached = watched();
  readonly #toolInput = watched();
  readonly #total = watched();
  readonly #inputKinds = new Modalities('tokens', words);
  readonly #outputKinds = new Modalities('tokens', words);
  readonly #cachedKinds = new Modalities('tokens', words);
  readonly #toolKinds = new Modalities('tokens', words);
  readonly tools = new ToolList({ google_search: 'searches', retrieval: 'documents', google_maps: 'maps' });
  readonly place = watched({
    total_input_tokens: this.#input, total_output_tokens: this.#output, total_thought_tokens: this.#thoughts, total_cached_tokens: this.#cached,
    total_tool_use_tokens: this.#toolInput, total_tokens: this.#total, input_tokens_by_modality: this.#inputKinds.place,
    output_tokens_by_modality: this.#outputKinds.place, cached_tokens_by_modality: this.#cachedKinds.place,
    tool_use_tokens_by_modality: this.#toolKinds.place, grounding_tool_count: this.tools.place,
  });

  /** Null: it reports none. `maps`: uses of a tool that no field of a record stands for. */
  read(maps: number): FoundUsage | null {
    const { kind, complete } = this.place;
    if (!complete || kind === 'null') return null;
    if (kind !== 'object') return badUsage;
    const [into, read, out, kept] = [this.#inputKinds, this.#toolKinds, this.#outputKinds, this.#cachedKinds].map((kinds) => kinds.read());
    const units = {
      imageInputTokens: tokenSum(into!.image, read!.image), imageOutputTokens: out!.image, cachedAudioTokens: kept!.audio,
      cachedImageTokens: kept!.image,
    };
    if (Object.values(units).includes('not_a_figure')) return badUsage;
    return foundUsage({
      ...noTokens, input: tokenSum(tokenFigure(this.#input), tokenFigure(this.#toolInput)),
      output: tokenSum(tokenFigure(this.#output), tokenFigure(this.#thoughts)), cached: tokenFigure(this.#cached),
      reasoning: tokenFigure(this.#thoughts), audioInput: tokenSum(into!.audio, read!.audio), audioOutput: out!.audio,
    }, null, tokenFigure(this.#total), {
      units: unitsOf({ ...units as { readonly [Name in keyof typeof units]: number | null }, otherToolCalls: maps }),
      cachedSplit: this.#cachedKinds.place.kind === 'array',
    });
  }
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
    forgetFindings(this.findings);
    this.event.forget();
    this.body.forget();
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
    const usage = statistics.read(counts.maps);
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
