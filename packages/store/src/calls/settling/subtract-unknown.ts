/**
 * Takes calls that were settled out of the counts of unknown calls, in every sum that holds their start: spend by day, usage, hours. What they
 * added otherwise stays. In the transaction that keeps their settlements.
 */
import { usageFigureNames, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Send } from '../../engine/send.ts';
import { orderedAdditionsOf, noSpend, sendSpend } from '../../spend/apply-spend.ts';
import { hourAdditionsOf, subtractHour } from '../../usage/apply-hours.ts';
import { sendUsage } from '../../usage/apply-usage.ts';
import { orderedUsageAdditionsOf } from '../../usage/usage-additions.ts';
import type { SettledCall } from './settle-works.ts';

export function subtractUnknown(engine: Engine['kind'], send: Send, settled: readonly SettledCall[]): void {
  if (settled.length === 0) return;
  const records = settled.map(({ record }) => record);
  sendSpend(engine, send, orderedAdditionsOf(records).map((addition) =>
    ({ ...addition, figures: { ...noSpend, unknownCalls: -addition.figures.unknownCalls } })));
  const { named, attributed, words } = orderedUsageAdditionsOf(records, settled.map(({ attribution }) => attribution));
  const less = <Row extends { readonly figures: UsageFigures }>(row: Row): Row => ({ ...row, figures: row.figures.map(onlyUnknown) });
  sendUsage(engine, send, { named: named.map(less), attributed: attributed.map(less), words: words.map(less) });
  for (const addition of hourAdditionsOf(records)) if (addition.figure === 'unknown') subtractHour(engine, send, addition);
}

const unknownAt = usageFigureNames.indexOf('unknownCalls');

function onlyUnknown(figure: UsageFigures[number], index: number): UsageFigures[number] {
  return index === unknownAt ? -figure : 0;
}
