/** A Baseline and its report → text for people. Every column says whether it is reported, modeled or declared. */
import type { ShownBaseline } from '@metergate/platform/use-cases/baselines.ts';
import type { ReportFigures, TapReport } from '@metergate/core/tap/report.ts';
import { countOf } from '../command-line/counts.ts';
import { fields, secondsText, shortDecimal, table } from '../command-line/table.ts';

export function baselineText(shown: ShownBaseline): string {
  const { id, state, readmitted, prefix, keyRead, firstDay, closesAt, retiredAt } = shown;
  const awaited = state === 'waiting' ? 'the first whole day, in UTC, with priced calls' : null;
  return fields([
    ['id', id], ['state', readmitted ? `${state} (its days are over; the plan admits the key)` : state],
    ['key', `${prefix}… (${keyRead ? 'shown' : 'not read yet'})`], ['first day', firstDay ?? awaited],
    ['closes', secondsText(closesAt) ?? 'never on this plan'], ['retired', secondsText(retiredAt)],
  ]);
}

export function reportText(report: TapReport, width: number | null): string {
  const { total, byModel, byProvider, byTag, byDay, outside, headroom, declared } = report;
  const heads = ['CALLS', 'INPUT', 'OUTPUT', 'CACHED', 'COST USD', 'FAILED', 'RETRIES', 'P50 MS', 'P99 MS'];
  const drops = ['RETRIES', 'P50 MS'];
  const part = (head: string, rows: readonly (readonly [string, ReportFigures])[]): string =>
    table([head, ...heads], rows.map(([name, figures]) => [name, ...cells(figures)]), { widthMax: width, shrinks: head, drops });
  const parts = [
    part(report.from === null ? 'TOTAL' : `TOTAL OF ${report.from} TO ${report.to} (EXCLUDED)`, [['', total]]),
    part('MODEL', byModel.map((each) => [`${each.provider}/${each.model}`, each])),
    part('PROVIDER', byProvider.map((each) => [each.provider, each])),
    part('TAG', byTag.map((each) => [each.tag, each])),
    part('DAY', byDay.map((each) => [each.day, each])),
  ];
  const reasons = Object.entries(total.stopReasons).filter(([, { value }]) => value > 0).map(([name, { value }]) => `${name} ${value}`);
  const limits = table(['RATE LIMIT', 'KIND', 'LEAST LEFT', 'OF', 'AT'],
    headroom.map(({ provider, model, kind, remaining, limit, at }) => [`${provider}/${model}`, kind, remaining.value, limit.value, secondsText(at)]),
    { widthMax: width, shrinks: ['RATE LIMIT', 'AT'] });
  const typed = table(['DECLARED', 'USD'], declared.map(({ name, amount }) => [name, shortDecimal(amount.value)]),
    { widthMax: width, shrinks: 'DECLARED' });
  return [
    ...(total.calls.value === 0 ? ['No call was reported yet.'] : parts),
    ...(outside === null ? [] : [`Outside the seven days: ${countOf(outside.calls.value, 'call')}, in none of the figures above.`]),
    ...(reasons.length === 0 ? [] : [`Stop reasons: ${reasons.join(', ')}.`]),
    ...(total.unpricedCalls.value === 0 ? []
      : [`Calls of models without a listed price: ${total.unpricedCalls.value} of ${total.calls.value}. They are in no cost.`]),
    ...(headroom.length === 0 ? [] : [limits]),
    ...(declared.length === 0 ? [] : [typed]),
    `Calls, tokens, failures and latencies are as the client reported them. Costs are modeled on price list ${report.priceList}. `
      + 'Nothing here was measured.',
  ].join('\n\n');
}

function cells({ calls, inputTokens, outputTokens, cachedTokens, cost, failures, retries, latencyMs }: ReportFigures): (string | number | null)[] {
  return [
    calls.value, inputTokens.value, outputTokens.value, cachedTokens.value, cost.value === null ? 'unpriced' : shortDecimal(cost.value),
    failures.value, retries.value, latencyMs.p50.value, latencyMs.p99.value,
  ];
}
