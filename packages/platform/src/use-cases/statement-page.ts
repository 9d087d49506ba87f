/**
 * A month's figures → one page of HTML that prints. It is self-contained: no script, no external asset, all foreign text escaped. Every
 * figure says where it comes from.
 */
import type { ShownFigures } from './usage.ts';

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

const style = `
:root { color-scheme: light; --ink: #16191d; --soft: #59636e; --line: #d5dae0 }
* { box-sizing: border-box }
body { font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: #fff; max-width: 52rem; margin: 2.5rem auto; padding: 0 1.5rem }
header { display: flex; justify-content: space-between; gap: 2rem; border-bottom: 2px solid var(--ink); padding-bottom: 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 }
h2 { font-size: 1rem; margin: 1.75rem 0 .4rem; break-after: avoid }
p { margin: .2rem 0; color: var(--soft) }
.total { text-align: right; white-space: nowrap }
.total strong { display: block; font-size: 1.5rem; color: var(--ink) }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: .9rem 1.2rem; margin: 1.25rem 0 0 }
dt { color: var(--soft); font-size: .8rem }
dd { margin: 0; font-size: 1.05rem }
table { border-collapse: collapse; width: 100% }
tr { break-inside: avoid }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line) }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 13rem }
td small { display: block; color: var(--soft); font-size: .75rem }
th { font-weight: 600; font-size: .8rem; color: var(--soft) }
td, dd, strong { font-variant-numeric: tabular-nums }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .75rem; font-size: .85rem }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10.5pt } @page { margin: 16mm } }
@media (max-width: 40rem) { header { display: block } .total { text-align: left; margin-top: 1rem } dl { grid-template-columns: repeat(2, 1fr) } }
@media screen and (max-width: 40rem) { section { overflow-x: auto } }
`;

/** The statement as a page to print: one HTML document that loads nothing. Every name in it is escaped. */
export function statementPage(statement: Statement): string {
  const { organization, month, project, totals, parts, priceList, madeAt, open, closed, recordsGoneBefore, adjustment } = statement;
  const of = project === null ? 'All projects' : `Project ${project}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(`Statement ${month}, ${organization.name}`)}</title>
<style>${style}</style>
<header>
<div><h1>Statement ${text(month)}</h1><p>${text(organization.name)} · ${text(organization.id)}</p>
<p>${text(of)} · calls that started in ${text(month)}, UTC</p></div>
<div class="total"><p>Cost, measured</p><strong>${text(totals.cost)} USD</strong>${adjustment === null ? ''
    : `\n<p>Corrections by other prices: ${text(adjustment.correction)} USD.</p>
<p>Adjusted cost: ${text(adjustment.adjustedCost)} USD.</p>`}${open ? '\n<p>The month is not over.</p>' : closed === null ? ''
      : `\n<p>Closed ${text(closed.at)}, version ${closed.version}.</p>`}${
    recordsGoneBefore === null ? '' : `\n<p>Records before ${text(recordsGoneBefore)} were removed for their age: the month is incomplete.</p>`}</div>
</header>
<dl>
${facts(totals).map(([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`).join('\n')}
</dl>
${parts.map(({ title, rows }) => `<section><h2>${text(title)}</h2>\n${table(rows)}</section>`).join('\n')}
<footer>
<p><b>Measured</b>: tokens are what the provider reported for each forwarded call; costs are those tokens at the prices in force when the call
started. Nothing is estimated. Price list in force: ${text(priceList.id)}, of ${text(priceList.date)}; each record names the list that priced it.</p>
<p><b>Unknown</b>: calls whose usage did not come, or came in part; they may have cost more. <b>Unpriced</b>: calls of models without a price; not in
the cost. <b>With gaps</b>: calls whose cost lacks something that was reported. A call whose usage came in part
may also be unpriced or have gaps, and then counts in both. <b>Saved by caching</b>: what cached tokens would have cost more as input, less what
writing them cost.</p>
<p>Made ${text(madeAt)} by Metergate.</p>
</footer>
</html>
`;
}

function facts(totals: ShownFigures): readonly (readonly [string, string])[] {
  return [
    ['Calls, measured', grouped(totals.calls)], ['Input tokens, measured', grouped(totals.inputTokens)],
    ['of them cached or read from a cache', grouped(totals.cachedTokens)], ['Tokens written to a cache, measured', grouped(totals.cacheWriteTokens)],
    ['Output tokens, measured', grouped(totals.outputTokens)], ['of them reasoning', grouped(totals.reasoningTokens)],
    ['Saved by caching, USD', totals.cacheSavings ?? 'not known'],
    ['Unknown · unpriced · with gaps', [totals.unknownCalls, totals.unpricedCalls, totals.gapCalls].map(grouped).join(' · ')],
  ];
}

function table(rows: readonly StatementRow[]): string {
  const heads = ['', 'Calls', 'Input tokens', 'Output tokens', 'Unknown', 'Unpriced', 'Gaps', 'Cost USD, measured'];
  const nameCell = ({ name, id }: StatementRow): string => text(name ?? '(none)') + (id === undefined ? '' : `<small>${text(id)}</small>`);
  const line = (row: StatementRow): string => `<td>${nameCell(row)}</td>${figureCells(row.figures)}`;
  const figureCells = (figures: ShownFigures): string => [
    grouped(figures.calls), grouped(figures.inputTokens), grouped(figures.outputTokens), grouped(figures.unknownCalls),
    grouped(figures.unpricedCalls), grouped(figures.gapCalls), figures.cost,
  ].map((cell) => `<td>${text(cell)}</td>`).join('');
  return `<table><thead><tr>${heads.map((head) => `<th>${text(head)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${line(row)}</tr>`).join('\n')}</tbody></table>`;
}

function grouped(figure: number): string {
  return String(figure).replaceAll(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML. */
function text(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
