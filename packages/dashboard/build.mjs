/**
 * Builds the pages into `dist`: bundled, split by page, with a compressed copy of each file beside it for the platform to serve.
 * `node build.mjs [--if-possible]`: with `--if-possible`, an installation without development dependencies, or without the sources,
 * is left as it is.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const started = performance.now();

try {
  if (!existsSync(join(here, 'src/main.tsx'))) throw new Error('the sources are not here');
  const { build } = await import('vite');
  await build(settings());
  const sizes = compress();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`The dashboard is built: ${sizes.files} files, ${sizes.kilobytes} KB compressed, ${seconds} s.\n`);
} catch (error) {
  if (!process.argv.includes('--if-possible')) throw error;
  process.stdout.write(`@metergate/dashboard is not built: ${error.message}\n`);
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
      rolldownOptions: { onwarn: (warning, told) => { if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') told(warning); } },
    },
  };
}

/** `.br` and `.gz` beside every file that a browser asks for: made once here, not with every request. */
function compress() {
  const files = readdirSync(join(here, 'dist/assets')).filter((file) => /\.(?:js|css)$/.test(file)).map((file) => join('assets', file));
  let bytes = 0;
  for (const file of files) {
    const path = join(here, 'dist', file);
    const content = readFileSync(path);
    const small = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
    writeFileSync(`${path}.br`, small);
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    bytes += small.length;
  }
  return { files: files.length, kilobytes: Math.round(bytes / 1_000) };
}
