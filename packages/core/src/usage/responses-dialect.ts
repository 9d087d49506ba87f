/**
 * The Responses API: a response object as the body, or events of which the terminal one carries that object whole.
 * The event's `type` in its data counts, never the name on its `event:` line. The finish reason is `status`, with the
 * incomplete reason where one is given (design 4). Read on the first wire and on declared upstreams.
 */
import { watched } from '../json/watched-value.ts';
import { forgetFindings, nothingFound, type Dialect } from './dialect.ts';
import { badUsage, foundUsage, providerName, type FoundUsage } from './found-usage.ts';
import { reportedCost } from './reported-cost.ts';
import { tokenFigure } from './token-figure.ts';

const terminalTypes = ['response.completed', 'response.incomplete', 'response.failed'] as const;

/** The dialect of one response. `readsCost`: the destination is a declared upstream. */
export function createResponsesDialect(readsCost: boolean): Dialect {
  return new ResponsesDialect(readsCost);
}

class ResponsesDialect implements Dialect {
  readonly findings = nothingFound();
  readonly endsWithDone = false;
  readonly keepsPartial = false;
  private readonly readsCost: boolean;
  private readonly type = watched();
  private readonly model = watched();
  private readonly status = watched();
  private readonly incompleteReason = watched();
  private readonly input = watched();
  private readonly output = watched();
  private readonly cached = watched();
  private readonly reasoning = watched();
  private readonly cost = watched();
  private readonly totalCost = watched();
  private readonly usage = watched({
    input_tokens: this.input,
    output_tokens: this.output,
    input_tokens_details: watched({ cached_tokens: this.cached }),
    output_tokens_details: watched({ reasoning_tokens: this.reasoning }),
    cost: this.cost,
    total_cost: this.totalCost,
  });
  readonly body = watched({
    model: this.model,
    status: this.status,
    incomplete_details: watched({ reason: this.incompleteReason }),
    usage: this.usage,
  });
  readonly event = watched({ type: this.type, response: this.body });

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
    findings.model = providerName(this.model.string()) ?? findings.model;
    findings.finishReason = this.readFinishReason();
    findings.usage = this.readUsage();
    findings.usageFinal = true;
  }

  takeEvent(): void {
    if (this.endsDialogue()) this.takeBody();
    else if (this.findings.model === null) this.findings.model = providerName(this.model.string());
  }

  endsDialogue(): boolean {
    return terminalTypes.some((type) => this.type.isString(type));
  }

  private readFinishReason(): string | null {
    const status = providerName(this.status.string());
    const reason = status === 'incomplete' ? providerName(this.incompleteReason.string()) : null;
    return reason === null ? status : `incomplete:${reason}`;
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
