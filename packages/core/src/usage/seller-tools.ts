/**
 * `usage.server_side_tool_usage_details`: how often a seller of the open format ran its own tools, if its usage counts them. Searches of
 * posts and of documents have fees like those of the web and of files.
 */
import { watched } from '../json/watched-value.ts';
import type { ToolCalls } from './reading.ts';
import { tokenFigure } from './token-figure.ts';

export class SellerTools {
  readonly #webSearch = watched();
  readonly #postSearch = watched();
  readonly #fileSearch = watched();
  readonly #documentSearch = watched();
  readonly #codeInterpreter = watched();
  readonly place = watched({
    web_search_calls: this.#webSearch, x_search_calls: this.#postSearch, file_search_calls: this.#fileSearch,
    document_search_calls: this.#documentSearch, code_interpreter_calls: this.#codeInterpreter,
  });

  /** Null if none were counted, or the count is not a figure. */
  read(): ToolCalls | null {
    if (this.place.kind !== 'object') return null;
    const counts = [this.#webSearch, this.#postSearch, this.#fileSearch, this.#documentSearch, this.#codeInterpreter]
      .map((each) => tokenFigure(each) ?? 0);
    if (!counts.every((count) => typeof count === 'number')) return null;
    const [web, posts, files, documents, codeInterpreter] = counts as [number, number, number, number, number];
    if (web + posts + files + documents + codeInterpreter === 0) return null;
    return { webSearch: web + posts, webFetch: 0, fileSearch: files + documents, codeInterpreter };
  }
}
