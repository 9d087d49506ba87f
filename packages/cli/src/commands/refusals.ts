/** `metergate refusals`: which keys were refused, why and how often. */
import { pastWeekUnless, rangeOf } from '@metergate/core/time/time-range.ts';
import { showRefusals, type ShownRefusals } from '@metergate/platform/use-cases/refusals.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { secondsText, table } from '../command-line/table.ts';
import { checkedRange, rangeWords } from '../command-line/value-forms.ts';

export const refusals = command({
  description: 'Show which service keys were refused, why and how often',
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    since: { type: 'string', valueHint: 'T', description: 'From this time on, by whole hours; seven days ago by default' },
    until: { type: 'string', valueHint: 'T', description: 'Up to this time' },
  },
  run: ({ org, since, until }, tools) => {
    const nowMs = tools.nowMs();
    const range = pastWeekUnless(checkedRange(rangeOf(rangeWords({ since, until }), nowMs)), nowMs);
    return onStore(tools, async (context) => {
      const report = await showRefusals(context, { organization: org, ...range });
      if (isRefusal(report)) return report;
      const names = await context.store.keyNames.names(report.organization, report.rows.flatMap(({ key }) => key ?? []));
      return { json: report.rows, text: (width) => refusalsText(report.rows, report.total, { names, width }) };
    });
  },
});

export function refusalsText(
  rows: readonly ShownRefusals[], total: number,
  { names, width }: { readonly names: ReadonlyMap<string, string | null>; readonly width: number | null },
): string {
  if (rows.length === 0) return 'No call was refused.';
  const cells = rows.map(({ key, code, scope, window, refusals: times, lastHour }) =>
    [key ?? '(many)', key === null ? null : names.get(key) ?? null, code, budgetOf(scope, window), times, secondsText(lastHour)]);
  const text = table(['KEY', 'NAME', 'CODE', 'BUDGET', 'REFUSALS', 'LAST HOUR'], cells,
    { widthMax: width, shrinks: ['NAME', 'KEY'], drops: ['LAST HOUR', 'NAME'] });
  return `${text}\nTogether ${countOf(total, 'refusal')}. Calls with a key that is not known are not among them.`;
}

function budgetOf(scope: ShownRefusals['scope'], window: ShownRefusals['window']): string | null {
  return scope === null ? null : scope === 'run' ? 'run' : `${scope} ${window}`;
}
