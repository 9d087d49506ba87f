/**
 * Bedrock's Converse: `usage` beside the output, with what was read from and written to the cache on top of the input. In a stream, whose frames
 * come here as events named for their type, it is in `metadata`, the last of them. No answer names its model.
 */
import { watched } from '../../json/watched-value.ts';
import { forgetFindings, nothingFound, type Dialect } from '../dialect.ts';
import { badUsage, foundUsage, providerName } from '../found-usage.ts';
import { tokenFigure } from '../token-figure.ts';

export function createConverseDialect(): Dialect {
  return new ConverseDialect();
}

class ConverseDialect implements Dialect {
  readonly findings = nothingFound(false);
  readonly endsWithDone = false;
  readonly keepsPartial = false;
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #usage = watched({
    inputTokens: this.#input, outputTokens: this.#output, cacheReadInputTokens: this.#cached, cacheWriteInputTokens: this.#cacheWrite,
  });
  readonly #stopReason = watched();
  readonly #tier = watched();
  readonly #answer = { usage: this.#usage, serviceTier: watched({ type: this.#tier }) };
  readonly body = watched({ ...this.#answer, stopReason: this.#stopReason, output: watched() });
  readonly event = watched({ metadata: watched(this.#answer), messageStop: watched({ stopReason: this.#stopReason }) });

  takeBody(): void {
    this.#take();
  }

  takeEvent(): void {
    this.#take();
  }

  endsDialogue(): boolean {
    return false;
  }

  clear(): void {
    forgetFindings(this.findings);
    this.event.forget();
    this.body.forget();
  }

  #take(): void {
    const { findings } = this;
    const usage = this.#usage;
    findings.metered = true;
    findings.finishReason = providerName(this.#stopReason.string()) ?? findings.finishReason;
    findings.serviceTier = providerName(this.#tier.string()) ?? findings.serviceTier;
    if (!usage.complete || usage.kind === 'null') return;
    findings.usage = usage.kind !== 'object' ? badUsage : foundUsage({
      input: tokenFigure(this.#input), output: tokenFigure(this.#output), cached: tokenFigure(this.#cached),
      cacheWrite: tokenFigure(this.#cacheWrite), cacheWriteOneHour: null, reasoning: null, audioInput: null, audioOutput: null,
    }, null);
    findings.usageFinal = true;
  }
}
