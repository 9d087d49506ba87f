/** `metergate prices`: what models cost, and the operator's own prices over the frozen list. Design 3, row 6; 5. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ShownPrice, ShownPrices } from '@metergate/core/price/show.ts';
import { loadPrices, pricesOf, type LoadedPrices } from '@metergate/platform/use-cases/prices.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { command, CommandFault, commandGroup, type CommandTools } from '../command-line/command.ts';
import { onStore } from '../command-line/on-store.ts';
import { plain, shortDecimal, table } from '../command-line/table.ts';

/** For the help page; core/src/price/overlay.ts says all of it. */
const fileForm = 'JSON: {"prices":[{"provider":"openai","model":"gpt-5*","input":"1.10","output":"8.80"}]}';
const fileBytesMax = 16 * 1024 * 1024;

const show = command({
  description: 'Show every price that is known for a model',
  args: { model: { type: 'positional', required: true, valueHint: 'MODEL', description: 'The model, as providers name it' } },
  run: async ({ model }, tools) => {
    const shown = await pricesWithOrWithoutStore(model, tools);
    return isRefusal(shown) ? shown : { json: shown, text: pricesText(shown) };
  },
});

/** Before the first start there is no store, and so no overlay: the frozen list is all there is. */
async function pricesWithOrWithoutStore(model: string, tools: CommandTools): ReturnType<typeof pricesOf> {
  try {
    return await onStore(tools, (context) => pricesOf(context, model));
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'store_absent') return pricesOf({ store: null, nowMs: tools.nowMs() }, model);
    throw error;
  }
}

const load = command({
  description: 'Load the prices of a file, before the frozen list and in place of those loaded earlier',
  args: { file: { type: 'positional', required: true, valueHint: 'FILE', description: fileForm } },
  run: async ({ file }, tools) => {
    const text = await textOf(resolve(tools.cwd, file));
    return onStore(tools, async (context) => {
      const loaded = await loadPrices(context, text);
      return isRefusal(loaded) ? loaded : { json: loaded, text: loadedText(loaded) };
    });
  },
});

function loadedText({ prices, overlay }: LoadedPrices): string {
  if (prices === 0) return 'The overlay now holds no price: the frozen list alone is in force.';
  return `${prices === 1 ? '1 price is' : `${prices} prices are`} in force as ${overlay ?? '-'}.`;
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > fileBytesMax) throw new CommandFault('file_too_large', `The file ${plain(path)} is larger than ${fileBytesMax} bytes.`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    throw new CommandFault('file_unreadable', `The file ${plain(path)} ${whyUnreadable((error as NodeJS.ErrnoException).code)}.`);
  }
}

function whyUnreadable(code: string | undefined): string {
  if (code === 'ENOENT') return 'does not exist';
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read (${code ?? 'unknown reason'})`;
}

function pricesText({ model, prices, list, overlay }: ShownPrices): string {
  const source = `Price list ${list.id}${overlay === null ? '' : `, with ${overlay} before it`}. US dollars per million tokens.`;
  if (prices.length === 0) {
    const without = 'calls to it are recorded without a cost, unless the organization has a fallback price.';
    return `No price is known for ${plain(model)}: ${without}\n${source}`;
  }
  const heads = ['SELLER', 'LISTED AS', 'INPUT', 'CACHED', 'CACHE WRITE', 'OUTPUT', 'WHEN', 'IN FORCE'];
  const rows = prices.flatMap((price) => [
    [price.provider ?? price.host, price.listedAs, ...rates(price), whenOf(price), price.inForce ? 'yes' : 'no'],
    ...price.above.map((step) => ['', `  input above ${step.tokens}`, ...rates(step), '', '']),
  ]);
  return `${table(heads, rows)}\n${source}`;
}

function rates({ input, cached, cacheWrite, output }: Pick<ShownPrice, 'input' | 'cached' | 'cacheWrite' | 'output'>): (string | null)[] {
  return [input, cached, cacheWrite, output].map((rate) => (rate === null ? null : shortDecimal(rate)));
}

function whenOf({ from, daily }: ShownPrice): string | null {
  if (daily !== null) return `daily ${daily.from} to ${daily.to}`;
  return from === null ? null : `from ${from.slice(0, 10)}`;
}

export const prices = commandGroup('Show and load prices of models', { show, load });
