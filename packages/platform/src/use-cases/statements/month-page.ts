/**
 * A month's figures → one page of HTML that prints. It is self-contained: no script, no external asset, all foreign text escaped. Every
 * figure says where it comes from.
 */
import { unformatDollars } from '@metergate/core/money.ts';
import { grouped, PageAmounts } from '@metergate/core/books/allocation/page-amounts.ts';
import { addedUp, type ShownFigures } from '../usage.ts';
import { facts, page, pageTable, text } from './page-frame.ts';

export interface StatementRow {
  /** Null: calls without one. */
  readonly name: string | null;
  /** Shown under the name. */
  readonly id?: string;
  readonly figures: ShownFigures;
}

export interface Statement {
  readonly organization: { readonly id: string; readonly name: string };
  /** `2026-11`. */
  readonly month: string;
  /** Null: the whole organization. */
  readonly project: string | null;
  readonly madeAt: string;
  /** The month was not over when the statement was made. */
  readonly open: boolean;
  /** The closing that the figures are of; null: the month is not closed, and they are of now. */
  readonly closed: { readonly version: number; readonly at: string } | null;
  /** Some or all records before this instant are gone, and the month begins before it; null: the month is complete. */
  readonly recordsGoneBefore: string | null;
  readonly totals: ShownFigures;
  readonly parts: readonly { readonly title: string; readonly rows: readonly StatementRow[] }[];
  /** What calls that were priced again add, and the cost with it; null: there are none. */
  readonly adjustment: { readonly correction: string; readonly adjustedCost: string } | null;
  /** The list in force, and its date. */
  readonly priceList: { readonly id: string; readonly date: string };
}

/** The statement as a page to print: one HTML document that loads nothing. Every name in it is escaped. */
export function statementPage(statement: Statement): string {
  const { organization, month, project, totals, parts, priceList, madeAt, open, closed, recordsGoneBefore, adjustment } = statement;
  const of = project === null ? 'All projects' : `Project ${project}`;
  const amounts = new PageAmounts(unformatDollars(totals.cost));
  return page({ title: `Statement ${month}, ${organization.name}`, body: `<header>
<div><h1>Statement ${text(month)}</h1><p>${text(organization.name)} · ${text(organization.id)}</p>
<p>${text(of)} · calls that started in ${text(month)}, UTC</p></div>
<div class="total"><p>Cost, measured</p><strong>${text(amounts.alone(unformatDollars(totals.cost)))} USD</strong>${
    amounts.isRounded ? `\n<p>Exactly ${text(totals.cost)} USD.</p>` : ''}${adjustment === null ? ''
    : `\n<p>Corrections by other prices: ${text(adjustment.correction)} USD.</p>
<p>Adjusted cost: ${text(adjustment.adjustedCost)} USD.</p>`}${open ? '\n<p>The month is not over.</p>' : closed === null ? ''
      : `\n<p>Closed ${text(closed.at)}, version ${closed.version}.</p>`}${
    recordsGoneBefore === null ? '' : `\n<p>Records before ${text(recordsGoneBefore)} were removed for their age: the month is incomplete.</p>`}</div>
</header>
${facts(factsOf(totals))}
${parts.map(({ title, rows }) => `<section><h2>${text(title)}</h2>\n${tableOf(rows, amounts)}</section>`).join('\n')}
<footer>
${legend(closed === null ? `Price list in force: ${priceList.id}, of ${priceList.date}; each record names the list that priced it.`
    : pricesOfRecords)}
<p>Made ${text(madeAt)} by Metergate.</p>
</footer>` });
}

/** For a closed month, which no later list changes. */
export const pricesOfRecords = 'Prices are those of the list that each record names.';

/** What the words on a statement mean. */
export function legend(sentence: string): string {
  return `<p><b>Measured</b>: tokens are what the provider reported for each forwarded call; costs are those tokens at the prices in force when the
call started. Nothing is estimated. ${text(sentence)}</p>
<p><b>Unknown</b>: calls whose usage did not come, or came in part; they may have cost more. <b>Unpriced</b>: calls of models without a price; not in
the cost. <b>With gaps</b>: calls whose cost lacks something that was reported. A call whose usage came in part
may also be unpriced or have gaps, and then counts in both. <b>Saved by caching</b>: what cached tokens would have cost more as input, less what
writing them cost.</p>`;
}

function factsOf(totals: ShownFigures): readonly (readonly [string, string])[] {
  return [
    ['Calls, measured', grouped(totals.calls)], ['Input tokens, measured', grouped(totals.inputTokens)],
    ['of them cached or read from a cache', grouped(totals.cachedTokens)], ['Tokens written to a cache, measured', grouped(totals.cacheWriteTokens)],
    ['Output tokens, measured', grouped(totals.outputTokens)], ['of them reasoning', grouped(totals.reasoningTokens)],
    ['Saved by caching, USD', totals.cacheSavings ?? 'not known'],
    ['Unknown · unpriced · with gaps', [totals.unknownCalls, totals.unpricedCalls, totals.gapCalls].map(grouped).join(' · ')],
  ];
}

/** Rows of calls. `total`, in units: what their costs add up to; by default their rounded sum. */
export function tableOf(rows: readonly StatementRow[], amounts: PageAmounts, total?: bigint): string {
  const costs = amounts.together(rows.map(({ figures }) => unformatDollars(figures.cost)), total);
  const heads = ['', 'Calls', 'Input tokens', 'Output tokens', 'Unknown', 'Unpriced', 'Gaps', 'Cost USD, measured'];
  return pageTable(heads, rows.map(({ name, id, figures }, index) => [
    { html: text(name ?? '(none)') + (id === undefined ? '' : `<small>${text(id)}</small>`) },
    ...[figures.calls, figures.inputTokens, figures.outputTokens, figures.unknownCalls, figures.unpricedCalls, figures.gapCalls].map(grouped),
    amounts.text(costs[index]!),
  ]));
}

/** The most rows of each part, so that the page stays readable. */
export const pageRowsMax = 25;

/** The rest is summed in a last row. */
export function withRest(rows: readonly StatementRow[]): readonly StatementRow[] {
  const rest = rows.slice(pageRowsMax);
  if (rest.length === 0) return rows;
  return [...rows.slice(0, pageRowsMax), { name: `${rest.length} others`, figures: addedUp(rest.map(({ figures }) => figures)) }];
}
