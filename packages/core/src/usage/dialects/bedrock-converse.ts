/**
 * Bedrock's Converse: `usage` beside the output, with what was read from and written to the cache on top of the input. In a stream, whose frames
 * come here as events named for their type, it is in `metadata`, the last of them. No answer names its model.
 */
import { watched, watchedEach, type ElementTally } from '../../json/watched-value.ts';
import { nothingFound, type Dialect } from '../dialect.ts';
import { badUsage, foundUsage, providerName } from '../found-usage.ts';
import { tokenFigure, type TokenFigure } from '../token-figure.ts';

export function createConverseDialect(): Dialect {
  return new ConverseDialect();
}

/** `cacheDetails`: what was written to the cache, by how long it stays there. */
class CacheDetails implements ElementTally {
  readonly #ttl = watched();
  readonly #count = watched();
  readonly element = watched({ ttl: this.#ttl, inputTokens: this.#count });
  readonly place = watchedEach(this);
  #oneHour: TokenFigure = null;

  begin(): void {
    this.#oneHour = null;
  }

  ended(): void {
    if (this.#ttl.isString('1h')) this.#oneHour = tokenFigure(this.#count);
  }

  /** Written for an hour; null if the answer does not say. */
  read(): TokenFigure {
    return this.place.kind === 'array' ? this.#oneHour : null;
  }
}

class ConverseDialect implements Dialect {
  readonly findings = nothingFound(false);
  readonly endsWithDone = false;
  readonly keepsPartial = false;
  readonly #input = watched();
  readonly #output = watched();
  readonly #cached = watched();
  readonly #cacheWrite = watched();
  readonly #cacheDetails = new CacheDetails();
  readonly #usage = watched({
    inputTokens: this.#input, outputTokens: this.#output, cacheReadInputTokens: this.#cached, cacheWriteInputTokens: this.#cacheWrite,
    cacheDetails: this.#cacheDetails.place,
  });
  readonly #stopReason = watched();
  readonly #tier = watched();
  readonly #latency = watched();
  readonly #answer = {
    usage: this.#usage, serviceTier: watched({ type: this.#tier }), performanceConfig: watched({ latency: this.#latency }),
  };
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

  #take(): void {
    const { findings } = this;
    const usage = this.#usage;
    findings.metered = true;
    findings.finishReason = providerName(this.#stopReason.string()) ?? findings.finishReason;
    // A shorter latency has another price, as a tier has.
    findings.serviceTier = this.#latency.isString('optimized') ? 'optimized' : providerName(this.#tier.string()) ?? findings.serviceTier;
    if (!usage.complete || usage.kind === 'null') return;
    findings.usage = usage.kind !== 'object' ? badUsage : foundUsage({
      input: tokenFigure(this.#input), output: tokenFigure(this.#output), cached: tokenFigure(this.#cached),
      cacheWrite: tokenFigure(this.#cacheWrite), cacheWriteOneHour: this.#cacheDetails.read(), reasoning: null, audioInput: null, audioOutput: null,
    }, null);
    findings.usageFinal = true;
  }
}
