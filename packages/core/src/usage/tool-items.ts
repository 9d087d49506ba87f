/**
 * The `output` items of the Responses API → how often the provider ran its own tools, each with a fee. A web search is an
 * item whose action is a search: opening a page it found, or looking through one, has no fee. If the answer itself says how many searches
 * are billed, that figure counts. Commands of a shell in the provider's container cost what its code interpreter costs: the container. Images are
 * made by another model, whose tokens the answer's usage leaves out.
 */
import { watched, watchedEach, type ElementTally } from '../json/watched-value.ts';
import { nothingFurther, unreadFurther, type FurtherUsage, type ToolCalls } from './reading.ts';
import { tokenFigure } from './token-figure.ts';

/** Counts the items of an answer that a provider charges a fee for. */
export class ToolItems implements ElementTally {
  readonly #type = watched();
  readonly #action = watched();
  readonly #environment = watched();
  readonly element = watched({ type: this.#type, action: watched({ type: this.#action }), environment: watched({ type: this.#environment }) });
  readonly place = watchedEach(this);
  readonly #billedSearches = watched();
  /** The place of `tool_usage`. */
  readonly usagePlace = watched({ web_search: watched({ num_requests: this.#billedSearches }) });
  readonly #offered = new OfferedTools();
  /** The place of `tools`: those that the request offered, as the answer repeats them. */
  readonly toolsPlace = this.#offered.place;
  #webSearch = 0;
  #fileSearch = 0;
  #codeInterpreter = 0;
  #madeImage = false;

  begin(): void {
    this.#webSearch = 0;
    this.#fileSearch = 0;
    this.#codeInterpreter = 0;
    this.#madeImage = false;
  }

  ended(): void {
    const type = this.#type;
    const action = this.#action;
    if (type.isString('web_search_call')) {
      if (action.kind === 'absent' || action.isString('search')) this.#webSearch += 1;
    } else if (type.isString('file_search_call')) this.#fileSearch += 1;
    else if (type.isString('code_interpreter_call')) this.#codeInterpreter += 1;
    else if (type.isString('shell_call') && this.#environment.isString('container_reference')) this.#codeInterpreter += 1;
    else if (type.isString('image_generation_call')) this.#madeImage = true;
  }

  /** The preview of the search was offered, not the search itself. */
  get previewSearch(): boolean {
    return this.#offered.preview;
  }

  /** The work of other models, without readable figures; null if there is no complete list of items. */
  further(): readonly FurtherUsage[] | null {
    if (this.place.kind !== 'array' || !this.place.complete) return null;
    return this.#madeImage ? unreadFurther : nothingFurther;
  }

  /** Null if there were none, or no complete list of items. */
  read(): ToolCalls | null {
    const fileSearch = this.#fileSearch;
    const codeInterpreter = this.#codeInterpreter;
    const billed = tokenFigure(this.#billedSearches);
    const webSearch = typeof billed === 'number' ? billed : this.#webSearch;
    if (this.place.kind !== 'array' || !this.place.complete || webSearch + fileSearch + codeInterpreter === 0) return null;
    return { webSearch, webFetch: 0, fileSearch, codeInterpreter };
  }
}

/** Whether the tools that were offered hold the preview of the web search. */
class OfferedTools implements ElementTally {
  readonly #type = watched();
  readonly element = watched({ type: this.#type });
  readonly place = watchedEach(this);
  #found = false;

  begin(): void {
    this.#found = false;
  }

  ended(): void {
    if (this.#type.string()?.startsWith('web_search_preview') === true) this.#found = true;
  }

  get preview(): boolean {
    return this.place.kind === 'array' && this.#found;
  }
}
