/**
 * Events → what they add to the sums behind a report: figures by day, provider, model, tag and price band; latencies in buckets, for each
 * part of the report; the tightest rate limit seen. A report then costs the same over a thousand events and over millions. Sums are whole
 * numbers, exact to 2^53.
 */
import { dayOf } from '../time/utc-day.ts';
import { tapStopReasons, type TapEvent, type TapProvider } from './event.ts';
import { latencyBucket, type LatencyCounts } from './latency-bucket.ts';
import { bandOf, freshTokensOf } from './modeled-cost.ts';

/** Names of the figures that are summed, as the store's columns are called. */
export const tapFigures = [
  'calls', 'input_tokens', 'output_tokens', 'cached_tokens', 'fresh_tokens', 'tool_calls', 'retries',
  'failures', 'rate_limited', 'server_errors', 'no_response',
  ...tapStopReasons.map((reason) => `stop_${reason}` as const),
] as const;
export type TapFigureName = (typeof tapFigures)[number];
/** Sums in the order of `tapFigures`. */
export type TapSums = number[];

/** Calls that a report does not distinguish. */
export interface TapCell {
  /** 00:00 UTC of the day, by the events' timestamps. */
  readonly dayMs: number;
  readonly provider: TapProvider;
  readonly model: string;
  readonly tag: string;
  readonly band: number;
  readonly sums: TapSums;
}

/** How many calls of one part of the report fell into each bucket. */
export interface TapLatency {
  readonly part: string;
  readonly counts: LatencyCounts;
}

/** The smallest share of a limit that was left. */
export interface TapHeadroom {
  readonly provider: TapProvider;
  readonly model: string;
  readonly kind: 'requests' | 'tokens';
  /** Above 0. */
  readonly limit: number;
  readonly remaining: number;
  readonly atMs: number;
}

export interface TapRollup {
  readonly cells: readonly TapCell[];
  readonly latencies: readonly TapLatency[];
  readonly headroom: readonly TapHeadroom[];
}

/** Names of the parts of a report that have latencies; each is stored separately for every day. */
export const latencyPart = {
  all: 'all',
  provider: (provider: TapProvider) => `provider:${provider}`,
  model: (provider: TapProvider, model: string) => `model:${provider}:${model}`,
  tag: (tag: string) => `tag:${tag}`,
} as const;

/** The name under which the latencies of a part on one day are stored. */
export function partOnDay(dayMs: number, part: string): string {
  return `${dayMs}:${part}`;
}

/** The day and the part. A null day: stored before latencies were separated by day. */
export function dayAndPart(name: string): { readonly dayMs: number | null; readonly part: string } {
  const [, day, part] = /^(\d+):(.*)$/.exec(name) ?? [];
  return day === undefined ? { dayMs: null, part: name } : { dayMs: Number(day), part: part! };
}

/** Everything ordered by its key, so that two writers take rows in one order. `steps`: those of the price list. */
export function rollUp(events: readonly TapEvent[], steps: readonly number[]): TapRollup {
  const cells = new Map<string, TapCell>();
  const latencies = new Map<string, Map<number, number>>();
  const headroom = new Map<string, TapHeadroom>();
  for (const event of events) {
    addToCell(cells, event, steps);
    addLatency(latencies, event);
    addHeadroom(headroom, event);
  }
  return {
    cells: inOrder(cells), latencies: inOrder(latencies, (part, counts) => ({ part, counts })), headroom: inOrder(headroom),
  };
}

/** Whether `a` leaves a smaller share than `b`; exact. */
function isTighter(a: Pick<TapHeadroom, 'limit' | 'remaining'>, b: Pick<TapHeadroom, 'limit' | 'remaining'>): boolean {
  return BigInt(a.remaining) * BigInt(b.limit) < BigInt(b.remaining) * BigInt(a.limit);
}

/** What one event adds, in the order of `tapFigures`. */
function figuresOf(event: TapEvent): TapSums {
  const { status, stopReason } = event;
  const failed = status < 200 || status > 299 || stopReason === 'error';
  return [
    1, event.inputTokens, event.outputTokens, event.cachedTokens, freshTokensOf(event), event.toolCalls, event.retries,
    failed ? 1 : 0, status === 429 ? 1 : 0, status >= 500 && status < 599 ? 1 : 0, status === 599 ? 1 : 0,
    ...tapStopReasons.map((reason) => (reason === stopReason ? 1 : 0)),
  ];
}

function addToCell(cells: Map<string, TapCell>, event: TapEvent, steps: readonly number[]): void {
  const dayMs = dayOf(event.timestampMs);
  const { provider, model, tag } = event;
  const band = bandOf(event, steps);
  const key = `${dayMs} ${provider} ${model} ${tag} ${band}`;
  const figures = figuresOf(event);
  const cell = cells.get(key);
  if (cell === undefined) cells.set(key, { dayMs, provider, model, tag, band, sums: figures });
  else addSums(cell.sums, figures);
}

/** Adds in place. */
export function addSums(sums: TapSums, more: readonly number[]): void {
  for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + more[i]!;
}

function addLatency(latencies: Map<string, Map<number, number>>, { provider, model, tag, timestampMs, latencyMs }: TapEvent): void {
  const bucket = latencyBucket(latencyMs);
  const parts = [
    latencyPart.all, latencyPart.provider(provider), latencyPart.model(provider, model), latencyPart.tag(tag),
  ].map((part) => partOnDay(dayOf(timestampMs), part));
  for (const part of parts) {
    const counts = latencies.get(part) ?? new Map<number, number>();
    latencies.set(part, counts.set(bucket, (counts.get(bucket) ?? 0) + 1));
  }
}

function addHeadroom(headroom: Map<string, TapHeadroom>, { provider, model, timestampMs, rateLimit }: TapEvent): void {
  if (rateLimit === null) return;
  const { requestsLimit, requestsRemaining, tokensLimit, tokensRemaining } = rateLimit;
  const seen = [
    { kind: 'requests', limit: requestsLimit, remaining: requestsRemaining }, { kind: 'tokens', limit: tokensLimit, remaining: tokensRemaining },
  ] as const;
  for (const { kind, limit, remaining } of seen) {
    if (limit === null || remaining === null || limit === 0) continue;
    const key = `${provider} ${model} ${kind}`;
    const tightest = headroom.get(key);
    if (tightest === undefined || isTighter({ limit, remaining }, tightest)) {
      headroom.set(key, { provider, model, kind, limit, remaining, atMs: timestampMs });
    }
  }
}

function inOrder<Row, Shown = Row>(rows: ReadonlyMap<string, Row>, shown?: (key: string, row: Row) => Shown): Shown[] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, row]) => shown?.(key, row) ?? (row as unknown as Shown));
}
