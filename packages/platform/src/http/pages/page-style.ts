/** The look of the platform's own pages: no external assets, light or dark by the reader's setting. */
import { createHash } from 'node:crypto';
import { securityHeaders } from '../security-headers.ts';

const pageStyle = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --act: #1f5fbf; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0f1318; --line: #30363d; --act: #6ea8fe; --bad: #ff8b80; }
}
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem; margin: 3.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p, li { color: var(--soft) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .45rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left }
th { font-weight: 600; color: var(--soft); font-size: .875rem }
.scroll { overflow-x: auto }
@media (max-width: 34rem) { th, td { white-space: normal; padding: .45rem .3rem; font-size: .875rem } }
code { font: .9em ui-monospace, monospace }
a { color: var(--act) }
pre { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; line-height: 1.7; white-space: pre-wrap }
form { max-width: 24rem }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem }
input { font: inherit; width: 100%; padding: .55rem .7rem; color: inherit; background: transparent }
input, button { border: 1px solid var(--line); border-radius: 6px }
input:focus-visible, button:focus-visible { outline: 2px solid var(--act); outline-offset: 1px }
button { font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .6rem 1.1rem; border-color: var(--act) }
button { background: var(--act); color: var(--paper); cursor: pointer }
button:disabled { opacity: .6; cursor: default }
small { color: var(--soft) }
.bad { color: var(--bad); min-height: 1.5em; margin: .75rem 0 0 }
`;

const styleHash = createHash('sha256').update(pageStyle).digest('base64');

/** The headers of such a page: its one style element, allowed by its hash, and no script. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': `${securityHeaders['content-security-policy']}; style-src 'sha256-${styleHash}'`,
};

/** A whole page around `body`. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Metergate</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
<main>
${body}
</main>
</html>
`;
}
