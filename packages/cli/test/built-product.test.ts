/** The launcher runs the build as long as it was made from the sources beside it, and never a build older than they are. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const { sourceRecord } = await import(new URL('../bin/built-product.mjs', import.meta.url).href) as {
  sourceRecord(root: string, path: string): readonly unknown[];
};

const bin = fileURLToPath(new URL('../bin', import.meta.url));
const floors = fileURLToPath(new URL('../src/config/runtime-floor.json', import.meta.url));
const main = 'packages/cli/src/main.ts';
const rule = 'packages/core/src/rule.ts';

interface Checkout {
  readonly root: string;
  write(path: string, text: string): void;
  /** The output of the launcher's run: the built product prints `built`, the sources print what is in them. */
  run(): string;
}

/** Two sources and their build, with our launcher. */
function checkout(context: TestContext, sources: 'recorded' | 'packed away' = 'recorded'): Checkout {
  const root = mkdtempSync(join(tmpdir(), 'metergate-built-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  cpSync(bin, join(root, 'packages/cli/bin'), { recursive: true });
  cpSync(floors, join(root, 'packages/cli/src/config/runtime-floor.json'));
  write('packages/cli/package.json', '{"type":"module"}');
  write(main, 'import { word } from \'../../core/src/rule.ts\'; console.log(word);');
  write(rule, 'export const word = \'source 1\';');
  write('packages/cli/dist/0123/main.js', 'console.log(\'built\');');
  const recorded = sources === 'recorded' ? [main, rule].map((path) => sourceRecord(root, path)) : null;
  const files = [['main.js', statSync(join(root, 'packages/cli/dist/0123/main.js')).size]];
  write('packages/cli/dist/built.json', JSON.stringify({ folder: '0123', files, sources: recorded }));
  return { root, write, run: () => said(root) };
}

function said(root: string): string {
  const env = { ...process.env, NODE_OPTIONS: '--no-warnings' };
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'packages/cli/bin/metergate.mjs')], { encoding: 'utf8', env });
  assert.equal(stderr.replace(/^\s+at .*\n/gm, '').includes('SyntaxError'), false, stderr);
  return stdout === '' ? (/ERR_[A-Z_]+/.exec(stderr)?.[0] ?? stderr) : stdout.trim();
}

test('the build of these sources runs instead of them', (context) => {
  assert.equal(checkout(context).run(), 'built');
});

test('an edit of any source takes effect, even one of the same length whose time was set back', (context) => {
  const { root, write, run } = checkout(context);
  const { atimeMs, mtimeMs } = statSync(join(root, rule));
  write(rule, 'export const word = \'source 2\';');
  utimesSync(join(root, rule), atimeMs / 1_000, mtimeMs / 1_000);
  assert.equal(run(), 'source 2');
  write(rule, 'export const word = \'another source\';');
  assert.equal(run(), 'another source');
  write(rule, 'export const word = \'source 1\';');
  assert.equal(run(), 'built', 'as it was');
});

test('a source that went is missed, as it is without a build', (context) => {
  const { root, run } = checkout(context);
  rmSync(join(root, rule));
  assert.equal(run(), 'ERR_MODULE_NOT_FOUND');
});

test('a new source runs with the one that names it', (context) => {
  const { write, run } = checkout(context);
  write('packages/core/src/other.ts', 'export const word = \'other\';');
  assert.equal(run(), 'built', 'nothing asks for it');
  write(main, 'import { word } from \'../../core/src/other.ts\'; console.log(word);');
  assert.equal(run(), 'other');
});

test('a copy of the checkout, or another time on a file, is checked and runs the build', (context) => {
  const { root, run } = checkout(context);
  utimesSync(join(root, rule), 1, 1);
  assert.equal(run(), 'built');
  const copy = `${root}-copy`;
  context.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(root, copy, { recursive: true });
  assert.equal(said(copy), 'built');
});

test('without a build, or with a record that cannot be read, the sources run', (context) => {
  const { root, write, run } = checkout(context);
  renameSync(join(root, 'packages/cli/dist/0123'), join(root, 'packages/cli/dist/gone'));
  assert.equal(run(), 'source 1');
  write('packages/cli/dist/built.json', '{"folder":');
  assert.equal(run(), 'source 1');
  rmSync(join(root, 'packages/cli/dist'), { recursive: true });
  assert.equal(run(), 'source 1');
});

test('a build of which a file is short or gone, as a copy that broke off leaves it, is passed over for the sources', (context) => {
  const { root, write, run } = checkout(context);
  write('packages/cli/dist/0123/main.js', 'console.');
  assert.equal(run(), 'source 1');
  write('packages/cli/dist/0123/main.js', 'console.log(\'built\');');
  assert.equal(run(), 'built');
  const record = join(root, 'packages/cli/dist/built.json');
  const { files, ...rest } = JSON.parse(readFileSync(record, 'utf8')) as { files: unknown[] };
  writeFileSync(record, JSON.stringify({ ...rest, files: [...files, ['chunk.js', 9]] }));
  assert.equal(run(), 'source 1');
});

test('a package without its sources runs as it is', (context) => {
  const { root, run } = checkout(context, 'packed away');
  rmSync(join(root, main));
  assert.equal(run(), 'built');
});
