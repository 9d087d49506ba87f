/**
 * The Responses API: a response object as the body, or events of which the terminal one carries that object whole, whatever it is called.
 * The event's `type` in its data counts, never the name on its `event:` line. The finish reason is `status`, with the
 * incomplete reason where one is given (rules: Record). Read on the first wire and on declared upstreams.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { nothingFound, type Dialect } from './dialect.ts';
import { FirstWireUsage } from './first-wire-usage.ts';
import { providerName } from './found-usage.ts';
import { ToolItems } from './tool-items.ts';

const terminalTypes = ['response.completed', 'response.incomplete', 'response.failed'] as const;

/** The dialect of one response. `readsCost`: the destination is a declared upstream. */
export function createResponsesDialect(readsCost: boolean): Dialect {
  return new ResponsesDialect(readsCost);
}

class ResponsesDialect implements Dialect {
  readonly findings = nothingFound(true);
  readonly endsWithDone = false;
  readonly keepsPartial = false;
  readonly #type = watched();
  readonly #id = watched();
  readonly #background = watched();
  readonly #model = watched();
  readonly #status = watched();
  readonly #incompleteReason = watched();
  readonly #serviceTier = watched();
  readonly #tools = new ToolItems();
  readonly #usage: FirstWireUsage;
  readonly body: WatchedValue;
  readonly event: WatchedValue;

  constructor(readsCost: boolean) {
    this.#usage = new FirstWireUsage(['input', 'output'], { readsCost });
    this.body = watched({
      id: this.#id,
      background: this.#background,
      model: this.#model,
      status: this.#status,
      incomplete_details: watched({ reason: this.#incompleteReason }),
      output: this.#tools.place,
      tool_usage: this.#tools.usagePlace,
      tools: this.#tools.toolsPlace,
      service_tier: this.#serviceTier,
      usage: this.#usage.place,
    });
    this.event = watched({ type: this.#type, response: this.body });
  }

  takeBody(): void {
    const { findings } = this;
    findings.model = providerName(this.#model.string()) ?? findings.model;
    findings.finishReason = this.#readFinishReason();
    findings.serviceTier = providerName(this.#serviceTier.string());
    findings.usage = this.#usage.read();
    findings.usageFinal = true;
    findings.toolCalls = this.#usage.toolCalls() ?? this.#tools.read();
    findings.further = this.#tools.further() ?? this.#usage.further() ?? findings.further;
    findings.previewSearch = this.#tools.previewSearch;
    findings.work = this.#readWork();
    findings.deferred = findings.usage === null && (this.#status.isString('queued') || this.#status.isString('in_progress'));
  }

  takeEvent(): void {
    if (this.endsDialogue() || this.#usage.place.kind === 'object') this.takeBody();
    else if (this.findings.model === null) {
      this.findings.model = providerName(this.#model.string());
      this.findings.work = this.#readWork();
      // It goes on if its stream ends before it.
      this.findings.deferred = this.findings.work !== null;
    }
  }

  endsDialogue(): boolean {
    return terminalTypes.some((type) => this.#type.isString(type));
  }

  /** Only what is done in the background goes on after its answer. */
  #readWork(): string | null {
    return this.#background.kind === 'true' || this.#status.isString('queued') ? providerName(this.#id.string()) : null;
  }

  #readFinishReason(): string | null {
    const status = providerName(this.#status.string());
    const reason = status === 'incomplete' ? providerName(this.#incompleteReason.string()) : null;
    return reason === null ? status : `incomplete:${reason}`;
  }
}
