/** Ollama's own format: `prompt_eval_count` and `eval_count` of an answer, and of the last line of a stream of lines. */
import { watched } from '../../json/watched-value.ts';
import { nothingFound, type Dialect } from '../dialect.ts';
import { foundUsage, providerName } from '../found-usage.ts';
import { noTokens } from '../reading.ts';
import { tokenFigure } from '../token-figure.ts';

export function createOllamaDialect(): Dialect {
  return new OllamaDialect();
}

class OllamaDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = false;
  readonly keepsPartial = false;
  readonly #model = watched();
  readonly #input = watched();
  readonly #output = watched();
  readonly #done = watched();
  readonly #reason = watched();
  readonly body = watched({
    model: this.#model, prompt_eval_count: this.#input, eval_count: this.#output, done: this.#done, done_reason: this.#reason,
  });
  readonly event = this.body;

  takeBody(): void {
    this.takeEvent();
  }

  takeEvent(): void {
    const { findings } = this;
    findings.model = providerName(this.#model.string()) ?? findings.model;
    findings.finishReason = providerName(this.#reason.string()) ?? findings.finishReason;
    // Embeddings have no such field, and no output.
    if (this.#done.kind !== 'absent') findings.metered = true;
    const usage = foundUsage({ ...noTokens, input: tokenFigure(this.#input), output: tokenFigure(this.#output) }, null);
    if (usage === null) return;
    findings.usage = usage;
    findings.usageFinal = true;
  }

  endsDialogue(): boolean {
    return this.#done.kind === 'true';
  }
}
