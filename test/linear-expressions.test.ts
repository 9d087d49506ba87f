/**
 * The lint rule that refuses expressions that are not linear in their text (decision 0100): what it refuses and what it lets pass, on real
 * files with the repository's own configuration; that each exception says why; and that the price list's expressions keep the rule too.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NameRule } from '@metergate/core/price/price-list.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Rule {
  superLinear(source: string, flags: string): string | null;
}
const { superLinear } = await import(new URL('../scripts/lint/linear-expressions.mjs', import.meta.url).href) as Rule;

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

const refused = [
  String.raw`'1'.replace(/0+$/, '')`,
  String.raw`'1'.replace(/\s+$/, '')`,
  String.raw`'1'.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')`,
  String.raw`/^(?:a+)+$/.test('1')`,
  String.raw`/^\d*\d*x$/.test('1')`,
  String.raw`/^Bearer +([^\s].*?)\s*$/i.exec('1')`,
  String.raw`new RegExp('0+$').exec('1')`,
  String.raw`RegExp('/+' + '$', 'u').exec('1')`,
  'new RegExp(`^${process.argv[2]}$`).exec("1")',
];
const allowed = [
  String.raw`'1'.replace(/^0+/, '')`,
  String.raw`'1'.replace(/0{1,9}$/, '')`,
  String.raw`/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test('1')`,
  String.raw`/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/y.exec('1')`,
  "new RegExp('^a+$').exec('1')",
];

test('lint refuses expressions that are not linear, and those that nobody can judge, and lets others pass', async (context) => {
  // Not in `test`, where the rule does not hold.
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, lines: readonly string[]): void => writeFileSync(
    join(folder, name), lines.map((line, index) => `export const x${index} = ${line};\n`).join(''),
  );
  write('refused.ts', refused);
  write('allowed.ts', allowed);
  const options = ['--quiet', '-c', '.oxlintrc.json', '-f', 'json', folder];
  const { stdout } = await promisify(execFile)(process.execPath, ['node_modules/oxlint/bin/oxlint', ...options], { cwd: root })
    .catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  const found = diagnostics.filter(({ code }) => code === 'linear(expressions)');
  assert.deepEqual(found.filter(({ filename }) => filename.endsWith('allowed.ts')), []);
  const lines = new Set(found.map(({ labels }) => labels[0]!.span.line));
  assert.deepEqual(refused.filter((_, index) => !lines.has(index + 1)), []);
});

test('each exception to the rule gives its reason', () => {
  const exceptions = globSync('packages/*/{src,bin,build}/**/*.{ts,tsx,mjs}', { cwd: root })
    .flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n').map((line) => ({ file, line })))
    .filter(({ line }) => line.includes('oxlint-disable') && /linear|disable(?:-\S+)?\s*$/.test(line));
  assert.notEqual(exceptions.length, 0);
  assert.deepEqual(exceptions.filter(({ line }) => !/oxlint-disable-next-line linear\/expressions -- \S.{20,}/.test(line)), []);
});

test('every expression of the price list is linear', () => {
  const list = JSON.parse(readFileSync(join(root, 'packages/core/price-list/price-list.json'), 'utf8')) as {
    providers: { host: string; path?: string; models: { rule: NameRule }[] }[];
  };
  const expressionsOf = (rule: NameRule): string[] => 'regex' in rule ? [rule.regex] : 'any' in rule ? rule.any.flatMap(expressionsOf)
    : 'all' in rule ? rule.all.flatMap(expressionsOf) : [];
  const expressions = list.providers.flatMap(({ host, path, models }) => [
    `^(?:${host})$`, ...(path === undefined ? [] : [`^(?:${path})(?:/|$)`]), ...models.flatMap(({ rule }) => expressionsOf(rule)),
  ]);
  assert.ok(expressions.length > 50);
  assert.deepEqual(expressions.filter((expression) => superLinear(expression, '') !== null), []);
});
