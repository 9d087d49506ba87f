/**
 * What a node counts of its calls and refusals, for `/metrics`. Every label has few values, fixed by the specification: no key, no
 * organization, no model, no path. One call costs a few additions in maps that do not grow with traffic.
 */
import type { CallRecord, CostGap } from '@metergate/core/record/call-record.ts';
import type { UsageReason } from '@metergate/core/usage/reading.ts';
import { createHistogram, countObserved, type Histogram } from './histogram.ts';

type Wire = CallRecord['wire'];

/** Kinds of tokens as `/metrics` names them; cached and reasoning tokens are parts of the others where the wire says so. */
const tokenTypes = ['input', 'output', 'cached', 'cache_write', 'reasoning'] as const;
type TokenType = (typeof tokenTypes)[number];

/** A count of calls with the same labels. */
interface CallCount {
  readonly wire: Wire;
  readonly endpoint: CallRecord['endpoint'];
  /** `2xx` and so on; `none`: no response head came. */
  readonly status: string;
  readonly outcome: CallRecord['outcome'];
  calls: number;
}

/** What was counted of the calls of one wire. Plain values: it may be copied between threads. */
interface WireMetrics {
  readonly tokens: Record<TokenType, number>;
  /** Nano-dollars. A sum for dashboards: exact up to 2^53, rounded above. */
  spendNano: number;
  /** Milliseconds to the response head. */
  readonly firstByteMs: Histogram;
  /** Milliseconds from admission to the end. */
  readonly durationMs: Histogram;
}

export interface CallMetricsSnapshot {
  readonly calls: readonly CallCount[];
  readonly wires: ReadonlyMap<Wire, WireMetrics>;
  /** Refusals by their code. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Calls whose usage is not known, or known in part, by the reason. */
  readonly withoutUsage: ReadonlyMap<UsageReason, number>;
  /** Calls whose cost lacks something, by what it lacks. */
  readonly costGaps: ReadonlyMap<CostGap, number>;
  /** Calls with usage that nobody has a price for. */
  readonly unpriced: number;
  /** Milliseconds that the gateway itself added: writing the opening, reading the end and writing the closing. */
  readonly addedMs: Histogram;
}

const addedBoundsMs = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000] as const;
const firstByteBoundsMs = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000] as const;
const durationBoundsMs = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000] as const;

export class CallMetrics {
  readonly #calls = new Map<string, CallCount>();
  readonly #wires = new Map<Wire, WireMetrics>();
  readonly #refusals = new Map<string, number>();
  readonly #withoutUsage = new Map<UsageReason, number>();
  readonly #costGaps = new Map<CostGap, number>();
  readonly #addedMs = createHistogram(addedBoundsMs);
  #unpriced = 0;
  #lastCount: CallCount | null = null;

  /** A request was answered by the gateway itself. `code`: the refusal's, one of the error table. */
  refused(code: string): void {
    add(this.#refusals, code);
  }

  /** A call ended and its record is written. `addedMs`: what the gateway itself added; null if our own fault ended the call. */
  recorded(record: CallRecord, addedMs: number | null): void {
    this.#countOf(record).calls += 1;
    const wire = this.#wireOf(record.wire);
    const { tokens } = wire;
    if (record.usage === 'reported' || record.usage === 'partial') {
      tokens.input += record.inputTokens ?? 0;
      tokens.output += record.outputTokens ?? 0;
      tokens.cached += record.cachedTokens ?? 0;
      tokens.cache_write += record.cacheWriteTokens ?? 0;
      tokens.reasoning += record.reasoningTokens ?? 0;
    }
    if (record.cost !== null) wire.spendNano += Number(record.cost);
    if (record.firstByteMs !== null) countObserved(wire.firstByteMs, record.firstByteMs);
    // How long a connection lasts says nothing of how long providers take.
    const isConnection = record.transport === 'websocket' && record.connection === null;
    if (record.durationMs !== null && !isConnection) countObserved(wire.durationMs, record.durationMs);
    if (record.usageReason !== null) add(this.#withoutUsage, record.usageReason);
    if (record.costSource === 'unpriced') this.#unpriced += 1;
    for (const gap of record.costGaps) add(this.#costGaps, gap);
    if (addedMs !== null) countObserved(this.#addedMs, addedMs);
  }

  snapshot(): CallMetricsSnapshot {
    return {
      calls: [...this.#calls.values()], wires: this.#wires, refusals: this.#refusals, withoutUsage: this.#withoutUsage,
      costGaps: this.#costGaps, unpriced: this.#unpriced, addedMs: this.#addedMs,
    };
  }

  #countOf({ wire, endpoint, status, outcome }: CallRecord): CallCount {
    const statusClass = status === null ? 'none' : statusClasses[Math.floor(status / 100)] ?? 'none';
    // Calls mostly end as the one before did: then no name is made.
    const last = this.#lastCount;
    if (last !== null && last.outcome === outcome && last.status === statusClass && last.endpoint === endpoint && last.wire === wire) return last;
    const name = `${wire} ${endpoint} ${statusClass} ${outcome}`;
    let count = this.#calls.get(name);
    if (count === undefined) this.#calls.set(name, count = { wire, endpoint, status: statusClass, outcome, calls: 0 });
    this.#lastCount = count;
    return count;
  }

  #wireOf(name: Wire): WireMetrics {
    let wire = this.#wires.get(name);
    if (wire === undefined) {
      wire = {
        tokens: { input: 0, output: 0, cached: 0, cache_write: 0, reasoning: 0 }, spendNano: 0,
        firstByteMs: createHistogram(firstByteBoundsMs), durationMs: createHistogram(durationBoundsMs),
      };
      this.#wires.set(name, wire);
    }
    return wire;
  }
}

const statusClasses = [undefined, '1xx', '2xx', '3xx', '4xx', '5xx'];

function add<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
