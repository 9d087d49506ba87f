/** `metergate usage`: what an organization's calls used, by one dimension. Design 5. */
import { usageDimensions, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { isRefusal } from '@metergate/platform/refusal.ts';
import { showUsage, type ShownUsage } from '@metergate/platform/usage.ts';
import { command } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { table } from '../command-line/table.ts';
import { instantMs } from '../command-line/value-forms.ts';

export const usage = command({
  description: 'Add up calls, tokens and cost, the costliest first',
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    by: { type: 'enum', options: [...usageDimensions], required: true, description: 'What to add up by; a call counts under each of its labels' },
    since: { type: 'string', valueHint: 'T', description: 'Calls that started at or after this instant, ISO 8601' },
    until: { type: 'string', valueHint: 'T', description: 'Calls that started before this instant' },
  },
  run: ({ org, by: given, since, until }, tools) => {
    const by = given as UsageDimension;
    const query = {
      organization: org, by,
      ...(since === undefined ? {} : { sinceMs: instantMs('since', since) }),
      ...(until === undefined ? {} : { untilMs: instantMs('until', until) }),
    };
    return onStore(tools, async (ground) => {
      const rows = await showUsage(ground, query);
      return isRefusal(rows) ? rows : { json: rows, text: usageText(by, rows) };
    });
  },
});

const fit = { widthMax: 120 } as const;

function usageText(by: UsageDimension, rows: readonly ShownUsage[]): string {
  if (rows.length === 0) return 'There were no calls.';
  const noted = (name: 'unknownCalls' | 'unpricedCalls') => rows.some((row) => row[name] > 0);
  const heads = [by.toUpperCase(), 'CALLS', 'IN', 'OUT', 'COST USD', ...(noted('unknownCalls') ? ['UNKNOWN'] : []),
    ...(noted('unpricedCalls') ? ['UNPRICED'] : [])];
  const text = table(heads, rows.map((row) => [
    row[by] ?? null, row.calls, row.inputTokens, row.outputTokens, row.cost.replace(/(\.\d{6}\d*?)0+$/, '$1'),
    ...(noted('unknownCalls') ? [row.unknownCalls] : []), ...(noted('unpricedCalls') ? [row.unpricedCalls] : []),
  ]), { ...fit, shrinks: by.toUpperCase() });
  return [text,
    ...(noted('unknownCalls') ? ['Unknown: calls whose usage did not come, or came in part. They may have cost more.'] : []),
    ...(noted('unpricedCalls') ? ['Unpriced: calls with usage that has no price. Their cost is not in the sums.'] : []),
  ].join('\n');
}
