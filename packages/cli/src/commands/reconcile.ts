/** `metergate reconcile`: the provider's bill beside our records. Rules: Interfaces; docs/reconcile.md. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { billSellers } from '@metergate/core/books/reconcile/read-bill.ts';
import { reconcile, type ShownReconciliation, type ShownSide } from '@metergate/platform/use-cases/reconcile/reconcile.ts';
import { recordCorrections, type RecordedCorrections } from '@metergate/platform/use-cases/corrections/corrections.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, CommandFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { plain, shortDecimal, table } from '../command-line/table.ts';
import { whyUnreadable } from '../command-line/text-file.ts';

export const reconcileCommand = command({
  description: "Compare a provider's usage or cost export with the records",
  args: {
    org: orgArgument,
    provider: { type: 'enum', required: true, options: [...billSellers], valueHint: 'PROVIDER', description: 'Whose export it is' },
    upstream: {
      type: 'string', valueHint: 'NAME', description: 'Which of the upstreams that are declared by name; without it, the one that has none',
    },
    file: {
      type: 'positional', required: true, valueHint: 'FILE',
        description: 'One export: JSON of the usage or cost API, CSV of the dashboard, or a cloud\'s cost export',
    },
    record: { type: 'boolean', description: 'Store how a cost export differs, for usage --adjusted; no record is changed' },
  },
  run: ({ org, provider, upstream, file, record }, tools) => {
    const text = textOf(resolve(tools.cwd, file));
    return onStore(tools, async (context) => {
      if (record === true) {
        const recorded = await recordCorrections(context, { organization: org, provider, text });
        return isRefusal(recorded) ? recorded : { json: recorded, text: recordedText(recorded) };
      }
      const found = await reconcile(context, { organization: org, provider, text, upstream });
      return isRefusal(found) ? found : { json: found, text: (width) => comparisonText(found, width), exitCode: found.equal ? 0 : 1 };
    });
  },
});

/** Of a file, and of what it unpacks to. A bill of the most lines that are compared has a fraction of it. */
const fileMiBMax = 256;

/** As it is, or unpacked: clouds write their reports with gzip. */
function textOf(path: string): string {
  try {
    if (statSync(path).size > fileMiBMax << 20) throw tooLarge(path);
    const bytes = readFileSync(path);
    return decoded(bytes[0] === 0x1f && bytes[1] === 0x8b ? unpacked(path, bytes) : bytes);
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    throw new CommandFault('file_not_read', `The file ${plain(path)} ${whyUnreadable((error as NodeJS.ErrnoException).code)}.`);
  }
}

function unpacked(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: fileMiBMax << 20 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(path);
    throw new CommandFault('file_not_read', `The file ${plain(path)} cannot be unpacked: it is cut short or damaged. Download it again.`);
  }
}

function tooLarge(path: string): CommandFault {
  return new CommandFault('file_not_read', `The file ${plain(path)} has more than ${fileMiBMax} MiB. Compare it in parts, by days for example.`);
}

/** Spreadsheet programs write their text files in UTF-16. */
function decoded(bytes: Uint8Array): string {
  const marks = [bytes[0], bytes[1]].join();
  return new TextDecoder(marks === '255,254' ? 'utf-16le' : marks === '254,255' ? 'utf-16be' : 'utf-8').decode(bytes);
}

function recordedText({ corrections, days, total, openDays }: RecordedCorrections): string {
  return [
    `Recorded ${countOf(corrections.length, 'correction')} for ${days.first} to ${days.last}, ${shortDecimal(total)} USD in all. `
      + 'Earlier ones are replaced.',
    ...(openDays.length === 0 ? [] : [`Nothing is recorded for ${openDays.join(', ')}: more calls may come.`]),
  ].join('\n');
}

function comparisonText({ lines, totals, equal, recordsGoneBefore, otherCurrency }: ShownReconciliation, width: number | null): string {
  const differing = lines.filter(({ verdict }) => verdict !== 'equal');
  const head = equal ? `Equal: ${countOf(lines.length, 'line')}.` : `Different: ${differing.length} of ${countOf(lines.length, 'line')}:`;
  const rows = differing.map(({ day, model, item, billName, requestId, ours, theirs, kinds, verdict, dayVerdict, reasons }) => [
    day, model ?? item ?? billName ?? requestId, tokens(ours), tokens(theirs), money(ours), money(theirs), differingKinds(kinds), verdict, dayVerdict,
    reasons.join(', '),
  ]);
  const listed = differing.length === 0 ? [] : [table(
    ['DAY', 'MODEL', 'OUR TOKENS', 'THEIR TOKENS', 'OUR USD', 'THEIR USD', 'DIFFERS IN', 'VERDICT', 'WHOLE DAY', 'BECAUSE OF'], rows,
    { widthMax: width ?? 160, shrinks: ['MODEL', 'BECAUSE OF', 'DIFFERS IN'], drops: ['OUR TOKENS', 'THEIR TOKENS', 'DIFFERS IN'] },
  )];
  const gone = recordsGoneBefore === null ? []
    : [`Some or all records of calls before ${recordsGoneBefore} were removed for their age: lines of that time prove nothing.`];
  const currency = otherCurrency === null ? [] : [`Its amounts are in ${otherCurrency} and were not compared.`];
  return [head, ...listed, ...gone, ...currency, `Ours: ${tokens(totals.ours) ?? '-'} tokens, ${money(totals.ours) ?? '-'} USD. `
    + `Theirs: ${tokens(totals.theirs) ?? '-'} tokens, ${money(totals.theirs) ?? '-'} USD.`].join('\n');
}

/** Beside input and output, which have their own columns: `cachedTokens -8800000`. */
function differingKinds(kinds: ShownReconciliation['lines'][number]['kinds']): string | null {
  const others = kinds.filter(({ kind, difference }) => difference !== 0 && kind !== 'inputTokens' && kind !== 'outputTokens');
  return others.length === 0 ? null : others.map(({ kind, difference }) => `${kind} ${difference}`).join(', ');
}

function tokens({ inputTokens, outputTokens }: ShownSide): number | null {
  return inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
}

function money({ cost }: ShownSide): string | null {
  return cost === null ? null : shortDecimal(cost);
}
