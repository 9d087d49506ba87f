/**
 * How often a seller with OpenAI's format ran its own tools, if its usage counts them: xAI in `server_side_tool_usage_details`, Mistral in
 * `connectors`, Perplexity in `num_search_queries`. Searches of posts and of documents have fees like those of the web and of files. Groq lists
 * what it ran in the message (`ExecutedTools`). What a seller's model read on its way (`citation_tokens`) has a separate price.
 */
import { watched, watchedEach, watchedWhenMet, type ElementTally, type WatchedValue } from '../json/watched-value.ts';
import { nothingFurther, unreadFurther, type FurtherUsage, type ToolCalls } from './reading.ts';
import { tokenFigure } from './token-figure.ts';

type Counted = keyof ToolCalls;

/** Members of the usage that count tools, and what they count. */
type CountedMembers = readonly (readonly [name: string, tool: Counted])[];

const details: CountedMembers = [
  ['web_search_calls', 'webSearch'], ['x_search_calls', 'webSearch'], ['file_search_calls', 'fileSearch'], ['document_search_calls', 'fileSearch'],
  ['code_interpreter_calls', 'codeInterpreter'],
];
const connectors: CountedMembers = [
  ['web_search', 'webSearch'], ['web_search_premium', 'webSearch'], ['document_library', 'fileSearch'], ['code_interpreter', 'codeInterpreter'],
];

class CountPlaces {
  readonly counts: Count[] = [];
  readonly place: WatchedValue;

  constructor(members: CountedMembers) {
    this.place = watchedWhenMet(() => {
      const fields: Record<string, WatchedValue> = {};
      for (const [name, tool] of members) this.counts.push({ tool, at: fields[name] = watched() });
      return fields;
    });
  }
}

interface Count {
  readonly tool: Counted;
  readonly at: WatchedValue;
}

export class SellerTools {
  readonly #details = new CountPlaces(details);
  readonly #connectors = new CountPlaces(connectors);
  readonly #searches = watched();
  readonly #citations = watched();
  /** Members of the usage. */
  readonly fields = {
    server_side_tool_usage_details: this.#details.place, connectors: this.#connectors.place, num_search_queries: this.#searches,
    citation_tokens: this.#citations,
  };

  /** Null if none were counted, or a count is not a figure. */
  read(): ToolCalls | null {
    if (this.#details.place.kind !== 'object' && this.#connectors.place.kind !== 'object' && this.#searches.kind !== 'number') return null;
    const calls = noCalls();
    for (const { tool, at } of [...this.#details.counts, ...this.#connectors.counts, { tool: 'webSearch', at: this.#searches } as const]) {
      const count = tokenFigure(at) ?? 0;
      if (count === 'not_a_figure') return null;
      calls[tool] += count;
    }
    return someOf(calls);
  }

  /** Tokens that are charged beside the figures; null if none are reported. */
  further(): readonly FurtherUsage[] | null {
    if (this.#citations.kind === 'absent') return null;
    return tokenFigure(this.#citations) === 0 ? nothingFurther : unreadFurther;
  }
}

/** `executed_tools` of a message: what Groq ran for it. Tools without a fee are not counted. */
export class ExecutedTools implements ElementTally {
  readonly #type = watched();
  readonly element = watched({ type: this.#type });
  readonly place = watchedEach(this);
  #calls = noCalls();

  begin(): void {
    this.#calls = noCalls();
  }

  ended(): void {
    const tool = executed[this.#type.string() ?? ''];
    if (tool !== undefined) this.#calls[tool] += 1;
  }

  /** Null if nothing was run. */
  read(): ToolCalls | null {
    return this.place.kind === 'array' && this.place.complete ? someOf(this.#calls) : null;
  }
}

const executed: Readonly<Record<string, Counted | undefined>> = {
  search: 'webSearch', web_search: 'webSearch', browser_search: 'webSearch', visit: 'webFetch', visit_website: 'webFetch',
  browser_automation: 'webFetch', python: 'codeInterpreter', code_interpreter: 'codeInterpreter', code_execution: 'codeInterpreter',
};

function noCalls(): { -readonly [Tool in Counted]: number } {
  return { webSearch: 0, webFetch: 0, fileSearch: 0, codeInterpreter: 0 };
}

function someOf(calls: ToolCalls): ToolCalls | null {
  return calls.webSearch + calls.webFetch + calls.fileSearch + calls.codeInterpreter === 0 ? null : calls;
}
