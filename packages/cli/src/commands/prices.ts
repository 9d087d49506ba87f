/** `metergate prices`: what models cost, and the operator's own prices over the frozen list. Rule 6; rules: Interfaces. */
import { resolve } from 'node:path';
import type { PriceChange } from '@metergate/core/price/price-changes.ts';
import type { PriceInForce, ShownPrice, ShownPrices } from '@metergate/core/price/show.ts';
import { changesByLoading, listPrices, loadPrices, knownPrices, type LoadedPrices } from '@metergate/platform/use-cases/prices.ts';
import { showListInForce } from '@metergate/platform/use-cases/price-import.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { command, CommandFault, commandGroup, type CommandTools } from '../command-line/command.ts';
import { readTextFile } from '../command-line/text-file.ts';
import { readTypedLine } from '../command-line/typed-line.ts';
import { onStore } from '../command-line/on-store.ts';
import { importPrices } from './price-import.ts';
import { countOf } from '../command-line/counts.ts';
import { plain, secondsText, shortDecimal, table } from '../command-line/table.ts';

/** For the help page; core/src/price/overlay.ts documents all of it. */
const fileForm = 'JSON: {"prices":[{"provider":"openai","model":"my-finetune*","input":"1.10","output":"8.80"}]}';
const fileBytesMax = 16 * 1024 * 1024;

const show = command({
  description: 'Show every known price of a model',
  args: { model: { type: 'positional', required: true, valueHint: 'MODEL', description: 'The model, as providers name it' } },
  run: async ({ model }, tools) => {
    const shown = await withOrWithoutStore(tools, (context) => knownPrices(context, model));
    return isRefusal(shown) ? shown : { json: shown, text: (width) => pricesText(shown, width) };
  },
});

/** Before the first start there is no store, and so no overlay: only the frozen list. */
async function withOrWithoutStore<Answer>(tools: CommandTools, ask: (context: Parameters<typeof listPrices>[0]) => Promise<Answer>): Promise<Answer> {
  try {
    return await onStore(tools, (context) => ask(context));
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'store_absent') return ask({ store: null, nowMs: tools.nowMs() });
    throw error;
  }
}

const load = command({
  description: 'Load prices from a file to override the frozen list, replacing those loaded earlier',
  args: {
    file: { type: 'positional', required: true, valueHint: 'FILE', description: fileForm },
    yes: { type: 'boolean', description: 'Load it even if prices of listed models change' },
  },
  run: async ({ file, yes }, tools) => {
    const text = await readTextFile(resolve(tools.cwd, file), fileBytesMax);
    return onStore(tools, async (context) => {
      const changes = await changesByLoading(context, text);
      if (isRefusal(changes)) return changes;
      if (changes.length > 0) await confirmChanges(changes, yes === true, tools);
      const loaded = await loadPrices(context, text);
      return isRefusal(loaded) ? loaded : { json: loaded, text: loadedText(loaded) };
    });
  },
});

/** Shows what would change; with `--json` only if it was not agreed to yet. @throws CommandFault if nobody agrees to it */
async function confirmChanges(changes: readonly PriceChange[], agreed: boolean, tools: CommandTools): Promise<void> {
  if (tools.wantsJson !== true || !agreed) tools.stderr(`${changesText(changes, tools.columns ?? null)}\n`);
  if (agreed) return;
  const count = changes.length === 1 ? '1 listed model changes its price' : `${changes.length} listed models change their prices`;
  if (!tools.isTerminal || !tools.stdin.isTTY || tools.wantsJson === true) {
    throw new CommandFault('not_confirmed', `${count}. Nothing was loaded. To load it: metergate prices load FILE --yes`);
  }
  if (/^y(?:es)?$/i.test(await readTypedLine(tools, `${count}. Load them? (yes or no) `))) return;
  throw new CommandFault('not_confirmed', 'Nothing was loaded.');
}

function changesText(changes: readonly PriceChange[], width: number | null): string {
  const heads = ['SELLER', 'MODEL', 'INPUT', 'CACHED', 'OUTPUT'];
  const rates = ['input', 'cached', 'output'] as const;
  const change = ({ from, to }: PriceChange) => rates.map((rate) => {
    const [was, is] = [from?.[rate] ?? '-', to?.[rate] ?? '-'];
    return was === is ? was : `${was} -> ${is}`;
  });
  return table(heads, changes.map((each) => [each.provider, each.model, ...change(each)]), { widthMax: width, shrinks: 'MODEL' });
}

const list = command({
  description: 'List the prices in force: your own with those to come, then those of the named providers\' models',
  args: {},
  run: async (_values, tools) => {
    const listed = await withOrWithoutStore(tools, (context) => listPrices(context));
    if (isRefusal(listed)) return listed;
    const source = await withOrWithoutStore(tools, ({ store }) => showListInForce({ store }));
    return { json: listed, text: (width) => `${listText(listed, width)}\n${sourceText(source, tools.nowMs())}` };
  },
});

/** Which list it is, from where and of which day. */
function sourceText({ id, source, date, dated, shipped, models }: Awaited<ReturnType<typeof showListInForce>>, nowMs: number): string {
  const days = Math.max(0, Math.floor((nowMs - Date.parse(date)) / 86_400_000));
  const age = dated === 'list' ? `${shipped ? 'shipped' : 'imported'}, of ${date} (${countOf(days, 'day')} old)`
    : `imported on ${date}, its own date is not known`;
  return `Price list ${id}: ${models} models from ${plain(source)}, ${age}.`;
}

function listText(listed: readonly PriceInForce[], width: number | null): string {
  const heads = ['SELLER', 'MODEL', 'INPUT', 'CACHED', 'CACHE WRITE', 'OUTPUT', 'WHEN', 'IN FORCE', 'PRICE LIST'];
  return table(heads, listed.map((price) => [
    price.provider ?? price.host, price.model, ...rates(price), whenOf(price), price.inForce ? 'yes' : 'no', price.priceList,
  ]), { widthMax: width, shrinks: ['WHEN', 'MODEL', 'SELLER'], drops: ['PRICE LIST', 'CACHE WRITE'] });
}

function loadedText({ prices, overlay }: LoadedPrices): string {
  if (prices === 0) return 'Your own prices are removed; only the frozen list is in force.';
  return `${prices === 1 ? '1 price is' : `${prices} prices are`} in force as ${overlay ?? '-'}.`;
}

function pricesText({ model, prices, list, overlay }: ShownPrices, width: number | null): string {
  const source = `Price list ${list.id}${overlay === null ? '' : `, overridden by ${overlay}`}. US dollars per million tokens.`;
  if (prices.length === 0) {
    const without = 'calls to it are recorded without a cost, unless the organization has a fallback price.';
    return `No price is known for ${plain(model)}: ${without}\n${source}`;
  }
  const heads = ['SELLER', 'LISTED AS', 'INPUT', 'CACHED', 'CACHE WRITE', 'OUTPUT', 'WHEN', 'IN FORCE'];
  const rows = prices.flatMap((price) => [
    [price.provider ?? price.host, price.listedAs, ...rates(price), whenOf(price), price.inForce ? 'yes' : 'no'],
    ...price.above.map((step) => ['', `  input above ${step.tokens}`, ...rates(step), '', '']),
  ]);
  return [table(heads, rows, { widthMax: width, shrinks: ['WHEN', 'LISTED AS', 'SELLER'] }), ...prices.flatMap(furtherRates), source].join('\n');
}

const furtherNames = {
  cacheWriteOneHour: 'cache write for an hour', reasoning: 'reasoning', audioInput: 'sound in', audioOutput: 'sound out',
  cachedAudio: 'sound cached', imageInput: 'images in', imageOutput: 'images out', cachedImage: 'images cached',
} as const satisfies { readonly [Name in keyof ShownPrice]?: string };
const feeNames = {
  webSearch: 'web searches', webFetch: 'web fetches', fileSearch: 'file searches', codeInterpreter: 'code interpreter', otherTool: 'other tools',
} as const satisfies { readonly [Name in keyof ShownPrice['perThousandCalls']]: string };

const unitWords = {
  perHour: 'an hour of sound', perPage: 'a page', perImage: 'an image', perMillionCharacters: 'a million characters', perCall: 'the call itself',
} as const satisfies { readonly [Name in keyof ShownPrice]?: string };

/** A line for each price that has more than the table shows. */
function furtherRates(price: ShownPrice): string[] {
  const named = (names: Readonly<Record<string, string>>, values: object): string[] => Object.entries(values).flatMap(([name, value]) => {
    const words = names[name];
    return words === undefined || typeof value !== 'string' ? [] : [`${words} ${shortDecimal(value)}`];
  });
  const places = (words: ShownPrice['serviceTiers']): string[] => Object.entries(words).map(([word, said]) =>
    typeof said === 'string' ? `${plain(word)} x ${said}` : `${plain(word)} ${shortDecimal(said.input ?? '0')}/${shortDecimal(said.output ?? '0')}`);
  const parts = [
    ...named(furtherNames, price),
    ...named(unitWords, price),
    ...named(feeNames, price.perThousandCalls).map((fee) => `${fee} a thousand`),
    ...places(price.serviceTiers), ...places(price.regions),
  ];
  return parts.length === 0 ? [] : [`${price.provider ?? price.host} ${price.listedAs}: ${parts.join(', ')}`];
}

function rates({ input, cached, cacheWrite, output }: Pick<ShownPrice, 'input' | 'cached' | 'cacheWrite' | 'output'>): (string | null)[] {
  return [input, cached, cacheWrite, output].map((rate) => (rate === null ? null : shortDecimal(rate)));
}

function whenOf({ from, daily }: ShownPrice): string | null {
  if (daily !== null) return `daily ${daily.from} to ${daily.to}`;
  return from === null ? null : `from ${from.endsWith('T00:00:00.000Z') ? from.slice(0, 10) : secondsText(from)}`;
}

export const prices = commandGroup('Show, list, import and load prices of models', { show, list, import: importPrices, load });
