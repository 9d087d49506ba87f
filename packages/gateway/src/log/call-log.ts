/**
 * A node's log lines about calls: refusals, at most one line a code and second, and an access line for every call and refusal if the operator
 * wants it. Lines hold ids and figures only: never content, a header or a key. Lines leave in batches.
 */
import type { RequestId } from '@metergate/core/id.ts';
import { formatDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';

/** A request that the gateway refused. */
interface RefusalLine {
  readonly event: 'refusal';
  /** `x-svc-request-id`. */
  readonly id: RequestId;
  /** `x-request-id`, which SDKs show; null if no answer could be sent. */
  readonly answerId: string | null;
  readonly code: string;
  /** Null: the key is not known. */
  readonly organization: string | null;
  readonly key: string | null;
  /** Refusals with this code since the last line of it that have no line. */
  readonly notShown: number;
}

/** A call that was forwarded and has ended. */
interface CallLine {
  readonly event: 'call';
  readonly id: RequestId;
  readonly organization: string;
  readonly key: string;
  readonly wire: string;
  readonly endpoint: string;
  readonly method: string;
  readonly status: number | null;
  readonly outcome: string;
  readonly model: string | null;
  readonly usage: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** US dollars. */
  readonly cost: string | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number | null;
}

export type LogLine = RefusalLine | CallLine;

/** Who was refused, as far as it is known. */
type RefusedCaller = Omit<RefusalLine, 'event' | 'notShown'>;

interface CallLogOptions {
  /** Takes lines in their order. */
  readonly post: (lines: readonly LogLine[]) => void;
  /** One line for every call and every refusal (`SVC_ACCESS_LOG`). */
  readonly access: boolean;
  /** Milliseconds on a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Runs `flush` a little later; a timer that keeps no process alive by default. */
  readonly later?: (flush: () => void) => void;
}

const linePauseMs = 1_000;
const flushPauseMs = 100;
/** With this many lines they leave at once, without waiting. */
const linesMax = 500;

export class CallLog {
  readonly #options: CallLogOptions;
  readonly #later: (flush: () => void) => void;
  readonly #told = new Map<string, { atMs: number; notShown: number }>();
  #lines: LogLine[] = [];
  #waiting = false;

  constructor(options: CallLogOptions) {
    this.#options = options;
    this.#later = options.later ?? ((flush) => void setTimeout(flush, flushPauseMs).unref());
  }

  refused(refused: RefusedCaller): void {
    const nowMs = this.#options.monotonicMs();
    const told = this.#told.get(refused.code);
    if (!this.#options.access && told !== undefined && nowMs - told.atMs < linePauseMs) {
      told.notShown += 1;
      return;
    }
    this.#told.set(refused.code, { atMs: nowMs, notShown: 0 });
    this.#say({ event: 'refusal', ...refused, notShown: told?.notShown ?? 0 });
  }

  ended(record: CallRecord): void {
    if (!this.#options.access) return;
    const { id, organization, key, wire, endpoint, method, status, outcome, model, usage, cost } = record;
    const { inputTokens, outputTokens, firstByteMs, durationMs } = record;
    this.#say({
      event: 'call', id, organization, key, wire, endpoint, method, status, outcome, model, usage, inputTokens, outputTokens,
      cost: cost === null ? null : formatDollars(cost), firstByteMs, durationMs,
    });
  }

  /** Lets what waits leave now. */
  flush(): void {
    this.#waiting = false;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#options.post(lines);
  }

  #say(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length >= linesMax) return this.flush();
    if (this.#waiting) return;
    this.#waiting = true;
    this.#later(() => this.flush());
  }
}
