/**
 * The shape of the repository, held by tests: who may import whom, what core may not touch, how files are named and headed.
 * Lengths of files and functions, cycles and parameter counts are lint rules (.oxlintrc.json).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync(['packages/*/{src,test}/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], { cwd: root })
  .map((file) => file.replaceAll('\\', '/')).sort();
const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/test-support/') || /^(?:packages\/[^/]+\/)?test\//.test(file);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const packageOf = (file: string): string => /^packages\/([^/]+)\//.exec(file)?.[1] ?? '';

/** What each package's product code may import of the others. Tests may use testkit besides. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  store: ['core'],
  gateway: ['core', 'store'],
  platform: ['core', 'store'],
  sandbox: ['core'],
  testkit: ['core'],
  cli: ['core', 'store', 'gateway', 'platform', 'sandbox'],
  // Published alone: it imports nobody, and nobody of the product imports it.
  tap: [],
};

/** Module specifiers a file imports, statically or dynamically, type imports included. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g);
  return [...found].map((match) => match[1] ?? match[2] ?? '');
}

/** Text without comments and string contents, so that words in them do not count as code. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, ' ');
}

test('packages import only what lies below them', () => {
  const wrong: string[] = [];
  for (const file of sources.filter((each) => packageOf(each) !== '')) {
    const allowed = mayImport[packageOf(file)] ?? [];
    for (const specifier of importsOf(read(file))) {
      const other = /^@metergate\/([^/]+)/.exec(specifier)?.[1];
      if (other === undefined || other === packageOf(file) || allowed.includes(other)) continue;
      if (isTest(file) && other === 'testkit') continue;
      wrong.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('relative imports stay inside their package and name the file with its ending', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    for (const specifier of importsOf(read(file)).filter((each) => each.startsWith('.'))) {
      const target = relative(root, join(root, dirname(file), specifier)).replaceAll('\\', '/');
      if (packageOf(target) !== packageOf(file) || !/\.(ts|json)$/.test(specifier)) wrong.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

test('product code imports npm packages only where its own package.json lists them', () => {
  const wrong: string[] = [];
  for (const file of sources.filter((each) => packageOf(each) !== '' && !isTest(each))) {
    const manifest = JSON.parse(read(`packages/${packageOf(file)}/package.json`)) as Manifest;
    // The testkit is no part of the product: what it needs is not installed with it.
    const listed = { ...manifest.dependencies, ...(packageOf(file) === 'testkit' ? manifest.devDependencies : {}) };
    for (const specifier of importsOf(read(file))) {
      if (/^(?:\.|node:)/.test(specifier)) continue;
      const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      if (name === `@metergate/${packageOf(file)}` || name in listed) continue;
      wrong.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('core is pure: no Node, no clock, no randomness, no waiting, no dependency', () => {
  const forbidden = [
    /\bDate\.now\b/, /\bnew Date\(\s*\)/, /\bMath\.random\b/, /\basync\b/, /\bawait\b/, /\bPromise\b/, /\bsetTimeout\b/, /\bsetImmediate\b/,
    /\bBuffer\b/, /\bprocess\./, /\bfetch\(/, /\bperformance\b/, /\bcrypto\b/,
  ];
  const wrong: string[] = [];
  for (const file of sources.filter((each) => packageOf(each) === 'core' && !isTest(each))) {
    const code = codeOf(read(file));
    for (const pattern of forbidden) if (pattern.test(code)) wrong.push(`${file} uses ${pattern.source}`);
    for (const specifier of importsOf(read(file))) if (!specifier.startsWith('.')) wrong.push(`${file} imports ${specifier}`);
  }
  assert.deepEqual(wrong, []);
});

test('the gateway never opens the store itself', () => {
  const wrong = sources
    .filter((file) => packageOf(file) === 'gateway' && !isTest(file))
    .filter((file) => importsOf(read(file)).some((specifier) => /^@metergate\/store\/(?:store\.ts|engine\/|schema\/)|^kysely|^pg$/.test(specifier)
      && !new RegExp(`import type [^;]*${specifier}`).test(read(file))));
  assert.deepEqual(wrong, []);
});

test('inside the gateway imports run downward: nothing below imports the thread, the server or the path of a call', () => {
  const ranks: readonly RegExp[] = [
    /src\/(?:network|usage|settings)\//, /src\/(?!gateway-thread|gateway\.ts|server)[^/]+\.ts$/, /src\/(?:call|stages)\//,
    /src\/server\.ts$/, /src\/gateway\.ts$/, /src\/gateway-thread\.ts$/,
  ];
  const rank = (file: string): number => ranks.findIndex((pattern) => pattern.test(file));
  const wrong: string[] = [];
  for (const file of sources.filter((each) => packageOf(each) === 'gateway' && !isTest(each))) {
    for (const specifier of importsOf(read(file)).filter((each) => each.startsWith('.'))) {
      const target = relative(root, join(root, dirname(file), specifier)).replaceAll('\\', '/');
      if (rank(target) >= 3 && rank(target) > rank(file)) wrong.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('files are named for one concept, never utils, helpers and their kin', () => {
  const names = new Set([
    'utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'service', 'services', 'types', 'constants', 'index',
  ]);
  const wrong = sources.filter((file) => names.has(basename(file).replace(/(?:\.test)?\.ts$/, '')));
  assert.deepEqual(wrong, []);
});

test('every file begins with a comment that says what it is', () => {
  assert.deepEqual(sources.filter((file) => !/^(?:#![^\n]*\n)?\/\*\*/.test(read(file))), []);
});

test('lines fit the screen: at most 150 characters', () => {
  const wrong = sources.filter((file) => !/price-list|corpus|fixtures/.test(file))
    .flatMap((file) => read(file).split('\n').map((line, at) => ({ line, at })).filter(({ line }) => line.length > 150)
      .map(({ at }) => `${file}:${at + 1}`));
  assert.deepEqual(wrong, []);
});

test('no test is skipped or left open', () => {
  const pattern = /\b(?:test|it|describe|suite)\.(?:skip|todo|only)\b|\bskip: true|\b(?:context|t)\.(?:skip|todo)\(/;
  assert.deepEqual(sources.filter((file) => isTest(file) && pattern.test(codeOf(read(file)))), []);
});

test('tracked files name no machine: no absolute paths of one, no registry host in the lockfile', () => {
  const wrong: string[] = [];
  for (const file of trackedFiles()) {
    if (!/\.(?:ts|mjs|json|md|ya?ml|sql)$|^\.ci\/|rc$/.test(file)) continue;
    const text = read(file);
    if (/(?:^|[\s"'`(=])\/(?:work|home|Users|root)\/[a-z]/m.test(text)) wrong.push(`${file}: absolute path`);
    if (file.endsWith('package-lock.json') && /"resolved":\s*"https?:/.test(text)) wrong.push(`${file}: registry host`);
  }
  assert.deepEqual(wrong, []);
});

/** What a clone holds; where the checkout is no git repository (an archive), everything but what npm and the product made. */
function trackedFiles(): string[] {
  if (existsSync(join(root, '.git'))) {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    return listed.filter((file) => file !== '' && existsSync(join(root, file)));
  }
  return [...sources, 'package.json', 'package-lock.json'];
}
