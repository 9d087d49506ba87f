/**
 * Collects facts of sampled calls that ended, for traces, and sends them in batches to a thread that no call waits for. Only figures and ids,
 * as in the log: no content, header, path, label or run id. That thread turns them into OpenTelemetry spans.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { connectionSpanOf } from './connection-span.ts';
import { isSampled, traceShare, type Sampling } from './sampler.ts';
import { traceParentOf, type TraceParent } from './trace-parent.ts';
import type { HeaderPairs } from '@metergate/core/call/header-pairs.ts';

/** The parts of a record that are sent. */
const shown = [
  'id', 'organization', 'key', 'wire', 'endpoint', 'method', 'status', 'outcome', 'streamed', 'model', 'finishReason', 'inputTokens', 'outputTokens',
  'cachedTokens', 'cacheWriteTokens', 'reasoningTokens', 'usage', 'cost', 'costSource', 'serviceTier', 'providerRequestId', 'startedAtMs',
  'firstByteMs', 'durationMs', 'node', 'transport', 'connection',
] as const satisfies readonly (keyof CallRecord)[];

export interface SpanFacts extends Pick<CallRecord, (typeof shown)[number]> {
  readonly parent: TraceParent | null;
}

interface CallTracesOptions {
  readonly sampling: Sampling;
  readonly post: (spans: readonly SpanFacts[]) => void;
  /** From 0 up to 1; `Math.random` by default. */
  readonly chance?: () => number;
  /** Runs `flush` a little later; a timer that keeps no process alive by default. */
  readonly later?: (flush: () => void) => void;
}

const flushPauseMs = 1_000;
const spansMax = 256;

export class CallTraces {
  readonly #options: Required<CallTracesOptions>;
  #spans: SpanFacts[] = [];
  #waiting = false;

  constructor(options: CallTracesOptions) {
    this.#options = { chance: Math.random, later: (flush) => void setTimeout(flush, flushPauseMs).unref(), ...options };
  }

  parentOf(headers: HeaderPairs): TraceParent | null {
    return traceParentOf(headers);
  }

  ended(record: CallRecord, parent: TraceParent | null): void {
    const connection = connectionSpanOf(record);
    const chance = connection === null ? this.#options.chance : () => traceShare(connection.traceId);
    if (!isSampled(this.#options.sampling, parent, chance)) return;
    const facts = Object.fromEntries(shown.map((name) => [name, record[name]])) as Pick<CallRecord, (typeof shown)[number]>;
    this.#spans.push({ ...facts, parent });
    if (this.#spans.length >= spansMax) return this.flush();
    if (this.#waiting) return;
    this.#waiting = true;
    this.#options.later(() => this.flush());
  }

  /** Lets what waits leave now. */
  flush(): void {
    this.#waiting = false;
    if (this.#spans.length === 0) return;
    const spans = this.#spans;
    this.#spans = [];
    this.#options.post(spans);
  }
}
