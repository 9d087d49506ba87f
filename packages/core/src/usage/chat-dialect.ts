/**
 * Chat completions, completions and embeddings of the first wire, and of declared upstreams: `model`, the first choice's
 * `finish_reason`, `usage`. Spec: Usage fields read from forwarded responses.
 * A stream reports usage in a final chunk; upstreams that send running figures in every chunk are read too: the last one
 * counts, and it is final once a finish reason was seen or the chunk has no choices.
 */
import { watched } from '../json/watched-value.ts';
import { forgetFindings, nothingFound, type Dialect } from './dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage } from './found-usage.ts';
import { reportedCost } from './reported-cost.ts';
import { tokenFigure } from './token-figure.ts';

/** The dialect of one response. `readsCost`: the destination is a declared upstream. */
export function createChatDialect(readsCost: boolean): Dialect {
  return new ChatDialect(readsCost);
}

class ChatDialect implements Dialect {
  readonly findings = nothingFound();
  readonly endsWithDone = true;
  readonly keepsPartial = false;
  private readonly readsCost: boolean;
  private readonly model = watched();
  private readonly finishReason = watched();
  private readonly choiceIndex = watched();
  private readonly firstChoice = watched({ index: this.choiceIndex, finish_reason: this.finishReason });
  private readonly choices = watched(null, this.firstChoice);
  private readonly input = watched();
  private readonly output = watched();
  private readonly cached = watched();
  private readonly reasoning = watched();
  private readonly cost = watched();
  private readonly totalCost = watched();
  private readonly usage = watched({
    prompt_tokens: this.input,
    completion_tokens: this.output,
    prompt_tokens_details: watched({ cached_tokens: this.cached }),
    completion_tokens_details: watched({ reasoning_tokens: this.reasoning }),
    cost: this.cost,
    total_cost: this.totalCost,
  });
  readonly body = watched({ model: this.model, choices: this.choices, usage: this.usage });
  readonly event = this.body;

  constructor(readsCost: boolean) {
    this.readsCost = readsCost;
  }

  clear(): void {
    forgetFindings(this.findings);
    this.event.forget();
    this.body.forget();
  }

  takeBody(): void {
    const { findings } = this;
    findings.model = providerName(this.model.string());
    findings.finishReason = providerName(this.finishReason.string());
    findings.usage = this.readUsage();
    findings.usageFinal = true;
  }

  takeEvent(): void {
    const { findings } = this;
    if (findings.model === null) findings.model = providerName(this.model.string());
    if (this.finishReason.kind === 'string' && this.isFirstChoice()) {
      findings.finishReason = providerName(this.finishReason.string()) ?? findings.finishReason;
    }
    const usage = this.readUsage();
    if (usage === null) return;
    findings.usage = usage;
    findings.usageFinal = findings.finishReason !== null || this.firstChoice.kind === 'absent';
  }

  endsDialogue(): boolean {
    return false;
  }

  /** Several choices are streamed in chunks of their own, told apart by `index`. */
  private isFirstChoice(): boolean {
    return this.choiceIndex.kind !== 'number' || this.choiceIndex.plainWholeNumber() === 0;
  }

  private readUsage(): FoundUsage | null {
    if (!this.usage.complete || this.usage.kind === 'null') return null;
    if (this.usage.kind !== 'object') return badUsage;
    const figures = {
      input: tokenFigure(this.input),
      output: tokenFigure(this.output),
      cached: tokenFigure(this.cached),
      cacheWrite: null,
      cacheWriteOneHour: null,
      reasoning: tokenFigure(this.reasoning),
    };
    return foundUsage(figures, this.readsCost ? reportedCost([this.cost, this.totalCost]) : null);
  }
}
