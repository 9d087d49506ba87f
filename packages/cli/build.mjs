/**
 * Builds the server into `dist`, which the launcher runs as long as the sources are those it was built from.
 * `node build.mjs [--out FOLDER] [--if-possible] [--if-changed]`: `--out` builds it for a package that has no sources, to be run as it is;
 * with `--if-possible`, an installation without development dependencies, or without the sources, is left as it is; with `--if-changed`, so is one
 * whose build is of the sources as they are.
 *
 * Each build is in a new folder, named for what is in it, and `built.json` names it last. A product that runs goes on with the files it began
 * with: the build before this one stays, and so does any of the last day.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtMain, sourceRecord } from './bin/built-product.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const args = process.argv.slice(2);
const sealed = args.includes('--out');
const out = sealed ? resolve(args[args.indexOf('--out') + 1]) : join(here, 'dist');
/** What the build itself is made of. */
const own = ['build.mjs', 'build/bundle.mjs', 'build/finish.mjs', 'build/notices.mjs', 'bin/built-product.mjs'].map((file) => `packages/cli/${file}`);
/** How long a product that runs may want files of its build. */
const keptMs = 86_400_000;
/** How far the time of a file may lag behind the clock. */
const clockMs = 50;
const startedMs = performance.now();

try {
  if (!existsSync(join(here, 'src/main.ts'))) throw new Error('the sources are not here');
  createRequire(import.meta.url).resolve('esbuild');
  if (!args.includes('--if-changed') || builtMain(here) === null) await build();
} catch (error) {
  if (!args.includes('--if-possible')) throw error;
  process.stdout.write(`The server is not built: ${error.message.split('\n', 1)[0]}\n`);
}

/** Again where a source was edited meanwhile: nobody knows which of the two the bundle holds. */
async function build(attempts = 3) {
  mkdirSync(out, { recursive: true });
  const fresh = mkdtempSync(join(out, 'new-'));
  try {
    const begunMs = Date.now();
    const sources = (await fill(fresh)).map((path) => sourceRecord(root, path));
    const edited = sources.find(([, , , changedMs]) => changedMs > begunMs - clockMs);
    if (edited === undefined) return settle(fresh, sealed ? null : sources);
    if (attempts === 1) throw new Error(`${edited[0]} changes while it is built.`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return build(attempts - 1);
}

/** Builds into `folder`; resolves with the files that say whether it is still what the sources are. */
async function fill(folder) {
  const [{ bundle }, { notices }] = await Promise.all([import('./build/bundle.mjs'), import('./build/notices.mjs')]);
  const read = await bundle({ root, folder });
  const packages = [...new Set(read.map(packageFolder).filter((each) => each !== null))].sort();
  writeFileSync(join(folder, 'licences.txt'), notices(root, packages));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  const sources = [...read.filter((path) => packageFolder(path) === null), ...packages.map((each) => join(each, 'package.json')), ...own];
  return [...new Set(sources)].sort();
}

/** Puts the new folder in its place, has the record name it, and removes what nobody runs any more. */
function settle(fresh, sources) {
  const folder = contentHash(fresh);
  const place = join(out, folder);
  // What lies there under that name may have been damaged since.
  if (existsSync(place) && contentHash(place) !== folder) rmSync(place, { recursive: true, force: true });
  if (!existsSync(place)) renameSync(fresh, place);
  const record = join(out, 'built.json');
  const files = readdirSync(place).map((name) => [name, statSync(join(place, name)).size]);
  writeFileSync(`${record}.${process.pid}`, JSON.stringify({ folder, files, sources }));
  renameSync(`${record}.${process.pid}`, record);
  for (const name of outdated(folder)) rmSync(join(out, name), { recursive: true, force: true });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`The server is built: ${files.length} files, ${seconds} s.\n`);
}

function outdated(folder) {
  const ageMs = (name) => Date.now() - statSync(join(out, name)).mtimeMs;
  const others = readdirSync(out).filter((name) => name !== folder && /^(?:[0-9a-f]{12}|new-.*)$/.test(name));
  return others.sort((one, other) => ageMs(one) - ageMs(other)).slice(1).filter((name) => ageMs(name) > keptMs);
}

function contentHash(folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Of the npm package that a file belongs to; null: it is one of ours. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;
}
