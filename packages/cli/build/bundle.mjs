/**
 * The sources of the server → one file for each thread, and files that are loaded when they are asked for, in a folder. Everything the server
 * depends on is in them. What threads of one group share is in files of their own. Two groups share none: a module that both use is in both, as it
 * is loaded by both, so that what commands load does not cut what threads load into many small files (decision 309).
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { asNodeRunsItBest } from './finish.mjs';

/** Where the process and its threads begin, from the packages' folder; and the commands, for a test that runs them in its own process. In groups. */
const groups = [
  ['cli/src/main.ts', 'cli/src/command-line/run.ts', 'cli/src/program.ts'],
  ['cli/src/start/prepare-thread.ts', 'store/src/desk/store-thread.ts'],
  ['gateway/src/gateway-thread.ts', 'gateway/src/usage/brotli-thread.ts'],
  ['platform/src/platform-process.ts', 'platform/src/reports/report-thread.ts', 'platform/src/auth/hashing-thread.ts'],
  ['store/src/network/name-process.ts'],
];
const entries = groups.flat();

/** JSON from this size on is a file that is read: as a literal it would be in memory twice, as source and as what it says. */
const literalBytesMax = 20_000;

/** What a dependency takes where it is there, and we never install. */
const absent = ['pg-native'];

/** Fills `folder`, which lies two below the package. Returns every file that was read, from `root`. @throws where a source cannot be bundled */
export async function bundle({ root, folder }) {
  const { build } = createRequire(join(root, 'package.json'))('esbuild');
  const statements = new Set();
  const built = await Promise.all(groups.map((group) => build({
    absWorkingDir: root, entryPoints: group.map((entry) => ({ in: join(root, 'packages', entry), out: nameOf(entry) })), outdir: folder,
    chunkNames: '[name]-[hash]', bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24', legalComments: 'none',
    external: absent, tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } }, metafile: true, write: false, logLevel: 'warning',
    plugins: [placesIn(folder, (file) => statements.add(relative(root, file)))],
  })));
  for (const { path, text } of built.flatMap(({ outputFiles }) => outputFiles)) writeFileSync(path, asNodeRunsItBest(text));
  return [...statements, ...new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)))].sort();
}

/** Other files that sources name: a thread is the bundle of it, anything else is copied beside the bundles, and SQL is reported. */
function placesIn(folder, sqlRead) {
  const copied = (file) => {
    copyFileSync(file, join(folder, basename(file)));
    return `./${basename(file)}`;
  };
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\.json$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (text.length < literalBytesMax) return { contents: text, loader: 'json' };
        const read = `readFileSync(new URL('${copied(path)}', import.meta.url), 'utf8')`;
        return { contents: `import { readFileSync } from 'node:fs';\nexport default JSON.parse(${read});\n`, loader: 'js' };
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (text.includes(sqlBeside)) for (const file of sqlFilesIn(dirname(path))) { copied(file); sqlRead(file); }
        return text.includes('import.meta') ? { contents: withPlaces(text, path, copied), loader: 'ts' } : null;
      });
    },
  };
}

/** How a source names the SQL that lies beside it, which then lies beside the bundle. */
const sqlBeside = 'new URL(`./${name}.sql`, import.meta.url)';

function sqlFilesIn(folder) {
  return readdirSync(folder).filter((name) => name.endsWith('.sql')).map((name) => join(folder, name));
}

function withPlaces(text, path, copied) {
  const places = text
    .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name) => `new URL('${placeOf(name, path, copied)}', import.meta.url).href`)
    .replaceAll(/new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g, (_, name) => `new URL('${placeOf(name, path, copied)}', import.meta.url)`);
  const known = places.replaceAll(/new URL\('[^']+\.(?:js|json|wasm)', import\.meta\.url\)/g, '').replaceAll(sqlBeside, '');
  if (known.includes('import.meta')) throw new Error(`${path} says import.meta in a way that the build does not know.`);
  return places;
}

function placeOf(name, path, copied) {
  if (!name.endsWith('.ts')) return name === '@metergate/dashboard/package.json' ? '../../../dashboard/package.json' : copied(createRequire(path).resolve(name));
  const thread = nameOf(name);
  if (!entries.some((entry) => nameOf(entry) === thread)) throw new Error(`${path} names ${name}, which is no thread that is built.`);
  return `./${thread}.js`;
}

function nameOf(file) {
  return basename(file, '.ts');
}
