/**
 * Plausible records of made-up calls: more by day than by night and on weekdays, a little more each week; long prompts and short answers,
 * caches, failures, callers who leave, providers who report nothing, a model without a price. Priced by the same rules as real ones. Pure:
 * the same numbers in, the same calls out.
 */
import type { GatewayNodeId, RequestId } from '@metergate/core/id.ts';
import { idPrefix } from '@metergate/core/id.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { noReadingFields, noWork, type CallOutcome, type CallRecord } from '@metergate/core/record/call-record.ts';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import { noTokens, nothingDue, type Reading } from '@metergate/core/usage/reading.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { Drawing } from './drawing.ts';
import type { SeededRun } from '@metergate/store/calls/seeding.ts';
import type { Habit, SeededCaller } from './tenants.ts';

interface SeedPlan {
  readonly callers: readonly SeededCaller[];
  readonly calls: number;
  /** Calls end before this moment and begin at most `days` before it. */
  readonly nowMs: number;
  readonly days: number;
  readonly book: PriceBook;
}

const hourMs = 3_600_000;
const runMs = 4 * hourMs;
const node = `${idPrefix.node}${'0'.repeat(20)}` as GatewayNodeId;

/** The calls, oldest first. */
export function* plausibleCalls(plan: SeedPlan, draw: Drawing): Generator<CallRecord, void, undefined> {
  const hours = hoursOf(plan);
  const whole = hours.reduce((sum, { weight }) => sum + weight, 0);
  let due = 0;
  let made = 0;
  for (const [index, { startMs, weight }] of hours.entries()) {
    due += weight;
    const count = (index === hours.length - 1 ? plan.calls : Math.round((plan.calls * due) / whole)) - made;
    for (let each = 0; each < count; each += 1) {
      yield call(plan, Math.floor(startMs + ((each + draw.unit()) / count) * hourMs), made + each, draw);
    }
    made += count;
  }
}

function hoursOf({ nowMs, days }: SeedPlan): { readonly startMs: number; readonly weight: number }[] {
  const lastMs = Math.floor(nowMs / hourMs) * hourMs - hourMs;
  const firstMs = Math.max(dayOf(nowMs) - days * dayLengthMs, 0);
  const hours: { startMs: number; weight: number }[] = [];
  for (let startMs = firstMs; startMs <= lastMs; startMs += hourMs) {
    const at = new Date(startMs);
    const wave = 1.15 + Math.sin(((at.getUTCHours() - 8) / 24) * 2 * Math.PI);
    const weekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
    hours.push({ startMs, weight: wave * (weekend ? 0.35 : 1) * (1 + (startMs - firstMs) / (90 * dayLengthMs)) });
  }
  return hours;
}

function call({ callers, book }: SeedPlan, startedAtMs: number, number: number, draw: Drawing): CallRecord {
  const caller = draw.oneOf(callers);
  const habit = draw.oneOf(caller.habits);
  const end = endOf(draw);
  const reading = readingOf(habit, end, draw);
  const { cost, costGaps, costSource, priceList, cacheSavings } = costOf({
    reading, provider: habit.wire, upstreamHost: null, book, fallback: null, atMs: startedAtMs,
  });
  const { input, output, cached, cacheWrite, reasoning } = reading.tokens;
  const durationMs = draw.around(1_800);
  return {
    ...noReadingFields,
    id: (idPrefix.request + number.toString(16).padStart(12, '0') + draw.hex(20)) as RequestId,
    organization: caller.organization, key: caller.key, project: caller.project, ...wordsOf(caller, startedAtMs, draw), labelsDropped: 0,
    wire: habit.wire, endpoint: habit.endpoint, method: 'POST', path: habit.path, startedAtMs, node,
    streamed: habit.endpoint !== 'embeddings' && draw.below(2) === 0, status: end.status, outcome: end.outcome,
    model: reading.model, finishReason: reading.finishReason,
    inputTokens: input, outputTokens: output, cachedTokens: cached, cacheWriteTokens: cacheWrite, reasoningTokens: reasoning,
    usage: reading.usage, usageReason: reading.usageReason, cost, costGaps, costSource, priceList, cacheSavings,
    providerRequestId: end.status === null ? null : draw.hex(32),
    requestBytes: (input ?? draw.around(900)) * 4, responseBytes: (output ?? 0) * 6 + 300,
    firstByteMs: end.status === null ? null : durationMs / 3, durationMs, transport: 'http', connection: null, session: null,
    ...noWork,
  };
}

/** Agents' calls share a run of some hours; one call in eight has a label besides its key's. */
function wordsOf({ labels, agent, key }: SeededCaller, startedAtMs: number, draw: Drawing): Pick<CallRecord, 'labels' | 'run'> {
  const own = draw.below(8) === 0 ? [`customer-${draw.oneOf(customers)}`] : [];
  return { labels: draw.below(10) === 0 ? [] : [...labels, ...own], run: agent ? `run-${key.slice(-6)}-${Math.floor(startedAtMs / runMs)}` : null };
}

/** A run that such calls belong to: it begins with the first of them and ends when its hours are over. */
export function plausibleRun({ organization, startedAtMs }: Pick<CallRecord, 'organization' | 'startedAtMs'>, id: string): SeededRun {
  return { organization, id, startedAtMs, endedAtMs: (Math.floor(startedAtMs / runMs) + 1) * runMs };
}

const customers = Array.from({ length: 200 }, (_, index) => index + 1);

interface CallEnd {
  readonly outcome: CallOutcome;
  readonly status: number | null;
  readonly usage: Reading['usage'];
}

/** Of a thousand calls, some end otherwise. */
function endOf(draw: Drawing): CallEnd {
  const one = draw.below(1_000);
  if (one < 955) return { outcome: 'completed', status: 200, usage: 'reported' };
  if (one < 970) return { outcome: 'completed', status: 429, usage: 'none' };
  if (one < 975) return { outcome: 'completed', status: 500, usage: 'none' };
  if (one < 982) return { outcome: 'failed', status: null, usage: 'none' };
  if (one < 989) return { outcome: 'caller_gone', status: 200, usage: 'unknown' };
  if (one < 993) return { outcome: 'caller_gone', status: 200, usage: 'partial' };
  if (one < 997) return { outcome: 'cut', status: 200, usage: 'unknown' };
  return { outcome: 'interrupted', status: null, usage: 'unknown' };
}

function nothingRead(model: string | null, usage: Reading['usage'], usageReason: Reading['usageReason']): Reading {
  return { ...nothingDue, model, usage, usageReason };
}

function readingOf({ model, wire, endpoint }: Habit, { usage, outcome }: CallEnd, draw: Drawing): Reading {
  if (usage === 'none') return nothingRead(null, 'none', null);
  if (usage === 'unknown') {
    return nothingRead(outcome === 'interrupted' ? null : model, 'unknown', outcome === 'completed' || outcome === 'failed' ? 'absent' : outcome);
  }
  const input = draw.around(endpoint === 'embeddings' ? 400 : 1_600);
  const cached = draw.below(3) === 0 ? Math.floor(input * 0.7) : 0;
  const output = endpoint === 'embeddings' ? null : draw.around(260);
  return {
    ...nothingRead(model, usage, usage === 'partial' ? 'caller_gone' : null), cachedInInput: wires[wire].cachedInInput,
    finishReason: endpoint === 'embeddings' ? null : endpoint === 'messages' ? 'end_turn' : 'stop',
    tokens: {
      ...noTokens,
      input, output, cached: endpoint === 'embeddings' ? null : cached,
      cacheWrite: endpoint === 'messages' ? (draw.below(6) === 0 ? draw.around(900) : 0) : null,
      reasoning: endpoint !== 'messages' && output !== null ? Math.floor(output / 4) : null,
    },
  };
}
