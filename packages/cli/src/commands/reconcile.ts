/** `metergate reconcile`: the provider's bill beside our records. Rules: Interfaces; docs/reconcile.md. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reconcile, type ShownReconciliation, type ShownSide } from '@metergate/platform/use-cases/reconcile/reconcile.ts';
import { recordCorrections, type RecordedCorrections } from '@metergate/platform/use-cases/corrections/corrections.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { providers } from '@metergate/core/wire/wire.ts';
import { command, CommandFault } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { shortDecimal, table } from '../command-line/table.ts';

export const reconcileCommand = command({
  description: "Compare a provider's usage or cost export with the records",
  args: {
    org: { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' },
    provider: { type: 'enum', required: true, options: [...providers], valueHint: 'PROVIDER', description: 'Whose export it is' },
    file: {
      type: 'positional', required: true, valueHint: 'FILE', description: 'One export: JSON of the usage or cost API, or CSV of the dashboard',
    },
    record: { type: 'boolean', description: 'Store how a cost export differs, for usage --adjusted; no record is changed' },
  },
  run: ({ org, provider, file, record }, tools) => {
    const text = textOf(resolve(tools.cwd, file));
    return onStore(tools, async (context) => {
      if (record === true) {
        const recorded = await recordCorrections(context, { organization: org, provider, text });
        return isRefusal(recorded) ? recorded : { json: recorded, text: recordedText(recorded) };
      }
      const found = await reconcile(context, { organization: org, provider, text });
      return isRefusal(found) ? found : { json: found, text: comparisonText(found), exitCode: found.equal ? 0 : 1 };
    });
  },
});

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFault('file_not_read', `The file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}

function recordedText({ corrections, days, total, openDays }: RecordedCorrections): string {
  return [
    `Recorded ${countOf(corrections.length, 'correction')} for ${days.first} to ${days.last}, ${shortDecimal(total)} USD in all. `
      + 'Earlier ones are replaced.',
    ...(openDays.length === 0 ? [] : [`Nothing is recorded for ${openDays.join(', ')}: more calls may come.`]),
  ].join('\n');
}

function comparisonText({ lines, totals, equal, recordsGoneBefore }: ShownReconciliation): string {
  const differing = lines.filter(({ verdict }) => verdict !== 'equal');
  const head = equal ? `Equal: ${countOf(lines.length, 'line')}.` : `Different: ${differing.length} of ${countOf(lines.length, 'line')}:`;
  const rows = differing.map(({ day, model, requestId, ours, theirs, verdict, reasons }) => [
    day, model ?? requestId, tokens(ours), tokens(theirs), money(ours), money(theirs), verdict, reasons.join(', '),
  ]);
  const listed = differing.length === 0 ? [] : [
    table(['DAY', 'MODEL', 'OUR TOKENS', 'THEIR TOKENS', 'OUR USD', 'THEIR USD', 'VERDICT', 'BECAUSE OF'], rows, { widthMax: 120, shrinks: 'MODEL' }),
  ];
  const gone = recordsGoneBefore === null ? []
    : [`Some or all records of calls before ${recordsGoneBefore} were removed for their age: lines of that time prove nothing.`];
  return [head, ...listed, ...gone, `Ours: ${tokens(totals.ours) ?? '-'} tokens, ${money(totals.ours) ?? '-'} USD. `
    + `Theirs: ${tokens(totals.theirs) ?? '-'} tokens, ${money(totals.theirs) ?? '-'} USD.`].join('\n');
}

function tokens({ inputTokens, outputTokens }: ShownSide): number | null {
  return inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
}

function money({ cost }: ShownSide): string | null {
  return cost === null ? null : shortDecimal(cost);
}
