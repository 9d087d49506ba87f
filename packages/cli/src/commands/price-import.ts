/** `metergate prices import`: a public price list as the deployment's. What changes is shown before and after. Rules: Interfaces; docs/prices.md. */
import { basename, resolve } from 'node:path';
import { changedRates } from '@metergate/core/price/public-list/changed-rates.ts';
import type { ListChange } from '@metergate/core/price/public-list/list-changes.ts';
import { importList, planImport, planShipped, publicListMax, type PriceImport } from '@metergate/platform/use-cases/price-import.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, CommandFault, UsageFault, type CommandTools } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { plain, shortDecimal, table } from '../command-line/table.ts';
import { readTextFile } from '../command-line/text-file.ts';
import { readTypedLine } from '../command-line/typed-line.ts';

/** More are in the JSON. */
const shownMax = 200;

export const importPrices = command({
  description: 'Make a public price list the one that calls are priced by',
  args: {
    file: { type: 'positional', required: false, valueHint: 'FILE', description: "As published: genai-prices' data.json, or LiteLLM's list" },
    shipped: { type: 'boolean', description: 'Go back to the list that this version was made with' },
    date: { type: 'string', valueHint: 'DAY', description: 'The day of the list itself, such as 2026-08-21, if it is known' },
    yes: { type: 'boolean', description: 'Import it even if prices change' },
  },
  run: async ({ file, shipped, date, yes }, tools) => {
    if ((file === undefined) !== (shipped === true)) throw new UsageFault('Give either the FILE of a price list or --shipped.');
    if (date !== undefined && shipped === true) throw new UsageFault('--date is for a FILE: the shipped list has its own date.');
    if (date !== undefined && !isPastDay(date, tools.nowMs())) throw new UsageFault('--date must be a day that has begun, such as 2026-08-21.');
    const text = file === undefined ? null : await readTextFile(resolve(tools.cwd, file), publicListMax);
    return onStore(tools, async (context) => {
      const plan = text === null ? await planShipped(context) : await planImport(context, { text, source: basename(file!), date });
      if (isRefusal(plan)) return plan;
      if (plan.changes.length > 0) await confirm(plan, yes === true, tools);
      await importList(context, plan);
      const { before, after, changes } = plan;
      return { json: { before, after, changes, warning: goneText(plan) }, text: importedText(plan) };
    });
  },
});

function isPastDay(date: string, nowMs: number): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  return ms <= nowMs && new Date(ms).toISOString().startsWith(date);
}

/** Shows what would change; with `--json` only if it was not agreed to yet. @throws CommandFault if nobody agrees to it */
async function confirm(plan: PriceImport, agreed: boolean, tools: CommandTools): Promise<void> {
  const warning = goneText(plan);
  const shown = changesText(plan.changes, tools.columns ?? null);
  if (tools.wantsJson !== true || !agreed) tools.stderr(`${shown}\n${warning === null ? '' : `Warning: ${warning}\n`}`);
  if (agreed) return;
  const question = `${countsText(plan.changes)}, from ${plan.before.id} to ${plan.after.id}.`;
  if (!tools.isTerminal || !tools.stdin.isTTY || tools.wantsJson === true) {
    throw new CommandFault('not_confirmed', `${question} Nothing was imported. To import it: metergate prices import FILE --yes`);
  }
  if (/^y(?:es)?$/i.test(await readTypedLine(tools, `${question} Import it? (yes or no) `))) return;
  throw new CommandFault('not_confirmed', 'Nothing was imported.');
}

/** Null: no model goes. */
function goneText({ changes, before, after }: PriceImport): string | null {
  const gone = changes.filter(({ kind }) => kind === 'removed').length;
  if (gone === 0) return null;
  const older = after.dated === 'import' || before.dated === 'import' ? ' It may be an older one: the day of one of the lists is not known.'
    : after.date < before.date ? ` It is older: of ${after.date}, and the list in force of ${before.date}.` : '';
  const calls = gone === 1 ? '1 model of the list in force is not in this one: its calls'
    : `${gone} models of the list in force are not in this one: their calls`;
  return `${calls} may have no price.${older}`;
}

const kindWords = {
  added: 'added', removed: 'removed', changed: 'changed', names: 'other names', address: 'other address',
} as const satisfies { readonly [Kind in ListChange['kind']]: string };

function countsText(changes: readonly ListChange[]): string {
  const counts = Map.groupBy(changes, ({ kind }) => kindWords[kind]);
  return [...counts].map(([word, { length }]) => `${length} ${word}`).join(', ');
}

function changesText(changes: readonly ListChange[], width: number | null): string {
  const cells = ({ from, to }: ListChange) => columns.map((rate) => {
    const [was, is] = [from?.[rate] ?? null, to?.[rate] ?? null].map((each) => (each === null ? '-' : shortDecimal(each)));
    return was === is ? was! : `${was} -> ${is}`;
  });
  // A price that has gone matters more than one that came.
  const sorted = changes.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const rows = sorted.slice(0, shownMax).map((each) => {
    const { kind, provider, model } = each;
    return [kindWords[kind], plain(provider), model === null ? null : plain(model), ...cells(each), otherRates(each)];
  });
  const rest = changes.length > shownMax ? `\nand ${changes.length - shownMax} more; --json with --yes shows all` : '';
  const fit = { widthMax: width, shrinks: ['ALSO', 'MODEL', 'SELLER'] };
  return `${table(['CHANGE', 'SELLER', 'MODEL', 'INPUT', 'CACHED', 'OUTPUT', 'ALSO'], rows, fit)}${rest}`;
}

/** Of a price that changed, the parts without a column. */
function otherRates({ kind, from, to }: ListChange): string | null {
  if (kind !== 'changed') return null;
  const changed = changedRates(from, to);
  if (changed.length === 0) return 'its price at other times';
  const others = changed.filter(({ name }) => !(columns as readonly string[]).includes(name))
    .map((rate) => `${plain(rate.name)} ${rateText(rate.from)} -> ${rateText(rate.to)}`);
  return others.length === 0 ? null : others.join(', ');
}

function rateText(rate: string | null): string {
  return rate === null ? '-' : /^\d+\.\d+$/.test(rate) ? shortDecimal(rate) : plain(rate);
}

const columns = ['input', 'cached', 'output'] as const;
const order: readonly ListChange['kind'][] = ['changed', 'removed', 'address', 'names', 'added'];

function importedText({ before, after, changes }: PriceImport): string {
  if (before.id === after.id) return `Nothing changes: ${after.id} has the same prices and stays in force.`;
  const what = changes.length === 0 ? 'no price changes' : countsText(changes);
  return `Calls are now priced by ${after.id} (${after.models} models from ${plain(after.source)}), before by ${before.id}: ${what}.`;
}
