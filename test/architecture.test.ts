/**
 * Checks the shape of the repository: who may import whom, what core must not touch, how files are named and begin.
 * Lengths of files and functions and numbers of parameters are lint rules (.oxlintrc.json).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sharedFolders } from '../scripts/shared-folders.ts';
import { pathsWithoutTests } from '../scripts/whole-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync(['packages/*/{src,test}/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], { cwd: root })
  .map((file) => file.replaceAll('\\', '/')).sort();
const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/test-support/') || /^(?:packages\/[^/]+\/)?test\//.test(file);
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const packageOf = (file: string): string => /^packages\/([^/]+)\//.exec(file)?.[1] ?? '';

/** What each package's product code may import of the others. Tests may also use testkit. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  store: ['core'],
  gateway: ['core', 'store'],
  platform: ['core', 'store'],
  sandbox: ['core'],
  testkit: ['core'],
  cli: ['core', 'store', 'gateway', 'platform', 'sandbox'],
  // Reaches the platform only over HTTP; of core it imports the rules of receipts and of rounding, so that pages and files say the same.
  dashboard: ['core/books/receipt', 'core/books/allocation'],
  // Published separately: it imports no other package, and no product code imports it.
  tap: [],
};

/** Module specifiers that a file imports, statically or dynamically, type imports included. */
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
      if (other === undefined || other === packageOf(file) || allowed.some((each) => specifier.startsWith(`@metergate/${each}/`))) continue;
      if (isTest(file) && other === 'testkit') continue;
      wrong.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('packages are checked after the ones that they may import, and the tests after all', () => {
  const referencesOf = (file: string): string[] => {
    const { references = [] } = JSON.parse(read(file)) as { references?: { path: string }[] };
    return references.map(({ path }) => /([^/]+)\/tsconfig\.product\.json$/.exec(path)![1]!);
  };
  const checked = referencesOf('tsconfig.product.json');
  assert.deepEqual(checked.toSorted(), Object.keys(mayImport).filter((name) => name !== 'testkit' && name !== 'dashboard').sort());
  assert.deepEqual(referencesOf('tsconfig.tests.json'), checked);
  for (const name of checked) assert.deepEqual(referencesOf(`packages/${name}/tsconfig.product.json`), mayImport[name], name);
});

test('relative imports stay inside their package and name the file with its ending', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    for (const specifier of importsOf(read(file)).filter((each) => each.startsWith('.'))) {
      const target = relative(root, join(root, dirname(file), specifier)).replaceAll('\\', '/');
      if (packageOf(target) !== packageOf(file) || !/\.(?:tsx?|json|css|svg)$/.test(specifier)) wrong.push(`${file} imports ${specifier}`);
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
    // The testkit is not part of the product, and the built pages contain what they need: neither is installed with its dependencies.
    const listed = { ...manifest.dependencies, ...(['testkit', 'dashboard'].includes(packageOf(file)) ? manifest.devDependencies : {}) };
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

test('the facts of a wire are only in core/src/wire: no other code compares the name of a wire', () => {
  const product = sources.filter((file) =>
    !isTest(file) && /^packages\/(?:core|store|gateway|platform|sandbox|cli)\/src\//.test(file) && !file.includes('/wire/'));
  assert.deepEqual(product.filter((file) => /[=!]== '(?:openai|anthropic)'|api\.(?:openai|anthropic)\.com'/.test(read(file))), []);
});

test('the gateway never opens the store itself', () => {
  const wrong = sources
    .filter((file) => packageOf(file) === 'gateway' && !isTest(file))
    .filter((file) => importsOf(read(file)).some((specifier) => /^@metergate\/store\/(?:store\.ts|engine\/|schema\/)|^kysely|^pg$/.test(specifier)
      && !new RegExp(`import type [^;]*${specifier}`).test(read(file))));
  assert.deepEqual(wrong, []);
});

/**
 * The floors of each package, from the ground up: folders, and files that are separate from their folder or in none. A file imports, types
 * included, only from its own room and from lower floors. Entries of one line share a floor and do not import each other.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  core: [
    'json/without-ending.ts', 'account books/slices.ts id.ts json money.ts rate time wire', 'call', 'usage', 'usage/websocket', 'record', 'spend',
    'run',
    'account/own-keys.ts account/settings.ts books/receipt refusal.ts report spend/lease', 'account/held-own-key.ts alert books/month price',
    'books/reconcile tap',
    'books/allocation',
  ],
  store: [
    'network schema threads', 'engine', 'journal sealing', 'schema/migrations', 'operation sealing/chain', 'spend usage', 'settings',
    'accounts runs tap', 'alerts calls', 'receipts', 'retention', 'operation/cells', 'store.ts', 'desk',
  ],
  gateway: [
    'clock fairness http-parser log metrics traces usage websocket/extensions.ts websocket/heard-calls.ts websocket/pieces.ts',
    'callers guards network websocket/frames.ts websocket/in-slices.ts websocket/sessions.ts',
    'credentials settings websocket/message.ts', 'websocket/unmasking.ts', 'node websocket/plain-text.ts', 'websocket/message-copy.ts',
    'call', 'websocket', 'held-for-calls.ts server.ts', 'gateway.ts',
    'gateway-thread.ts',
  ],
  platform: [
    'faults network use-cases/outward-url.ts work',
    'http/shared-places.ts',
    'auth/session-cookie.ts http/body-budget.ts http/client-address.ts http/security-headers.ts http/tap-places.ts http/tap-rate.ts '
      + 'http/tap-turns.ts seed use-cases/refusal.ts use-cases/upstream-url.ts',
    'auth/oidc/provided-claims.ts auth/passwords.ts http/askers.ts', 'auth http/pages use-cases',
    'http/download.ts http/tap.ts follow notices price-feed proof reports/messages.ts retention',
    'reports/running-thread.ts', 'reports/report-client.ts',
    'http/parts.ts', 'http',
    'http/mount.ts http/resources', 'http/app.ts reports/reading-operations.ts', 'http/listener.ts reports',
    'server.ts store-figures.ts', 'work-figures.ts', 'parent-process.ts', 'platform-process.ts',
  ],
  cli: [
    'config/variables.ts log', 'config/config.ts', 'command-line/command.ts config', 'traces', 'command-line start', 'login/files', 'login/tools',
      'login', 'configuration', 'receipts',
    'command-line/on-store.ts doctor', 'commands', 'program.ts', 'main.ts',
  ],
  dashboard: ['shown/moments.ts', 'api', 'app', 'shown', 'parts', 'pages', 'frame', 'main.tsx'],
};

/** The room of a product file: the longest entry of its package's floors that contains it. Undefined: it has no place yet. */
function roomOf(file: string): { readonly name: string; readonly floor: number } | undefined {
  const inPackage = file.replace(/^packages\/[^/]+\/src\//, '');
  return (floors[packageOf(file)] ?? [])
    .flatMap((rooms, floor) => rooms.split(' ').map((name) => ({ name, floor })))
    .filter(({ name }) => inPackage === name || inPackage.startsWith(`${name}/`))
    .sort((one, other) => other.name.length - one.name.length)[0];
}

const isProduct = (file: string): boolean => /^packages\/[^/]+\/src\//.test(file) && !isTest(file);

/** The files of its own package that a file imports, types included. */
function importedBy(file: string): string[] {
  return importsOf(read(file)).filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(root, join(root, dirname(file), specifier)).replaceAll('\\', '/'));
}

test('inside a package imports run downward, and every folder has its floor', () => {
  const wrong: string[] = [];
  for (const file of sources.filter((each) => isProduct(each) && packageOf(each) in floors)) {
    const room = roomOf(file);
    if (room === undefined) {
      wrong.push(`${file} lies on no floor: say in this test where its folder belongs`);
      continue;
    }
    for (const target of importedBy(file).filter(isProduct)) {
      const below = roomOf(target);
      if (below !== undefined && below.name !== room.name && below.floor >= room.floor) wrong.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('no files import each other in a circle, not even for their types', () => {
  const product = sources.filter(isProduct);
  const left = new Map(product.map((file) => [file, importedBy(file).filter((target) => target !== file && isProduct(target))]));
  for (let removed = true; removed;) {
    removed = false;
    for (const [file, targets] of left) {
      if (targets.some((target) => left.has(target))) continue;
      left.delete(file);
      removed = true;
    }
  }
  // The remaining files are in a circle or above one: those that no remaining file imports are only above.
  for (let removed = true; removed;) {
    removed = false;
    const imported = new Set([...left.values()].flat());
    for (const file of left.keys()) removed = (!imported.has(file) && left.delete(file)) || removed;
  }
  assert.deepEqual([...left.keys()], []);
});

test('the sources of a package, and the tests of the whole, are in at most twenty rooms', () => {
  const folders = [...Object.keys(mayImport).filter((name) => name !== 'testkit').map((name) => `packages/${name}/src`), 'test'];
  const rooms = (folder: string): number =>
    new Set(sources.filter((file) => file.startsWith(`${folder}/`)).map((file) => file.slice(folder.length + 1).split('/')[0])).size;
  assert.deepEqual(folders.filter((folder) => rooms(folder) > 20), []);
});

test('files are named for one concept, never utils, helpers and the like', () => {
  const names = new Set([
    'utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'service', 'services', 'types', 'constants', 'index',
  ]);
  const wrong = sources.filter((file) => names.has(basename(file).replace(/(?:\.test)?\.ts$/, '')));
  assert.deepEqual(wrong, []);
});

/** The names that a file exports where it declares them. */
function exportsOf(file: string): string[] {
  const declared = read(file).matchAll(
    /^export (?:(?:declare|abstract|async|default) )*(?:function\*?|class|const|let|interface|type|enum) ([\w$]+)/gm);
  return [...new Set([...declared].map(([, name]) => name!))];
}

test('no two product files export the same name', () => {
  const homes = new Map<string, string[]>();
  for (const file of sources.filter((each) => isProduct(each) && packageOf(each) !== 'testkit' && !each.endsWith('dashboard/src/api/schema.ts'))) {
    for (const name of exportsOf(file)) homes.set(name, [...homes.get(name) ?? [], file]);
  }
  assert.deepEqual([...homes].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`), []);
});

test('what a product file exports, another file imports', () => {
  const importing = [...sources, ...globSync(['packages/*/*.{ts,mjs}', 'packages/*/bin/*.mjs'], { cwd: root })].map(read);
  const imported = new Set(importing.flatMap((text) => [...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from/gm)])
    .flatMap(([, names]) => names!.split(',').map((name) => name.trim().replace(/^type /, '').replace(/ as .*/s, ''))));
  // Of what is loaded later, any export may be used.
  const later = importing.flatMap((text) => [...text.matchAll(/\bimport\(\s*'([^']+)'/g)]);
  const loadedLater = new Set(later.map(([, specifier]) => basename(specifier!)));
  // The settings of clients contain code that people copy.
  const product = sources.filter((file) => isProduct(file) && !['tap', 'testkit'].includes(packageOf(file)) && !loadedLater.has(basename(file))
    && !/dashboard\/src\/(?:api\/schema|pages\/start\/client-settings)\.ts$/.test(file));
  assert.deepEqual(product.flatMap((file) => exportsOf(file).filter((name) => !imported.has(name)).map((name) => `${file} exports ${name}`)), []);
});

test('what is private is private at run time too: `#name`, never the word, except for a constructor, which has no other', () => {
  const wrong = /(?:^|[\s(,])private\s+(?!constructor\b)(?:(?:static|readonly|async|override|get|set)\s+)*[\w$]+\s*[?!]?\s*[(:=;<]/m;
  assert.deepEqual(sources.filter((file) => wrong.test(codeOf(read(file)))), []);
});

test('every file begins with a comment that says what it is', () => {
  assert.deepEqual(sources.filter((file) => !/^(?:#![^\n]*\n)?\/\*\*/.test(read(file))), []);
});

test('lines fit the screen: at most 150 characters', () => {
  const wrong = sources.filter((file) => !/price-list|corpus|fixtures|dashboard\/src\/api\/schema/.test(file))
    .flatMap((file) => read(file).split('\n').map((line, at) => ({ line, at })).filter(({ line }) => line.length > 150)
      .map(({ at }) => `${file}:${at + 1}`));
  assert.deepEqual(wrong, []);
});

test('the README is a welcome, under 700 words; the rest is under docs', () => {
  assert.ok(read('README.md').trim().split(/\s+/).length < 700);
});

test('no test is skipped, exclusive or a to-do', () => {
  const pattern = /\b(?:test|it|describe|suite)\.(?:skip|todo|only)\b|\bskip: true|\b(?:context|t)\.(?:skip|todo)\(/;
  assert.deepEqual(sources.filter((file) => isTest(file) && pattern.test(codeOf(read(file)))), []);
});

test('test files that share a process await nothing at the top level, and set no hooks in modules that several of them load', () => {
  const inShared = (file: string): boolean => sharedFolders.some(({ folder, alone }) =>
    file.startsWith(folder) && !alone.includes(file.slice(folder.length)));
  // Tests declared after an await belong to the whole process; a hook that a module sets as it is loaded belongs to its first importer.
  const awaiting = sources.filter((file) => inShared(file) && file.endsWith('.test.ts') && /^(?:\S.*)?\bawait\b/m.test(topOf(file)));
  const hooking = sources.filter((file) => file.includes('/test-support/') && /^(?:before|after|beforeEach|afterEach)\(/m.test(topOf(file)));
  const missing = sharedFolders.flatMap(({ folder, alone, again }) => [...alone, ...again?.except ?? []].map((file) => folder + file))
    .filter((file) => !sources.includes(file));
  assert.deepEqual([awaiting, hooking, missing], [[], [], []]);
});

/** The unindented lines of a file: what runs as it is loaded, except inside blocks. */
function topOf(file: string): string {
  return codeOf(read(file)).split('\n').filter((line) => /^\S/.test(line)).map((line) => line.replaceAll(/\basync\b.*$/g, '')).join('\n');
}

test('each path that waits for the whole run is of a test file', () => {
  assert.deepEqual(pathsWithoutTests(sources.filter((file) => file.endsWith('.test.ts'))), []);
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

/** The files of a clone; if the checkout is not a git repository (an archive), all files except those that npm and the product made. */
function trackedFiles(): string[] {
  if (existsSync(join(root, '.git'))) {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    return listed.filter((file) => file !== '' && existsSync(join(root, file)));
  }
  return [...sources, 'package.json', 'package-lock.json'];
}
