/**
 * Builds the pages into `dist`: bundled, split by page, with a compressed copy of each file beside it for the platform to serve. Before that it
 * makes the types of the pages' client.
 * `node build.mjs [--if-possible]`: with `--if-possible`, an installation without development dependencies, or without the sources,
 * is left as it is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const started = performance.now();

try {
  if (!existsSync(join(here, 'src/main.tsx'))) throw new Error('the sources are not here');
  const { build } = await import('vite');
  makeClient();
  const { output } = await build(settings());
  noteSources(output.flatMap(({ moduleIds = [] }) => moduleIds));
  const sizes = await compress();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`The dashboard is built: ${sizes.files} files, ${sizes.kilobytes} KB compressed, ${seconds} s.\n`);
} catch (error) {
  if (!process.argv.includes('--if-possible')) throw error;
  process.stdout.write(`@metergate/dashboard is not built: ${error.message}\n`);
}

/** `dist/built.json`: of which sources the pages are. A start says when they are older than those (`platform/src/http/pages/old-pages.ts`). */
function noteSources(read) {
  const own = ['index.html', 'package.json', 'build.mjs'].map((file) => join(here, file));
  const files = [...new Set([...own, ...read])].filter((file) => isAbsolute(file) && !file.includes('node_modules') && existsSync(file))
    .map((file) => relative(here, file).replaceAll('\\', '/')).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(here, file)));
  writeFileSync(join(here, 'dist/built.json'), JSON.stringify({ files, hash: hash.digest('base64') }));
}

/** The client's types are for editors and the check of types. The pages are built without them, also on a Node that runs no TypeScript. */
function makeClient() {
  const { status } = spawnSync(process.execPath, [join(here, 'generate-client.ts')], { stdio: ['ignore', 'ignore', 'ignore'] });
  if (status !== 0) process.stdout.write('The types of the dashboard\'s client were not made; npm run client -w packages/dashboard says why.\n');
}

function settings() {
  return {
    root: here,
    configFile: false,
    logLevel: 'warn',
    base: '/',
    // The platform puts a new value in its place with every page; nothing inline runs without it.
    html: { cspNonce: '__NONCE__' },
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      target: 'es2022', outDir: join(here, 'dist'), emptyOutDir: true, assetsInlineLimit: 0, reportCompressedSize: false,
      modulePreload: { polyfill: false }, chunkSizeWarningLimit: 600,
      // Libraries mark their files for servers that render; nothing is rendered on a server here.
      rolldownOptions: {
        onwarn: (warning, told) => { if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') told(warning); },
        // What every page needs is one file, and so are the icons that several parts use: else the first page is forty requests.
        output: { codeSplitting: { groups: [
          { name: 'base', test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!(?:react-)?virtual)[^/]+|openapi-[^/]+|clsx)\// },
          { name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 2 },
        ] } },
      },
    },
  };
}

/** `.br` and `.gz` beside every file that a browser asks for: made once here, as small as they get, not with every request. */
async function compress() {
  const files = readdirSync(join(here, 'dist/assets')).filter((file) => /\.(?:js|css)$/.test(file)).map((file) => join('assets', file));
  const sizes = await Promise.all(files.map(async (file) => {
    const path = join(here, 'dist', file);
    const content = readFileSync(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const [small, wide] = await Promise.all([promisify(brotliCompress)(content, { params }), promisify(gzip)(content, { level: 9 })]);
    writeFileSync(`${path}.br`, small);
    writeFileSync(`${path}.gz`, wide);
    return small.length;
  }));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { files: files.length, kilobytes: Math.round(bytes / 1_000) };
}
