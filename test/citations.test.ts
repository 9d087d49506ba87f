/**
 * What the code cites can be opened: rules and promises in docs/rules.md, decisions in docs/decisions, and no document outside of the
 * repository. A citation is `rule 12`, `promise 4`, `rules: Journal`, ``rules: `usage` `` or `decision 42`.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const self = 'test/citations.test.ts';
const cited = globSync(['packages/*/{src,test,tests,bin,bench}/**/*.{ts,tsx,mjs,py}', '{test,bench,scripts}/**/*.{ts,py}', 'docs/**/*.md', '*.md'],
  { cwd: root, exclude: (name) => name === 'node_modules' }).map((file) => file.replaceAll('\\', '/')).filter((file) => file !== self).sort();

/** A file as one line of text: a citation may go on in the next line of a comment. */
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/\n\s*(?:\*|\/\/|#)?\s*/g, ' ');

const rulesPage = readFileSync(join(root, 'docs/rules.md'), 'utf8');
const headings = [...rulesPage.matchAll(/^#{2,3} (.+)$/gm)].map(([, name]) => name ?? '');
const numbered = new Set([...rulesPage.matchAll(/^\*\*(\d+[a-z]?)\. /gm)].map(([, number]) => number ?? ''));
const promises = new Set([...(/## Promises\n([\s\S]*?)\n## /.exec(rulesPage)?.[1] ?? '').matchAll(/^(\d+)\. /gm)].map(([, number]) => number ?? ''));
const decisions = new Set(globSync('docs/decisions/*.md', { cwd: root }).map((file) => Number(/(\d{4})-[^/\\]*$/.exec(file)?.[1] ?? NaN)));
const reference = ['docs/command.md', 'docs/settings.md', 'docs/rules.md'].map((file) => readFileSync(join(root, file), 'utf8')).join('\n');

/** The numbers in `12`, `12, 13 and 15a` or `27 to 30c`; of a range its two ends. */
const numbersIn = (list: string): string[] => [...list.matchAll(/\d+[a-z]?/g)].map(([number]) => number);

/** Everything that a text cites and that cannot be opened. */
function missingIn(text: string): string[] {
  const missing: string[] = [];
  const list = String.raw`\d+[a-z]?(?:(?:, | and | to )\d+[a-z]?\b(?![.\d]))*`;
  for (const [citation, numbers = ''] of text.matchAll(new RegExp(`\\b[Rr]ules? (${list})`, 'g'))) {
    if (numbersIn(numbers).some((number) => !numbered.has(number))) missing.push(citation);
  }
  for (const [citation, numbers = ''] of text.matchAll(new RegExp(`\\b[Pp]romises? (${list})`, 'g'))) {
    if (numbersIn(numbers).some((number) => !promises.has(number))) missing.push(citation);
  }
  for (const [citation, numbers = ''] of text.matchAll(/\b[Dd]ecisions? ((?:\d+)(?:(?:, | and )\d+)*)/g)) {
    if (numbersIn(numbers).some((number) => !decisions.has(Number(number)))) missing.push(citation);
  }
  for (const [citation, name = ''] of text.matchAll(/\b[Rr]ules: ([A-Z][a-z]+(?:,? [A-Za-z]+){0,4})/g)) {
    if (!headings.some((heading) => name === heading || name.startsWith(`${heading} `) || name.startsWith(`${heading},`))) missing.push(citation);
  }
  for (const [citation, name = ''] of text.matchAll(/\b[Rr]ules: `([^`…]+)/g)) {
    if (!reference.includes(name)) missing.push(citation);
  }
  const elsewhere = /\b[Dd]esign(?:,? rows?)? \d|\b(?:findings|reliability|performance|examples|ecosystem|peers)\.md\b/g;
  for (const [citation] of text.matchAll(elsewhere)) missing.push(citation);
  return missing;
}

test('every rule, promise, section and decision that is cited exists', () => {
  // `rules: Name` is also how TypeScript declares a parameter of that name; such a line is code.
  const declared = /\brules: (?:Readonly\w*|\w+Rules)\b/g;
  const wrong = cited.flatMap((file) => missingIn(textOf(file).replaceAll(declared, '')).map((citation) => `${file}: ${citation}`));
  assert.deepEqual(wrong, []);
});

test('a citation of something that is not there is found', () => {
  assert.deepEqual(missingIn('Rule 12; rules 27 to 30c; promise 4; rules: Spend across nodes. Decision 75.'), []);
  const wrongs = ['rule 99', 'rules 5 and 5z', 'promise 9', 'decision 7777', 'rules: Nothing here', 'rules: `no such command`', 'design 3, row 6'];
  for (const wrong of wrongs) {
    assert.equal(missingIn(wrong).length, 1, wrong);
  }
});

test('each link from one document to another leads somewhere', () => {
  const wrong = cited.filter((file) => file.endsWith('.md')).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .filter(([, target = '']) => !existsSync(join(root, dirname(file), decodeURI(target))))
      .map(([, target]) => `${file}: ${target}`));
  assert.deepEqual(wrong, []);
});

test('the index of decisions has each of them once, in order, by its title', () => {
  const folder = 'docs/decisions';
  const row = (file: string, title: string): string => `[${file.slice(0, 4)}](${file}) | ${title}`;
  const files = globSync(`${folder}/0*.md`, { cwd: root }).map((file) => file.replaceAll('\\', '/').slice(folder.length + 1))
    .filter((file) => file !== '0012-measurements.md').sort();
  const titled = files.map((file) => row(file, /^# \d+\. (.+)$/m.exec(readFileSync(join(root, folder, file), 'utf8'))?.[1] ?? 'no title'));
  const index = readFileSync(join(root, folder, 'README.md'), 'utf8').replace(' ([measurements](0012-measurements.md))', '');
  assert.deepEqual([...index.matchAll(/^\| (\[0.+) \|$/gm)].map(([, line]) => line), titled);
});
