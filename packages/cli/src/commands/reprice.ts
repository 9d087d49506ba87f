/** `metergate reprice`: a month's calls by other prices, as corrections beside their records. docs/prices.md. */
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { listOrganizations } from '@metergate/platform/use-cases/organizations.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import {
  repriceCalls, type RepricedFigures, type RepricedMonth, type RepriceRequest,
} from '@metergate/platform/use-cases/repricing/reprice-calls.ts';
import { countCalls } from '@metergate/platform/use-cases/usage.ts';
import { command, type CommandTools } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore } from '../command-line/on-store.ts';
import { createProgress } from '../command-line/progress.ts';
import { warnOfRemovedRecords } from '../command-line/records-gone.ts';
import { plain, shortDecimal, table } from '../command-line/table.ts';
import { monthMs } from '../command-line/value-forms.ts';
import { pricesToTry } from './usage.ts';

export const reprice = command({
  description: "Price a month's calls again, as corrections beside their records",
  args: {
    month: { type: 'string', required: true, valueHint: 'YYYY-MM', description: 'Calls that started in this month, in UTC' },
    prices: { type: 'string', required: true, valueHint: 'LIST', description: 'By these: current, list, a list by name, or a file of prices' },
    org: { type: 'string', valueHint: 'ORG', description: 'Organization, by id or unique name; all by default' },
    caps: { type: 'boolean', description: 'Caps count the corrections, in the windows of the calls; without it they go by the records' },
    'dry-run': { type: 'boolean', description: 'Only show what would be corrected' },
  },
  run: ({ month, prices, org, caps, 'dry-run': dryRun }, tools) => {
    const asked = { prices: pricesToTry(prices, tools.cwd), monthMs: monthMs('month', month), dryRun: dryRun === true, caps: caps === true };
    return onStore(tools, async (context) => {
      const done: RepricedMonth[] = [];
      for (const organization of org === undefined ? await idsOf(context) : [org]) {
        const found = await repriced(context, { ...asked, organization }, tools);
        if (isRefusal(found)) return found;
        done.push(found);
      }
      return { json: done, text: (width) => done.map((each) => monthText(each, width)).join('\n\n') || 'There are no organizations.' };
    });
  },
});

async function idsOf(context: UseCaseContext): Promise<readonly string[]> {
  return (await listOrganizations(context)).map(({ id }) => id);
}

async function repriced(context: UseCaseContext, request: RepriceRequest, tools: CommandTools): Promise<RepricedMonth | AdministrationRefusal> {
  const { organization, monthMs: fromMs } = request;
  await warnOfRemovedRecords(context, { organization, sinceMs: fromMs }, tools);
  const progress = createProgress(tools, { what: 'calls', total: await countCalls(context, { organization, fromMs, toMs: monthAfter(fromMs) }) });
  try {
    return await repriceCalls(context, { ...request, onProgress: (calls) => progress.at(calls) });
  } finally {
    progress.end();
  }
}

function monthText({ organization, month, prices, dryRun, caps, written, notRepriced, models, ...all }: RepricedMonth, width: number | null): string {
  const by = prices.overlay === null ? prices.list : `${prices.overlay} over ${prices.list}`;
  const row = (name: string, { calls, corrected, before, after }: RepricedFigures) =>
    [name, grouped(calls), grouped(corrected), shortDecimal(before), shortDecimal(after)];
  const rows = [...models.map(({ model, ...figures }) => row(model === null ? '(none)' : plain(model), figures)), row('all', all)];
  const kept = Object.entries(notRepriced).filter(([, count]) => count > 0)
    .map(([why, count]) => `${grouped(count)} ${keptWords[why as keyof typeof keptWords]}`);
  return [
    `${organization}, ${month}, by ${by}:`,
    table(['MODEL', 'CALLS', 'CORRECTED', 'RECORDED USD', 'REPRICED USD'], rows, { widthMax: width, shrinks: 'MODEL' }),
    ...(kept.length === 0 ? [] : [`Not repriced: ${kept.join(', ')}.`]),
    dryRun ? 'Nothing was written.' : written === 0 ? 'All of this was known already: nothing changed.'
      : `${countOf(written, 'correction')} written or removed.`,
    ...(caps && !dryRun ? ['Caps count these corrections.'] : []),
  ].join('\n');
}

const keptWords = {
  reported: 'whose cost the upstream reported', upstream: 'to an upstream that records do not name',
  own_prices: 'whose cost depended on more than records keep', unknown_model: 'of models without a price',
} as const satisfies { readonly [Why in keyof RepricedMonth['notRepriced']]: string };
