/**
 * A node's call counts → Prometheus counters and histograms. Seconds and US dollars, as Prometheus' conventions ask. Token types have the
 * names of OpenTelemetry's conventions for generative AI.
 */
import type { CallMetricsSnapshot } from '@metergate/gateway/metrics/call-metrics.ts';
import type { Histogram } from '@metergate/gateway/metrics/histogram.ts';
import { Counter, type Registry } from 'prom-client';

/** Adds the counters of calls, refusals, tokens and money. */
export function addCallCounters(registry: Registry, metrics: CallMetricsSnapshot): void {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const calls = counter('metergate_calls_total', 'Calls that ended, by wire, endpoint, class of status and outcome.',
    ['wire', 'endpoint', 'status', 'outcome']);
  for (const { calls: count, ...labels } of metrics.calls) calls.inc(labels, count);
  const refusals = counter('metergate_refusals_total', 'Requests that the gateway refused, by error code.', ['code']);
  for (const [code, count] of metrics.refusals) refusals.inc({ code }, count);
  const tokens = counter('metergate_tokens_total', 'Tokens as providers reported them.', ['wire', 'type']);
  const spend = counter('metergate_spend_usd_total', 'Cost of recorded calls in US dollars, as far as it is known.', ['wire']);
  for (const [wire, { tokens: byType, spendNano }] of metrics.wires) {
    for (const [type, count] of Object.entries(byType)) tokens.inc({ wire, type }, count);
    spend.inc({ wire }, spendNano / 1e9);
  }
  const without = counter('metergate_calls_without_usage_total', 'Calls whose usage is unknown or partial, by reason.', ['reason']);
  for (const [reason, count] of metrics.withoutUsage) without.inc({ reason }, count);
  const gaps = counter('metergate_cost_gaps_total', 'Calls whose cost leaves out something that was reported, by what is left out.', ['gap']);
  for (const [gap, count] of metrics.costGaps) gaps.inc({ gap }, count);
  counter('metergate_calls_unpriced_total', 'Calls with usage but no known price.', []).inc(metrics.unpriced);
}

/** The histograms as separate text: they are already counted, and the client library only takes single observations. */
export function callHistograms({ addedMs, wires }: CallMetricsSnapshot): string {
  const lines: string[] = [];
  const family = (name: string, help: string, series: readonly (readonly [labels: string, histogram: Histogram])[]): void => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`);
    for (const [labels, histogram] of series) lines.push(...seriesLines(name, labels, histogram));
  };
  family('metergate_added_latency_seconds', 'Time the gateway itself adds to a call: journalling it and reading its usage.', [['', addedMs]]);
  family('metergate_first_byte_seconds', 'Time from the admission of a call to the head of its response.',
    [...wires].map(([wire, { firstByteMs }]) => [`wire="${wire}"`, firstByteMs]));
  family('metergate_call_duration_seconds', 'Time from the admission of a call to its end.',
    [...wires].map(([wire, { durationMs }]) => [`wire="${wire}"`, durationMs]));
  return `\n${lines.join('\n')}\n`;
}

function seriesLines(name: string, labels: string, { bounds, counts, sum }: Histogram): string[] {
  const with_ = (extra: string): string => {
    const all = [labels, extra].filter((part) => part !== '').join(',');
    return all === '' ? '' : `{${all}}`;
  };
  let below = 0;
  const buckets = [...bounds, Infinity].map((bound, at) => {
    below += counts[at]!;
    return `${name}_bucket${with_(`le="${bound === Infinity ? '+Inf' : bound / 1_000}"`)} ${below}`;
  });
  return [...buckets, `${name}_sum${with_('')} ${sum / 1_000}`, `${name}_count${with_('')} ${below}`];
}
