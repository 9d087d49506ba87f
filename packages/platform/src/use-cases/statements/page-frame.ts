/** What every statement's page has in common: its style, its frame, and how figures and foreign text are written in it. */

const style = `
:root { color-scheme: light; --ink: #16191d; --soft: #59636e; --line: #d5dae0 }
* { box-sizing: border-box }
body { font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: #fff; max-width: 60rem; margin: 2.5rem auto; padding: 0 1.5rem }
header { display: flex; justify-content: space-between; gap: 2rem; border-bottom: 2px solid var(--ink); padding-bottom: 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere }
h2 { font-size: 1rem; margin: 1.75rem 0 .4rem; break-after: avoid }
p { margin: .2rem 0; color: var(--soft) }
.total { text-align: right; white-space: nowrap }
.total strong { display: block; font-size: 1.5rem; color: var(--ink) }
.large strong { font-size: 2.25rem; line-height: 1.2 }
.team { margin-top: 4rem; break-before: page }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: .9rem 1.2rem; margin: 1.25rem 0 0 }
dt { color: var(--soft); font-size: .8rem }
dd { margin: 0; font-size: 1.05rem }
table { border-collapse: collapse; width: 100% }
tr { break-inside: avoid }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line) }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 9rem }
td small { display: block; color: var(--soft); font-size: .75rem }
th { font-weight: 600; font-size: .8rem; color: var(--soft) }
tfoot td { font-weight: 600; border-bottom: 0; border-top: 2px solid var(--ink) }
td, dd, strong { font-variant-numeric: tabular-nums }
td:not(:first-child) { white-space: nowrap }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .75rem; font-size: .85rem }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10.5pt } .team { margin-top: 0 } @page { margin: 16mm } }
@media (max-width: 40rem) { header { display: block } .total { text-align: left; margin-top: 1rem } dl { grid-template-columns: repeat(2, 1fr) } }
@media screen and (max-width: 40rem) { section { overflow-x: auto } }
`;

/** One HTML document that loads nothing. `body` is HTML. */
export function page({ title, body }: { readonly title: string; readonly body: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
${body}
</html>
`;
}

/** A cell of text is escaped; `html` is not. */
type Cell = string | { readonly html: string };

/** The first cell of a row names it. `total`: a last row that is set off. */
export function pageTable(heads: readonly string[], rows: readonly (readonly Cell[])[], total?: readonly Cell[]): string {
  const line = (cells: readonly Cell[]): string => `<tr>${cells.map((cell) =>
    `<td>${typeof cell === 'string' ? text(cell) : cell.html}</td>`).join('')}</tr>`;
  return `<table><thead><tr>${heads.map((head) => `<th>${text(head)}</th>`).join('')}</tr></thead>
<tbody>${rows.map(line).join('\n')}</tbody>${total === undefined ? '' : `\n<tfoot>${line(total)}</tfoot>`}</table>`;
}

/** Terms and what they are, side by side. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  return `<dl>\n${pairs.map(([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`).join('\n')}\n</dl>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML. */
export function text(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
