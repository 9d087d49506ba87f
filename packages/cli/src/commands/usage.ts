/** `metergate usage`: what an organization's calls used, by one or two dimensions. Rules: Interfaces. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { formatDollars, nanoDollars, parseDollars } from '@metergate/core/money.ts';
import { rangeOrThisMonth } from '@metergate/core/time/time-range.ts';
import { endpoints, wireNames } from '@metergate/core/wire/wire.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { listServiceKeys } from '@metergate/platform/use-cases/service-keys.ts';
import { showComparedUsage, streamComparedUsage, type ComparedUsage } from '@metergate/platform/use-cases/compared-usage.ts';
import { listIdForm, type PricesToTry } from '@metergate/platform/use-cases/repricing/prices-to-try.ts';
import type { CsvForm } from '@metergate/platform/use-cases/export/csv.ts';
import { usageCsvPieces } from '@metergate/platform/use-cases/export/usage-csv.ts';
import { dimensionsForm, parseDimensions, type AskedDimension, type ShownUsage } from '@metergate/platform/use-cases/usage.ts';
import type { UsageFilter } from '@metergate/store/usage/usage-query.ts';
import { printable } from '../command-line/check-arguments.ts';
import { command, CommandFault, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { warnOfRemovedRecords } from '../command-line/records-gone.ts';
import { plain, table } from '../command-line/table.ts';
import { writeWhole } from '../command-line/whole-file.ts';
import { givenRange, rangeWords } from '../command-line/value-forms.ts';
import { whyUnreadable } from '../command-line/text-file.ts';

export const usage = command({
  description: 'Add up calls, tokens and cost: the costliest first, times in their order',
  args: {
    org: orgArgument,
    by: { type: 'string', required: true, valueHint: 'A[,B]', description: `${capitalized(dimensionsForm)}; a call counts under each of its labels` },
    month: { type: 'string', valueHint: 'YYYY-MM', description: 'Calls of this month; the current one by default' },
    since: { type: 'string', valueHint: 'T', description: 'Calls that started at or after this time: 2026-11-01, today, 7d, …' },
    until: { type: 'string', valueHint: 'T', description: 'Calls that started before this time' },
    key: { type: 'string', valueHint: 'KEY', description: 'Calls of this service key, by id' },
    project: { type: 'string', valueHint: 'PROJECT', description: 'Calls for this project' },
    model: { type: 'string', valueHint: 'MODEL', description: 'Calls whose answer names this model' },
    label: { type: 'string', valueHint: 'LABEL', description: 'Calls with this label' },
    run: { type: 'string', valueHint: 'RUN', description: 'Calls of this run' },
    session: { type: 'string', valueHint: 'SESSION', description: 'Calls of this session, as the agent names it' },
    upstream: { type: 'string', valueHint: 'NAME', description: 'Calls to the upstream of this name' },
    wire: { type: 'enum', options: [...wireNames], valueHint: 'WIRE', description: `Calls to ${wireNames.join(', ')}` },
    endpoint: { type: 'enum', options: [...endpoints], valueHint: 'ENDPOINT', description: `Calls of this endpoint: ${endpoints.join(', ')}` },
    adjusted: { type: 'boolean', description: "Also show the differences from providers' bills, as reconcile --record stored them" },
    csv: { type: 'string', valueHint: 'FILE', description: 'Write the rows as CSV, amounts with nine places; an existing file is replaced' },
    bom: { type: 'boolean', description: 'Begin the CSV with a byte order mark, by which spreadsheets know UTF-8' },
    'decimal-comma': { type: 'boolean', description: 'Write amounts of the CSV with a comma, and separate by semicolons' },
    prices: {
      type: 'string', valueHint: 'LIST', description: 'Also show the cost by other prices: list, current, a list by name, or a price file',
    },
  },
  run: ({ org, by: given, month, since, until, adjusted, prices, csv, bom, 'decimal-comma': decimalComma, ...filter }, tools) => {
    const by = dimensionsOf(given);
    if (csv === undefined && (bom === true || decimalComma === true)) throw new UsageFault('--bom and --decimal-comma need --csv FILE.');
    const query = {
      organization: org, by, filter: usageFilterOf(filter),
      ...givenRange(rangeOrThisMonth(rangeWords({ month, since, until }), tools.nowMs())),
    };
    const beside = { adjusted: adjusted === true, ...(prices === undefined ? {} : { prices: pricesToTry(prices, tools.cwd) }) };
    return onStore(tools, async (context) => {
      if (csv !== undefined) {
        const found = await streamComparedUsage(context, query, beside);
        if (isRefusal(found)) return found;
        await warnOfRemovedRecords(context, query, tools);
        const form = { byteOrderMark: bom === true, decimalComma: decimalComma === true };
        const { rows, bytes } = await writeCsv(resolve(tools.cwd, csv), { by, batches: found.batches, form });
        return { json: { rows, bytes, out: csv }, text: `${countOf(rows, 'row')} written to ${csv}.` };
      }
      const rows = await showComparedUsage(context, query, beside);
      if (isRefusal(rows)) return rows;
      await warnOfRemovedRecords(context, query, tools);
      const names = by.includes('key') ? await namesOfKeys(context, org) : null;
      return { json: rows, text: (width) => usageText(by, rows, { names, width }) };
    });
  },
});

interface WantedCsv {
  readonly by: readonly AskedDimension[];
  readonly batches: AsyncIterable<readonly ComparedUsage[]>;
  readonly form: CsvForm;
}

/** Every row, however many: written as they are read. */
async function writeCsv(path: string, { by, batches, form }: WantedCsv): Promise<{ readonly rows: number; readonly bytes: number }> {
  let rows = 0;
  const counted = (async function* () {
    for await (const batch of batches) {
      rows += batch.length;
      yield batch;
    }
  })();
  const bytes = await writeWhole(path, (async function* () {
    for await (const text of usageCsvPieces(by, counted, form)) yield Buffer.from(text, 'utf8');
  })());
  return { rows, bytes };
}

/** `list`, `current`, the name of a list, or a file. @throws CommandFault */
export function pricesToTry(word: string, cwd: string): PricesToTry {
  if (word === 'list' || word === 'current') return word;
  if (listIdForm.test(word)) return { id: word };
  const path = resolve(cwd, word);
  try {
    return { file: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new CommandFault('file_not_read', `The file ${plain(path)} ${whyUnreadable((error as NodeJS.ErrnoException).code)}. `
      + '--prices takes list, current, the name of a price list, or a price file.');
  }
}

function dimensionsOf(text: string): readonly AskedDimension[] {
  const by = parseDimensions(text);
  if (by === null) throw new UsageFault(`--by must be ${dimensionsForm}, not ${printable(text)}.`);
  return by;
}

/** Only what was given: the parsing library adds names itself. */
function usageFilterOf({ key, project, model, label, run, session, upstream, wire, endpoint }: UsageFilter): UsageFilter {
  return { key, project, model, label, run, session, upstream, wire, endpoint };
}

function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** Key id → its name. */
type KeyNames = ReadonlyMap<string, string | null>;

/** Empty for an erased organization, whose words are gone. */
async function namesOfKeys(context: UseCaseContext, org: string): Promise<KeyNames> {
  const keys = await listServiceKeys(context, org);
  return new Map(isRefusal(keys) ? [] : keys.map(({ id, name }) => [id, name]));
}

function usageText(
  by: readonly AskedDimension[], rows: readonly ComparedUsage[],
  { names, width }: { readonly names: KeyNames | null; readonly width: number | null },
): string {
  if (rows.length === 0) return 'There were no calls.';
  const noted = (name: 'unknownCalls' | 'unpricedCalls' | 'gapCalls') => rows.some((row) => row[name] > 0);
  const counted = (['unknownCalls', 'unpricedCalls', 'gapCalls'] as const).filter(noted);
  const bars = by.length === 1 && (by[0] === 'day' || by[0] === 'hour') ? barsOf(rows) : null;
  const beside = besideOf(rows[0]!);
  const heads = [
    ...by.map((each) => each.toUpperCase()), ...(names === null ? [] : ['NAME']), 'CALLS', 'IN', 'OUT', 'COST USD', ...beside.map(({ head }) => head),
    ...counted.map((name) => ({ unknownCalls: 'UNKNOWN', unpricedCalls: 'UNPRICED', gapCalls: 'GAPS' })[name]), ...(bars === null ? [] : ['']),
  ];
  const text = table(heads, rows.map((row, index) => [
    ...by.map((each) => row[each] ?? null), ...(names === null ? [] : [names.get(row.key ?? '') ?? null]),
    row.calls, row.inputTokens, row.outputTokens, costText(row.cost), ...beside.map(({ of }) => of(row)),
    ...counted.map((name) => row[name]), ...(bars === null ? [] : [bars[index]!]),
  ]), { widthMax: width, shrinks: [...by.map((each) => each.toUpperCase()), 'NAME'], drops: ['', 'IN', 'OUT'] });
  return [text, together(by, rows),
    ...(noted('unknownCalls') ? ['Unknown: calls whose usage is missing or incomplete. They may have cost more.'] : []),
    ...(noted('unpricedCalls') ? ['Unpriced: calls with usage that has no price. Their cost is not in the sums.'] : []),
    ...(noted('gapCalls') ? ['Gaps: calls that reported something without a price. They may have cost more.'] : []),
    ...(rows.some(countsTwice) ? ['A call whose usage came in part may also be unpriced or have gaps. It then counts in both.'] : []),
  ].join('\n');
}

/** Whether one call may be in two of the row's counts. A call without a price has no gap. */
function countsTwice({ unknownCalls, unpricedCalls, gapCalls }: ShownUsage): boolean {
  return unknownCalls > 0 && unpricedCalls + gapCalls > 0;
}

interface BesideColumn {
  readonly head: string;
  of(row: ComparedUsage): string | number | null;
}

/** The figures of other origin that stand beside the cost. */
function besideOf({ adjustedCost, repricedCost }: ComparedUsage): readonly BesideColumn[] {
  const money = (head: string, name: 'correction' | 'adjustedCost' | 'repricedFrom' | 'repricedCost'): BesideColumn =>
    ({ head, of: (row) => costText(row[name] ?? '') });
  return [
    ...(adjustedCost === undefined ? [] : [money('CORRECTION', 'correction'), money('ADJUSTED USD', 'adjustedCost')]),
    ...(repricedCost === undefined ? [] : [
      money('OF REPRICED', 'repricedFrom'), money('REPRICED USD', 'repricedCost'), { head: 'NOT REPRICED', of: (row) => row.notRepricedCalls ?? 0 },
    ] satisfies BesideColumn[]),
  ];
}

const barWidth = 24;

/** Each row's cost as a bar; its calls if no row has a cost. */
function barsOf(rows: readonly ShownUsage[]): string[] {
  const costs = rows.map(({ cost }) => Number(cost));
  const values = costs.some((cost) => cost > 0) ? costs : rows.map(({ calls }) => calls);
  const most = Math.max(...values);
  return values.map((value) => '▇'.repeat(value > 0 ? Math.max(1, Math.round((value / most) * barWidth)) : 0) || ' ');
}

/** Rows of labels add up to more than was used: a call with two labels is in two of them. */
function together(by: readonly AskedDimension[], rows: readonly ShownUsage[]): string {
  if (by.includes('label')) return 'A call counts under each of its labels: these rows do not add up to what was spent.';
  const sum = (name: 'calls' | 'inputTokens' | 'outputTokens') => rows.reduce((total, row) => total + row[name], 0);
  const cost = formatDollars(nanoDollars(rows.reduce((total, row) => total + parseDollars(row.cost)!, 0n)));
  const tokens = `${countOf(sum('inputTokens'), 'token')} in, ${grouped(sum('outputTokens'))} out`;
  return `Together ${countOf(sum('calls'), 'call')}, ${tokens}, ${costText(cost)} USD.`;
}

function costText(cost: string): string {
  return cost.replace(/(\.\d{6}\d{0,2}?)0{1,3}$/, '$1');
}
